"""Questions and decisions for the life of the process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .decisions import Awaited, Decision
from .ledger import KEEP_S


class MemoryDecisions:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._questions: dict[tuple[str, str], Awaited] = {}
        self._decisions: dict[tuple[str, str], Decision] = {}

    async def await_decision(self, awaited: Awaited) -> None:
        old = self._clock() - KEEP_S
        for run, step in [place for place, asked in self._questions.items() if asked.until <= old]:
            await self.close_question(run, step)
        place = awaited.run, awaited.step
        self._questions[place] = awaited
        if place in self._decisions and self._decisions[place].digest != awaited.digest:
            del self._decisions[place]

    async def close_question(self, run: str, step: str) -> None:
        self._questions.pop((run, step), None)
        self._decisions.pop((run, step), None)

    async def awaited(self) -> Sequence[Awaited]:
        return tuple(asked for place, asked in self._questions.items() if self._is_open(place))

    async def decide(self, decision: Decision) -> bool:
        place = decision.run, decision.step
        if not self._is_open(place) or self._questions[place].digest != decision.digest:
            return False
        self._decisions[place] = decision
        return True

    async def decided(self, run: str) -> Sequence[Decision]:
        found = (decision for decision in self._decisions.values() if decision.run == run)
        return tuple(sorted(found, key=lambda decision: decision.at))

    def _is_open(self, place: tuple[str, str]) -> bool:
        asked = self._questions.get(place)
        return asked is not None and place not in self._decisions and self._clock() < asked.until
