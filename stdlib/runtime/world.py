"""Everything outside that a run uses: tools, people, what side effects gave before; clock, chance, ids."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .events import Progress
from .ledger import Ledger, MemoryLedger
from .people import Nobody, People
from .receipt import timestamp
from .result import ToolAnswer

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
    """Clock (seconds since the epoch), chance (0 to 1) and new ids: whatever a run must not take from elsewhere."""

    clock: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    new_id: Callable[[], str] = field(default=lambda: f"run_{secrets.token_hex(16)}")

    def new_run(self) -> dict[str, Any]:
        """What workflows see as `run`."""
        return {"id": self.new_id(), "started_at": timestamp(self.clock())}


@dataclass(frozen=True, slots=True)
class World:
    tools: Tools
    people: People = field(default_factory=Nobody)
    ledger: Ledger = field(default_factory=MemoryLedger)
    ambient: Ambient = field(default_factory=Ambient)
