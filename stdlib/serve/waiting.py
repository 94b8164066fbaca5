"""Runs that nobody needs to wait for: each goes on by itself and is collected by whoever has its id.

A run that waits for people shows its questions in the store, so that they can be answered from elsewhere, too.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup

from ..runtime.broken import broken
from ..runtime.clean import compact
from ..runtime.events import Progress
from ..runtime.fault import Fault
from ..runtime.gates.consent import STEP
from ..runtime.principal import Owner
from ..runtime.question import Answer, Approved, Expired, Question, Refused
from ..runtime.receipt import timestamp
from ..runtime.run import Detached, Leash, Result
from ..runtime.store.decisions import Awaited, Decisions
from ..runtime.store.unusable import StoreUnusable
from ..runtime.world import OnProgress
from .elsewhere import interrupted

KEEP_S: Final = 3600.0
"""How long the result of a run waits for somebody to collect it, in seconds."""

MOST_KEPT: Final = 1000
SHOWN_BYTES: Final = 4000
"""Most bytes of what a question shows that go into a fault."""

SETTLE_S: Final = 1.0
"""How long a client that is told what is awaited waits for further questions of the run, in seconds."""

LOOK_S: Final = 0.5
"""How often decisions from elsewhere are looked for, in seconds."""

log = logging.getLogger("chainc.serve")


@dataclass(slots=True)
class Pending:
    """A question that is open: until somebody answers it, once. `until`: seconds since the epoch. `is_stored`: whether
    it can be answered from elsewhere."""

    question: Question
    until: float
    answer: Answer | None = None
    is_stored: bool = False
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

    def __init__(self, run_id: str, owner: Owner, chain: str, decisions: Decisions, clock: Callable[[], float]) -> None:
        self.id = run_id
        self.owner = owner
        self.chain = chain
        self.result: Result | None = None
        self.ended = 0.0
        self.detached = False
        self.on_progress: OnProgress | None = None
        self.scope = anyio.CancelScope()
        self.leash = Leash(self._move)
        self._decisions = decisions
        self._clock = clock
        self._pending: dict[str, Pending] = {}
        self._left: list[Pending] = []
        self._news = anyio.Event()
        self._moved = anyio.Event()

    # ------------------------------------------------------------------ for the run

    async def approve(self, question: Question) -> Answer:
        return await self._wait(question)

    async def ask(self, question: Question) -> Answer:
        return await self._wait(question)

    async def _wait(self, question: Question) -> Answer:
        pending = Pending(question, self._clock() + question.timeout_ms / 1000)
        self._pending[question.step] = pending
        try:
            await self._decisions.await_decision(self._awaited(pending))
            pending.is_stored = True
            self._tell()
            with suppress(StoreUnusable):
                await self.look()  # it may have been decided while nobody drove the run
            await pending.closed.wait()
        finally:
            self._pending.pop(question.step, None)
            pending.closed.set()
            self._tell()
            if not self.detached:
                # Where it cannot be closed it goes when its time is over; the answer counts all the same.
                with anyio.CancelScope(shield=True), suppress(StoreUnusable):
                    await self._decisions.close_question(self.id, question.step)
        assert pending.answer is not None, "closed by an answer, else cancelled"
        return pending.answer

    def _awaited(self, pending: Pending) -> Awaited:
        question = pending.question
        return Awaited(
            run=self.id,
            chain=self.chain,
            step=question.step,
            kind=question.kind,
            text=question.text,
            by=question.by,
            show=question.show,
            digest=question.digest,
            requester=self.owner,
            until=pending.until,
        )

    async def report(self, progress: Progress) -> None:
        """Tells progress to the client that waits for the run, if there is one."""
        self._move()
        if self.on_progress is not None:
            await self.on_progress(progress)

    def finish(self, result: Result) -> None:
        """What is large and nobody is going to read is let go."""
        self.result = replace(result, value=None, receipts=())
        self.leash = Leash()  # the old one holds the driver, and so all that the steps gave
        self.ended = self._clock()
        self._tell()

    def let_go(self) -> None:
        """Nothing new is begun; the store keeps the run, unless it has not begun itself for want of consent."""
        self.give_up(STEP)
        self._left = self.open()
        self.detached = True
        self.leash.detach()

    def _tell(self) -> None:
        self._news.set()
        self._news = anyio.Event()
        self._move()

    def _move(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()

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

    def give_up(self, step: str) -> bool:
        """Nobody is going to answer this question. False where it is not open."""
        pending = self._pending.get(step)
        return pending is not None and self.answer(step, pending.question.digest, Expired())

    async def look(self) -> None:
        """Takes over what was decided elsewhere."""
        if not self.open():
            return
        asked = {each.question.step: each.question for each in self.open()}
        for each in await self._decisions.decided(self.id):
            question = asked.get(each.step)
            if question is None:
                continue
            if question.by is not None and each.by == self.owner.principal:
                log.warning("%s cannot approve a run of its own", each.by)
                continue
            if question.kind == "ask" and each.approved:
                log.warning("%s cannot approve %s, which asks for words", each.by, each.step)
                continue
            given = Approved(each.by, each.comment) if each.approved else Refused(each.by, each.comment)
            self.answer(each.step, each.digest, given)

    async def news(self) -> None:
        """Until the run has ended or has an open question."""
        while self.result is None and not self.open():
            await self._news.wait()

    async def settled(self) -> None:
        """Until all questions are open that the run comes to without an answer, but not for long."""
        with anyio.move_on_after(SETTLE_S):
            while self.result is None and self.open() and not self._is_settled:
                await self._moved.wait()

    @property
    def _is_settled(self) -> bool:
        return self.leash.is_still and all(each.is_stored for each in self._pending.values())

    async def end(self) -> None:
        """Until the run has ended."""
        while self.result is None:
            await self._news.wait()

    def left(self, *, lasts: bool) -> Fault:
        """What a client is told that still waits for a run which was let go. `lasts`: it can be gone on with."""
        if not lasts:
            what = f"`{self.chain}` has no result: its server ended. It has only read."
            return Fault("unavailable", what, next=f"Call `{self.chain}` again.")
        return self.parked() if self._left else interrupted(self.chain, self.id)

    def parked(self) -> Fault:
        """What a client is told that cannot answer what is awaited."""
        awaits = [each.to_json() for each in self._left or self.open()]
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

    def __init__(self, group: TaskGroup, decisions: Decisions, clock: Callable[[], float] = time.time) -> None:
        self._group = group
        self._decisions = decisions
        self._clock = clock
        self._runs: dict[str, WaitingRun] = {}
        self._looking: anyio.CancelScope | None = None

    def begin(self, run_id: str, owner: Owner, chain: str, work: Work) -> WaitingRun:
        """Starts a run that goes on whoever waits for it."""
        self._forget_old()
        run = WaitingRun(run_id, owner, chain, self._decisions, self._clock)
        self._runs[run.id] = run
        self._group.start_soon(self._do, run, work)
        if self._looking is None:
            self._looking = anyio.CancelScope()
            self._group.start_soon(self._look, self._looking)
        return run

    async def _do(self, run: WaitingRun, work: Work) -> None:
        with run.scope:
            try:
                run.finish(await work(run))
            except Detached as detached:
                run.finish(Result(fault=run.left(lasts=detached.lasts)))
            except Exception as error:  # else it would end the server, and every other run
                run.finish(Result(fault=broken(run.chain, error, run.id)))
        if run.result is None:
            run.finish(Result(fault=Fault("cancelled", f"`{run.chain}` was cancelled.")))

    async def _look(self, looking: anyio.CancelScope) -> None:
        """While there are runs that go on."""
        with looking:
            while any(run.result is None for run in self._runs.values()):
                await anyio.sleep(LOOK_S)
                for run in list(self._runs.values()):
                    try:
                        await run.look()
                    except Exception as error:
                        log.warning("decisions could not be looked up", exc_info=error)
        self._looking = None

    def find(self, run_id: str, owner: Owner) -> WaitingRun | None:
        """The run, where it is this owner's."""
        self._forget_old()
        run = self._runs.get(run_id)
        return run if run is not None and run.owner == owner else None

    def forget(self, run: WaitingRun) -> None:
        """Its result was collected by the call that began it."""
        self._runs.pop(run.id, None)

    def let_go(self) -> None:
        for run in self._runs.values():
            run.let_go()

    async def close(self, *, lets_go: bool) -> None:
        """Lets go of every run, where the store keeps them: calls under way are awaited. Else every run is ended in
        order: what it had done is taken back."""
        if self._looking is not None:
            self._looking.cancel()
        if lets_go:
            self.let_go()
        else:
            for run in self._runs.values():
                run.scope.cancel()
        for run in list(self._runs.values()):
            await run.end()

    def _forget_old(self) -> None:
        now = self._clock()
        ended = [run for run in self._runs.values() if run.result is not None]
        for place, run in enumerate(reversed(ended)):
            if place >= MOST_KEPT or run.ended + KEEP_S <= now:
                del self._runs[run.id]
