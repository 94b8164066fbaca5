"""Everything outside that a run uses: tools, people, what side effects gave before; clock, chance, ids."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .events import Progress
from .gates.gates import Gates
from .gates.principal import Who
from .people import Nobody, People
from .result import ToolAnswer
from .sending import Sending
from .spans import NO_SPANS, Spans
from .store import Store

OnProgress = Callable[[Progress], Awaitable[None]]


class Tools(Protocol):
    """The way out to primitive tools."""

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """Calls the tool `key` of a source, once; `timeout` in seconds, starting its server included.

        Raises `RunFault`: `timeout`, `unavailable`, `contract_drift`, `tool_error` …; its `sent` is False where the
        request certainly did not reach the tool.
        """


@dataclass(frozen=True, slots=True)
class Ambient:
    """Clock (seconds since the epoch), chance (0 to 1) and new ids: whatever a run must not take from elsewhere.
    `spans`: where runs and calls are told to those who trace."""

    clock: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    new_id: Callable[[], str] = field(default=lambda: f"run_{secrets.token_hex(16)}")
    spans: Spans = NO_SPANS


@dataclass(frozen=True, slots=True)
class World:
    """`gates`: what may be called, `who`: on whose behalf."""

    tools: Tools
    store: Store
    gates: Gates
    who: Who = field(default_factory=Who)
    people: People = field(default_factory=Nobody)
    ambient: Ambient = field(default_factory=Ambient)

    @property
    def sending(self) -> Sending:
        return Sending(self.gates.loaded, self.store, self.who.owner, self.tools)
