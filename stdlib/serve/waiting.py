"""Runs that wait for people, kept in memory: each goes on by itself and is collected by whoever has its id."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup

from ..runtime.clean import compact
from ..runtime.events import Progress
from ..runtime.fault import Fault
from ..runtime.question import Answer, Question
from ..runtime.receipt import timestamp
from ..runtime.run import Result
from ..runtime.world import OnProgress

KEEP_S: Final = 3600.0
"""How long the result of a run waits for somebody to collect it, in seconds."""

MOST_KEPT: Final = 1000
SHOWN_BYTES: Final = 4000
"""Most bytes of what a question shows that go into a fault."""


@dataclass(slots=True)
class Pending:
    """A question that is open: until somebody answers it, once. `until`: seconds since the epoch."""

    question: Question
    until: float
    answer: Answer | None = None
    closed: anyio.Event = field(default_factory=anyio.Event)

    def to_json(self) -> dict[str, Any]:
        """What is awaited, as clients are told."""
        question = self.question
        told: dict[str, Any] = {"step": question.step, "kind": question.kind, "question": question.text}
        if question.by is not None:
            told["by"] = question.by
        if question.kind == "ask":
            told["form"] = question.form
        if question.show is not None and len(compact(question.show).encode()) <= SHOWN_BYTES:
            told["show"] = question.show
        return told | {"until": timestamp(self.until)}


class WaitingRun:
    """One run: the people that it asks are whoever answers its open questions."""

    def __init__(self, principal: str, chain: str, clock: Callable[[], float]) -> None:
        self.id = f"run_{secrets.token_hex(16)}"
        self.principal = principal
        self.chain = chain
        self.result: Result | None = None
        self.ended = 0.0
        self.on_progress: OnProgress | None = None
        self.scope = anyio.CancelScope()
        self._clock = clock
        self._pending: dict[str, Pending] = {}
        self._news = anyio.Event()

    # ------------------------------------------------------------------ for the run

    async def approve(self, question: Question) -> Answer:
        return await self._wait(question)

    async def ask(self, question: Question) -> Answer:
        return await self._wait(question)

    async def _wait(self, question: Question) -> Answer:
        pending = Pending(question, self._clock() + question.timeout_ms / 1000)
        self._pending[question.step] = pending
        self._tell()
        try:
            await pending.closed.wait()
        finally:
            self._pending.pop(question.step, None)
            pending.closed.set()
            self._tell()
        assert pending.answer is not None, "closed by an answer, else cancelled"
        return pending.answer

    async def report(self, progress: Progress) -> None:
        """Tells progress to the client that waits for the run, if there is one."""
        if self.on_progress is not None:
            await self.on_progress(progress)

    def finish(self, result: Result) -> None:
        """What is large and nobody is going to read is let go."""
        self.result = replace(result, value=None, receipts=())
        self.ended = self._clock()
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = anyio.Event()

    # ------------------------------------------------------------------ for those who answer

    def open(self) -> list[Pending]:
        """The questions without an answer."""
        return [each for each in self._pending.values() if each.answer is None]

    def answer(self, step: str, digest: str, answer: Answer) -> bool:
        """Answers the question of a step, once. False where it is not open (any more), or is not the one that the
        person has seen: its digest is another."""
        pending = self._pending.get(step)
        if pending is None or pending.answer is not None or pending.question.digest != digest:
            return False
        pending.answer = answer
        pending.closed.set()
        return True

    async def news(self) -> None:
        """Until the run has ended or has an open question."""
        while self.result is None and not self.open():
            await self._news.wait()

    async def end(self) -> None:
        """Until the run has ended."""
        while self.result is None:
            await self._news.wait()

    def parked(self) -> Fault:
        """What a client is told that cannot answer what is awaited."""
        awaits = [each.to_json() for each in self.open()]
        what = "; ".join(f"{each.get('by', 'the user')}: {each['question']}" for each in awaits)
        asks = any(each["kind"] == "ask" for each in awaits)
        with_answers = ", with the user's own words in `answers`" if asks else ", when they have decided"
        return Fault(
            "input_required",
            f"`{self.chain}` waits for people. {what}",
            awaits[0]["step"] if awaits else None,
            next=f'Tell the user what is awaited. Then call resume_run with run "{self.id}"{with_answers}.',
            details={"run": self.id, "awaits": awaits},
        )


Work = Callable[[WaitingRun], Awaitable[Result]]


class WaitingRuns:
    """All of them. `group` outlives every call."""

    def __init__(self, group: TaskGroup, clock: Callable[[], float] = time.time) -> None:
        self._group = group
        self._clock = clock
        self._runs: dict[str, WaitingRun] = {}

    def begin(self, principal: str, chain: str, work: Work) -> WaitingRun:
        """Starts a run that goes on whoever waits for it."""
        self._forget_old()
        run = WaitingRun(principal, chain, self._clock)
        self._runs[run.id] = run
        self._group.start_soon(self._do, run, work)
        return run

    async def _do(self, run: WaitingRun, work: Work) -> None:
        with run.scope:
            run.finish(await work(run))
        if run.result is None:
            run.finish(Result(fault=Fault("cancelled", f"`{run.chain}` was cancelled.")))

    def find(self, run_id: str, principal: str) -> WaitingRun | None:
        """The run, where it is this principal's."""
        self._forget_old()
        run = self._runs.get(run_id)
        return run if run is not None and run.principal == principal else None

    def forget(self, run: WaitingRun) -> None:
        """Its result was collected by the call that began it."""
        self._runs.pop(run.id, None)

    async def close(self) -> None:
        """Ends every run in order: what it had done is taken back."""
        for run in list(self._runs.values()):
            run.scope.cancel()
        for run in list(self._runs.values()):
            await run.end()

    def _forget_old(self) -> None:
        now = self._clock()
        ended = [run for run in self._runs.values() if run.result is not None]
        for place, run in enumerate(reversed(ended)):
            if place >= MOST_KEPT or run.ended + KEEP_S <= now:
                del self._runs[run.id]
