"""What was used in the last minutes or hours, and when there will be room again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

PARTS: Final = 60
"""A window moves on by its sixtieth part; what is older than the window is forgotten part by part."""


@dataclass(slots=True)
class Window:
    """`span`: its length in seconds. `used`: by the number of its part."""

    span: float
    used: OrderedDict[int, dict[str, float]] = field(default_factory=OrderedDict)
    running: int = 0

    def _part(self, now: float) -> int:
        return int(now * PARTS // self.span)

    def _forget(self, now: float) -> None:
        current = self._part(now)
        while self.used and next(iter(self.used)) <= current - PARTS:
            self.used.popitem(last=False)
        ahead = []
        while self.used and next(reversed(self.used)) > current:
            ahead.append(self.used.popitem()[1])
        for each in ahead:  # the clock went back: this counts from now on
            self._into(current, each)

    def _into(self, part: int, amounts: Mapping[str, float]) -> None:
        known = self.used.setdefault(part, {})
        for what, amount in amounts.items():
            known[what] = known.get(what, 0) + amount

    def total(self, what: str, now: float) -> float:
        self._forget(now)
        return sum(each.get(what, 0) for each in self.used.values())

    def add(self, now: float, **amounts: float) -> None:
        self._forget(now)
        self._into(self._part(now), amounts)

    def free_at(self, what: str, room: float, now: float) -> float:
        """When no more than `room` of it is used, in seconds of the clock."""
        left = self.total(what, now)
        for part, each in self.used.items():
            if left <= room:
                break
            left -= each.get(what, 0)
            now = max(now, (part + PARTS) * self.span / PARTS)
        return now

    def idle(self, now: float) -> bool:
        self._forget(now)
        return not self.used and self.running == 0
