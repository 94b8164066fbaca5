"""A step that waits for a person: an approval or a question."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ..plan.plan import ApproveStep
from .events import AskPerson, CancelCall
from .fault import Fault, RunFault
from .loaded import LoadedReaction, LoadedWaitStep
from .question import APPROVE_FORM, WAIT_MS, Answer, Answered, Approved, Expired, Question, Refused

if TYPE_CHECKING:
    from .block import Block

EXPIRY: Final = "expiry:"
"""Begins the names of the timers of questions; the path of the step follows."""

_FAIL: Final = LoadedReaction("fail", None)


class WaitActivity:
    """One execution of such a step. Ends by telling the block: settled, failed or (after `abort`) gone."""

    def __init__(self, block: Block, place: int, step: LoadedWaitStep, path: str) -> None:
        self._block = block
        self._machine = block.machine
        self._place = place
        self._step = step
        self._path = path
        self._call = f"{path}#1"
        self._timer = f"{EXPIRY}{path}"

    def start(self) -> None:
        try:
            question = self._question()
        except RunFault as found:
            self._block.step_failed(self._place, found.fault, _FAIL)
            return
        self._machine.questions[self._call] = self
        self._machine.set_timer(self._timer, question.timeout_ms, partial(self.answered, Expired(), ""))
        self._machine.emit(AskPerson(self._call, question))

    def abort(self) -> None:
        """Nobody needs the answer any more."""
        self._close()
        self._block.step_gone(self._place)

    def _close(self) -> None:
        if self._machine.questions.pop(self._call, None) is not None:
            self._machine.clear_timer(self._timer)
            self._machine.emit(CancelCall(self._call))

    def _question(self) -> Question:
        plan, scope = self._step.plan, self._block.scope
        evaluate = self._machine.evaluate
        show = None if self._step.show is None else evaluate(self._step.show, scope, self._path, plan.origin)
        text = str(evaluate(self._step.question, scope, self._path, plan.origin))
        timeout = WAIT_MS if plan.timeout_ms is None else plan.timeout_ms
        if isinstance(plan, ApproveStep):
            return Question("approve", self._path, text, APPROVE_FORM, timeout, plan.by, show, plan.origin)
        return Question("ask", self._path, text, plan.form, timeout, origin=plan.origin)

    def answered(self, answer: Answer | Fault, at: str) -> None:
        self._close()
        name, settled = self._step.plan.name, self._block.step_settled
        failed = partial(self._block.step_failed, self._place)
        approves = isinstance(self._step.plan, ApproveStep)
        match answer:
            case Approved(by=by, comment=comment) if approves:
                settled(self._place, {"approved": True, "by": by, "comment": comment, "at": at}, "succeeded")
            case Answered(values=values) if self._step.form is not None:
                mismatch = self._step.form.mismatch(values)
                if mismatch is None:
                    settled(self._place, self._step.form.settled(values), "succeeded")
                else:
                    problem = mismatch.sentence("the whole of it")
                    failed(Fault("invalid_input", f"The answer to `{name}` does not fit: {problem}"), _FAIL)
            case Refused(comment=comment):
                said = f" The comment: {comment}" if comment else ""
                advice = "Do not call again unless the person who said no changes their mind."
                message = f"`{name}` was {'rejected' if approves else 'declined'}.{said}"
                failed(Fault("denied", message, next=advice, refused="person"), self._step.on_refusal)
            case Expired():
                seconds = f"{(self._step.plan.timeout_ms or WAIT_MS) / 1000:g}"
                message = f"Nobody answered `{name}` within {seconds} s."
                failed(Fault("timeout", message), self._step.on_expiry)
            case Fault():
                failed(answer, _FAIL)
            case _:
                failed(Fault("internal", f"The answer to `{name}` is none to such a question."), _FAIL)
