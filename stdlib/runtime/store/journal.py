"""The journal of runs: what a run was begun with and everything that happened to it since.

A run is a pure function of its plan, its arguments and its events, so the journal is all that it takes to go on after
the process was killed. An event is written before anything that follows from it is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ..events import Event
from ..principal import Owner
from ..receipt import Receipt

RunState = Literal["running", "parked", "succeeded", "failed"]
"""`parked`: nothing is under way, a person is awaited."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What a run was begun with. `started`: seconds since the epoch. `plan`: the digest of its plan, which the store
    keeps. `given`: the accepted arguments, handles resolved. `request`: the digest that its keys are made of, None
    where no step has a key. `version`: of the adapter that the call was made for, and `old` what that one sees."""

    run: str
    chain: str
    plan: str
    owner: Owner
    started: float
    given: Mapping[str, Any]
    request: str | None = None
    version: str | None = None
    old: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A call with a side effect is about to be sent. Without an event that answers it, its outcome is unknown."""

    call: str
    at: float


@dataclass(frozen=True, slots=True)
class Happening:
    """An event, and when it was handled, in seconds since the epoch."""

    event: Event
    at: float


Entry = Happening | Sent


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: its result as clients get it (the wire form), or the fault as JSON."""

    at: float
    wire: Mapping[str, Any] | None
    fault: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as lists show it."""

    begun: Begun
    state: RunState
    ended: Ended | None = None


class NoSuchRun(LookupError):
    """There is no run of this id that goes on and is driven from here."""


class Journal(Protocol):
    """Runs by id. What a call returns from is on the disk, where the store has one. `append`, `park` and `end` raise
    `NoSuchRun`, so that nobody who has lost a run goes on with it."""

    async def begin(self, begun: Begun, plan: str) -> None:
        """`plan`: the JSON text of the plan, kept once per digest while a run needs it."""

    async def append(self, run: str, entries: Sequence[Entry], receipts: Sequence[Receipt] = ()) -> None:
        """Writes these in this order, all or none of them."""

    async def park(self, run: str, parked: bool) -> None:
        """Whether the run only waits for people now."""

    async def end(self, run: str, ended: Ended, receipts: Sequence[Receipt] = ()) -> None:
        """The run is over; its entries may be forgotten, its receipts stay."""

    async def keep(self, begun: Begun, ended: Ended, receipts: Sequence[Receipt]) -> None:
        """Begin and end in one: a run that only reads is written when it is over."""

    async def adopt(self) -> Sequence[Begun]:
        """The runs that have not ended and that no living process drives, oldest first; they are ours from now on.
        Never given to two."""

    async def entries(self, run: str) -> Sequence[Entry]:
        """Everything that was appended, in order."""

    async def plan(self, digest: str) -> str | None:
        """The JSON text of a plan that a run needs."""

    async def runs(self, *, limit: int = 100, state: RunState | None = None) -> Sequence[RunRow]:
        """The newest ones first."""

    async def run(self, run: str) -> RunRow | None: ...

    async def receipts(self, run: str) -> Sequence[Receipt]:
        """The receipts of a run, in the order in which they were written. Append-only: none is ever changed."""
