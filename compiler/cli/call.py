"""One call of a chain from the command line, with what is seen of it meanwhile."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from compiler.cli import terminal
from compiler.cli.handed import put_under_handles, taken_out
from compiler.cli.kept import kept
from compiler.cli.people import PersonHere
from compiler.cli.servers import at_home
from compiler.cli.tracebacks import tracebacks
from stdlib.connect.router import Router
from stdlib.plan.document import to_text
from stdlib.plan.plan import ApproveStep, AskStep, CallStep, Chain, MapStep, Plan
from stdlib.runtime.fault import RunFault
from stdlib.runtime.load import load_plan
from stdlib.runtime.people import People
from stdlib.runtime.run import Caller, Result, run_chain
from stdlib.runtime.world import Ambient
from stdlib.serve.telemetry import spans_for

if TYPE_CHECKING:
    from stdlib.runtime.events import Progress
    from stdlib.runtime.receipt import Receipt

Interrupted = Callable[[str, "Sequence[Receipt]"], None]
"""Gets the id of the run and its receipts."""


def call(
    plan: Plan, root: Path, chain_id: str, arguments: dict[str, Any], where: str, interrupted: Interrupted
) -> Result:
    """Runs the chain against its real tools. `where`: the store that keeps the run; values that are `Handed` are put
    under handles in it. On a terminal its steps are drawn
    while they go on; elsewhere each one that is finished has a line. When Ctrl-C or another signal ends it, it is
    taken back, and `interrupted` gets what it had done; a second one cuts it off."""

    async def run(people: People, caller: Caller) -> Result:
        store = kept(where)
        loaded = load_plan(plan, to_text(plan))  # as servers have it: one digest for one plan
        try:
            given = await put_under_handles(arguments, store, caller.principal.owner, loaded.digest)
            async with Router(at_home(plan, root), root) as tools:
                result = await run_chain(
                    loaded,
                    chain_id,
                    given,
                    tools=tools,
                    store=store,
                    people=people,
                    caller=caller,
                    ambient=Ambient(spans=spans_for(plan.name, plan.version)),
                    run_id=run_id,
                )
            return await taken_out(result, store, caller.principal.owner, plan)
        except RunFault as full:
            return Result(fault=full.fault)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                done.extend(await store.journal.receipts(run_id))
                row = await store.journal.run(run_id)
                cut.extend([] if row is None or row.ended is not None else [run_id])
            raise
        finally:
            await store.close()

    run_id = Ambient().new_id()
    done: list[Receipt] = []
    cut: list[str] = []
    names = step_names(plan.chains[chain_id])
    try:
        with tracebacks(), terminal.kept_for_results(), _signals():  # functions of the project may print
            if names and terminal.can_draw(sys.stderr):
                return _drawn(names, run)
            return anyio.run(run, PersonHere(), Caller(on_progress=_line))
    except KeyboardInterrupt:
        interrupted(run_id, done)
        if cut and where != "memory":
            terminal.say(f"{run_id} was cut off: what was under way may have happened. `chainc runs show` tells more.")
        raise


@contextmanager
def _signals() -> Iterator[None]:
    """A terminal that is closed, and a polite request to end, are as good as Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    named = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    kept_before = [(each, signal.getsignal(each)) for each in named]
    # A shell has Ctrl-C ignored by what it starts in the background. It stays held back there, the others do not.
    background = signal.getsignal(signal.SIGINT) is signal.SIG_IGN and hasattr(signal, "pthread_sigmask")

    def end(*_: object) -> None:
        if background:
            held = signal.signal(signal.SIGINT, signal.SIG_IGN)  # forgets the ones that were held back
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            signal.signal(signal.SIGINT, held)
        signal.raise_signal(signal.SIGINT)

    if background:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for each, before in kept_before:
        if before is not signal.SIG_IGN:  # as `nohup` wants it
            signal.signal(each, end)
    try:
        yield
    finally:
        for each, before in kept_before:
            signal.signal(each, before)
        if background:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _drawn(names: list[str], run: Callable[[People, Caller], Awaitable[Result]]) -> Result:
    from compiler.cli.live import LiveSteps
    from compiler.cli.steps import Steps

    steps = Steps(names)
    result: Result | None = None
    with LiveSteps(steps, sys.stderr) as live:
        try:
            result = anyio.run(run, PersonHere(live.paused), Caller(watch=steps))
        finally:  # also when Ctrl-C ends it
            steps.end(None if result is None else result.fault)
    return result


def step_names(chain: Chain) -> list[str]:
    """The steps of a chain, without those of its loops."""
    return [each.name for each in chain.bindings if isinstance(each, CallStep | MapStep | ApproveStep | AskStep)]


async def _line(step: Progress) -> None:
    terminal.say(f"[{step.finished:.3g}/{step.total}] {step.message}")
