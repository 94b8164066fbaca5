"""Turns: one task of this process at a time has a key."""

from __future__ import annotations

import anyio


class Turns:
    """Who comes while somebody has the key waits until it is given back."""

    def __init__(self) -> None:
        self._taken: dict[str, anyio.Event] = {}

    async def take(self, key: str) -> None:
        while key in self._taken:
            await self._taken[key].wait()
        self._taken[key] = anyio.Event()

    def give_back(self, key: str) -> None:
        waiting = self._taken.pop(key, None)
        if waiting is not None:
            waiting.set()
