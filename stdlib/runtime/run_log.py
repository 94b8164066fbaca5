"""What a run writes down while it goes on: everything where it has effects or waits, else its end only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .receipt import Receipt
from .store.journal import Begun, Ended, Entry, Journal


class RunLog(Protocol):
    @property
    def is_journal(self) -> bool:
        """Whether anything must be written before the end."""

    async def write(self, entries: Sequence[Entry], receipts: Sequence[Receipt]) -> None:
        """Returns when it can be relied on."""

    async def park(self, parked: bool) -> None: ...

    async def end(self, ended: Ended, receipts: Sequence[Receipt]) -> None: ...


class JournalledRun:
    """Each entry is written before what follows from it is done, so that the run can go on after an interruption."""

    is_journal = True

    def __init__(self, journal: Journal, run: str) -> None:
        self._journal = journal
        self._run = run

    async def write(self, entries: Sequence[Entry], receipts: Sequence[Receipt]) -> None:
        if entries or receipts:
            await self._journal.append(self._run, entries, receipts)

    async def park(self, parked: bool) -> None:
        await self._journal.park(self._run, parked)

    async def end(self, ended: Ended, receipts: Sequence[Receipt]) -> None:
        await self._journal.end(self._run, ended, receipts)


class ReadingRun:
    """A run that only reads can simply be done again: it is written when it is over."""

    is_journal = False

    def __init__(self, journal: Journal, begun: Begun) -> None:
        self._journal = journal
        self._begun = begun

    async def write(self, entries: Sequence[Entry], receipts: Sequence[Receipt]) -> None:
        """Nothing, before the end."""

    async def park(self, parked: bool) -> None:
        """It never waits for people."""

    async def end(self, ended: Ended, receipts: Sequence[Receipt]) -> None:
        await self._journal.keep(self._begun, ended, receipts)
