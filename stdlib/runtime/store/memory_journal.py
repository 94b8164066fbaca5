"""The journal of runs for the life of the process."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..receipt import Receipt
from .journal import Begun, Ended, Entry, Forgotten, NoSuchRun, Recorded, RunRow, RunState

MOST_ENDED: Final = 1_000
"""So many ended runs are remembered with their receipts: the memory of a process is finite."""


@dataclass(slots=True)
class _Run:
    begun: Begun
    state: RunState = "running"
    ended: Ended | None = None
    driven: bool = True
    entries: list[Entry] = field(default_factory=list)
    receipts: list[Recorded] = field(default_factory=list)


class MemoryJournal:
    """`also_needed`: the digests of plans that somebody else needs."""

    def __init__(self, also_needed: Callable[[], set[str]], clock: Callable[[], float] = time.time) -> None:
        self._also_needed = also_needed
        self._clock = clock
        self._numbers = itertools.count(1)
        self._forgotten: list[Forgotten] = []
        self._runs: dict[str, _Run] = {}
        self._plans: dict[str, str] = {}
        self._ended: dict[str, None] = {}

    async def begin(self, begun: Begun, plan: str) -> None:
        self._add(_Run(begun))
        self._plans.setdefault(begun.plan, plan)

    async def append(self, run: str, entries: Sequence[Entry], receipts: Sequence[Receipt] = ()) -> None:
        going_on = self._going_on(run)
        going_on.entries += entries
        self._add_receipts(going_on, receipts)

    async def park(self, run: str, parked: bool) -> None:
        self._going_on(run).state = "parked" if parked else "running"

    async def end(self, run: str, ended: Ended, receipts: Sequence[Receipt] = ()) -> None:
        self._end(self._going_on(run), ended, receipts)

    async def keep(self, begun: Begun, ended: Ended, receipts: Sequence[Receipt]) -> None:
        run = _Run(begun)
        self._add(run)
        self._end(run, ended, receipts)

    async def adopt(self) -> Sequence[Begun]:
        left = [run for run in self._runs.values() if not run.driven]  # the others were begun here
        for run in left:
            run.driven = True
        return tuple(run.begun for run in left)

    async def give_back(self, run: str) -> None:
        self._going_on(run).driven = False

    async def entries(self, run: str) -> Sequence[Entry]:
        return tuple(self._runs[run].entries) if run in self._runs else ()

    async def plan(self, digest: str) -> str | None:
        self._forget_plans()
        return self._plans.get(digest)

    async def runs(
        self, *, limit: int = 100, state: RunState | None = None, chain: str | None = None
    ) -> Sequence[RunRow]:
        newest = sorted(self._runs.values(), key=lambda run: run.begun.started)[::-1]
        rows = (_row(run) for run in newest if chain in (None, run.begun.chain))
        return tuple(itertools.islice((row for row in rows if state in (None, row.state)), max(0, limit)))

    async def run(self, run: str) -> RunRow | None:
        return _row(self._runs[run]) if run in self._runs else None

    async def receipts(self, run: str) -> Sequence[Receipt]:
        return tuple(receipt for _, receipt in self._runs[run].receipts) if run in self._runs else ()

    async def record(self, runs: Collection[str] = (), *, after: int = 0, limit: int = 1000) -> Sequence[Recorded]:
        named = [self._runs[run] for run in {*runs} & self._runs.keys()] if runs else self._runs.values()
        later = sorted(each for run in named for each in run.receipts if each[0] > after)
        return tuple(later[: max(0, limit)])

    async def forget(self, before: float, by: str, *, interrupted: bool = False) -> Forgotten:
        old = [run for run in self._runs.values() if run.ended is not None and run.ended.at < before]
        if interrupted:
            old += [run for run in self._runs.values() if not run.driven and run.begun.started < before]
        for run in old:
            del self._runs[run.begun.run]
            self._ended.pop(run.begun.run, None)
        self._forget_plans()
        done = Forgotten(by, self._clock(), before, len(old), sum(len(run.receipts) for run in old))
        self._forgotten.append(done)
        return done

    async def forgotten(self) -> Sequence[Forgotten]:
        return tuple(self._forgotten)

    def _add(self, run: _Run) -> None:
        if run.begun.run in self._runs:
            raise ValueError(f"There is a run {run.begun.run} already.")
        self._runs[run.begun.run] = run

    def _going_on(self, run: str) -> _Run:
        found = self._runs.get(run)
        if found is None or found.ended is not None or not found.driven:
            raise NoSuchRun(f"There is no run {run} here that goes on.")
        return found

    def _end(self, run: _Run, ended: Ended, receipts: Sequence[Receipt]) -> None:
        self._add_receipts(run, receipts)
        run.begun = run.begun.without_arguments()
        run.entries.clear()
        run.ended = ended
        run.state = "succeeded" if ended.fault is None else "failed"
        self._ended[run.begun.run] = None
        if len(self._ended) > MOST_ENDED:
            oldest = next(iter(self._ended))
            del self._ended[oldest], self._runs[oldest]
            self._forget_plans()

    def _add_receipts(self, run: _Run, receipts: Sequence[Receipt]) -> None:
        run.receipts += [(next(self._numbers), each) for each in receipts]

    def _forget_plans(self) -> None:
        needed = self._also_needed() | {run.begun.plan for run in self._runs.values() if run.ended is None}
        for digest in self._plans.keys() - needed:
            del self._plans[digest]


def _row(run: _Run) -> RunRow:
    return RunRow(run.begun, run.state if run.driven else "interrupted", run.ended)
