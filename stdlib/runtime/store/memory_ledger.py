"""A ledger for the life of the process."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..keys import again
from ..result import NOTHING
from .ledger import KEEP_S, Claim
from .turns import Turns


class MemoryLedger:
    """Everything in it has a time until which it is kept."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._turns = Turns()
        self._requests: dict[str, tuple[str, float, float]] = {}
        self._results: dict[str, tuple[Any, str, float]] = {}
        self._undone: dict[str, tuple[int, float]] = {}
        self._next = math.inf

    async def request(self, request: str, window_ms: int, first: str | None = None) -> str:
        now = self._forget()
        key, since, _ = self._requests.get(request, ("", 0.0, 0.0))
        if not key or now >= since + window_ms / 1000:
            key = first or f"{request}:{int(now * 1000)}"
            self._requests[request] = key, now, self._until(now + max(KEEP_S, window_ms / 1000))
        return key

    async def claim(self, key: str, run: str = "") -> Claim:
        await self._turns.take(key)
        self._forget()
        times = self._undone.get(key, (0, 0.0))[0]
        recorded, by, _ = self._results.get(key, (NOTHING, run, 0.0))
        if recorded is not NOTHING:
            self._turns.give_back(key)
        return Claim(key, again(key, times), recorded, run=by)

    async def record(self, claim: Claim, value: Any) -> None:
        await self.note(claim.key, claim.run, value)
        self._turns.give_back(claim.key)

    async def note(self, key: str, run: str, value: Any) -> None:
        self._results[key] = value, run, self._until(self._forget() + KEEP_S)

    async def release(self, claim: Claim) -> None:
        self._turns.give_back(claim.key)

    async def undone(self, key: str) -> None:
        now = self._forget()
        self._results.pop(key, None)
        self._undone[key] = self._undone.get(key, (0, 0.0))[0] + 1, self._until(now + KEEP_S)

    def _until(self, when: float) -> float:
        self._next = min(self._next, when)
        return when

    def _forget(self) -> float:
        """Forgets what is too old, and gives the time."""
        now = self._clock()
        if now < self._next:
            return now
        for key in [each for each, (_, _, until) in self._requests.items() if until <= now]:
            del self._requests[key]
        for table in (self._results, self._undone):
            for key in [each for each, (*_, until) in table.items() if until <= now]:
                del table[key]
        tables = (self._requests, self._results, self._undone)
        self._next = min((row[-1] for table in tables for row in table.values()), default=math.inf)
        return now
