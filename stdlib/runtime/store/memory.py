"""The store that is gone with its process."""

from __future__ import annotations

import time
from collections.abc import Callable

from .memory_decisions import MemoryDecisions
from .memory_handles import MemoryHandles
from .memory_journal import MemoryJournal
from .memory_ledger import MemoryLedger


class MemoryStore:
    """`capacity`: most bytes of values under handles."""

    def __init__(self, clock: Callable[[], float] = time.time, capacity: int = 1 << 29) -> None:
        self._handles = MemoryHandles(clock, capacity)
        self._ledger = MemoryLedger(clock)
        self._journal = MemoryJournal(self._handles.plans, clock)
        self._decisions = MemoryDecisions(clock)

    @property
    def is_lasting(self) -> bool:
        return False

    @property
    def handles(self) -> MemoryHandles:
        return self._handles

    @property
    def ledger(self) -> MemoryLedger:
        return self._ledger

    @property
    def journal(self) -> MemoryJournal:
        return self._journal

    @property
    def decisions(self) -> MemoryDecisions:
        return self._decisions

    async def close(self) -> None:
        """There is nothing to let go of."""
