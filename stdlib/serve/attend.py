"""Waits for a run on behalf of a request: until it has ended, or until somebody else must do something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from ..runtime.clean import clean
from ..runtime.fault import Fault, RunFault, fault
from ..runtime.gates.consent import STEP
from ..runtime.gates.mask import OPEN, Mask
from ..runtime.question import Answered, Refused
from ..runtime.schema import Shape
from .answers import answer, fault_answer
from .asking import Asker
from .waiting import WaitingRun, WaitingRuns

if TYPE_CHECKING:
    import mcp_types as t


async def attend(
    runs: WaitingRuns, run: WaitingRun, asker: Asker, *, owns: bool, mask: Mask = OPEN
) -> t.CallToolResult | t.InputRequiredResult:
    """The result of the run; or the questions for the client's user; or the fault `input_required` where others are
    awaited. `owns`: the request began the run, so a client that gives it up ends the run."""
    try:
        while True:
            await run.news()
            if asker.is_modern or not asker.askable(run):  # who is told of questions is told of all
                await run.settled()
                if run.result is None and not run.open():
                    continue
            if run.result is not None:
                if owns:
                    runs.forget(run)
                return answer(run.result, mask)
            askable = asker.askable(run)
            if not askable and run.give_up(STEP):
                continue
            if not askable:
                return fault_answer(run.parked(), mask=mask)
            if asker.is_modern:
                return asker.required(run, askable)
            await asker.elicit(run, askable[0])
    except anyio.get_cancelled_exc_class():
        if owns and not run.detached:
            run.scope.cancel()
        raise


def take_told_answers(run: WaitingRun, answers: Any) -> Fault | None:
    """Answers that a client hands over for its user: to questions only. All of them, or none and the reason."""
    try:
        given = clean(answers)
        if not isinstance(given, dict):
            raise fault("invalid_input", "`answers` must be a record: a step's answer by the name of the step.")
        pending = {each.question.step: each.question for each in run.open()}
        for step, values in given.items():
            if step not in pending:
                known = ", ".join(pending) or "nothing"
                raise fault("invalid_input", f"`{step}` awaits no answer here. Awaited: {known}.")
            if pending[step].kind == "approve":
                raise fault("denied", f"`{step}` is an approval: only a person can give it.")
            mismatch = None if values is None else Shape(pending[step].form).mismatch(values)
            if mismatch is not None:
                raise fault("invalid_input", f"`{step}`: {mismatch.sentence('the whole of it')}")
    except RunFault as found:
        return found.fault
    for step, values in given.items():
        run.answer(step, pending[step].digest, Refused() if values is None else Answered(values))
    return None
