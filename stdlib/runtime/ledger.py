"""What side effects with a key have given: so that a repeated request gets the result, not a second effect."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import anyio

from .keys import again
from .result import NOTHING

KEEP_S: Final = 86_400
"""How long results are kept, in seconds: a day."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to do a side effect. `sends`: the key to send. `recorded`: the result of an earlier time, or
    `NOTHING`; then there is nothing to do."""

    key: str
    sends: str
    recorded: Any = NOTHING


class Ledger(Protocol):
    """Results by key. A claim that was given without a result ends with `record` or `release`."""

    async def request(self, request: str, window_ms: int) -> str:
        """The request key of a call without one: equal calls within the window, counted from the first, share it."""

    async def claim(self, key: str) -> Claim:
        """Waits while somebody else has the claim."""

    async def record(self, claim: Claim, value: Any) -> None:
        """The side effect has happened and gave this."""

    async def release(self, claim: Claim) -> None:
        """It has not happened, or nobody knows: who comes next does it with the same key."""

    async def undone(self, key: str) -> None:
        """It was taken back: done anew it is another side effect, with another key."""


class MemoryLedger:
    """A ledger for the life of the process."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._requests: dict[str, tuple[str, float]] = {}
        self._results: dict[str, tuple[Any, float]] = {}
        self._undone: dict[str, tuple[int, float]] = {}
        self._claimed: dict[str, anyio.Event] = {}

    async def request(self, request: str, window_ms: int) -> str:
        now = self._clock()
        self._forget(now)
        known = self._requests.get(request)
        if known is None or now >= known[1] + window_ms / 1000:
            known = self._requests[request] = f"{request}:{int(now * 1000)}", now
        return known[0]

    async def claim(self, key: str) -> Claim:
        while key in self._claimed:
            await self._claimed[key].wait()
        times = self._undone.get(key, (0, 0.0))[0]
        recorded = self._results.get(key, (NOTHING, 0.0))[0]
        if recorded is NOTHING:
            self._claimed[key] = anyio.Event()
        return Claim(key, again(key, times), recorded)

    async def record(self, claim: Claim, value: Any) -> None:
        self._results[claim.key] = value, self._clock()
        await self.release(claim)

    async def release(self, claim: Claim) -> None:
        waiting = self._claimed.pop(claim.key, None)
        if waiting is not None:
            waiting.set()

    async def undone(self, key: str) -> None:
        self._results.pop(key, None)
        self._undone[key] = self._undone.get(key, (0, 0.0))[0] + 1, self._clock()

    def _forget(self, now: float) -> None:
        """Entries come in the order of time, so the old ones stand first."""
        for entries in (self._requests, self._results, self._undone):
            while entries:
                key, (_, since) = next(iter(entries.items()))
                if since + KEEP_S > now:
                    break
                del entries[key]
