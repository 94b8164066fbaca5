"""The journal of runs: what a run was begun with and everything that happened to it since.

A run is a pure function of its plan, its arguments and its events, so the journal is all that it takes to go on after
the process was killed. An event is written before anything that follows from it is done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from ..events import Event
from ..principal import Owner
from ..receipt import Receipt

RunState = Literal["running", "parked", "interrupted", "succeeded", "failed"]
"""`parked`: nothing is under way, a person is awaited. `interrupted`: not over, and no living process drives it; it
goes on when somebody adopts it."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What a run was begun with. `started`: seconds since the epoch. `plan`: the digest of its plan, which the store
    keeps. `given`: the accepted arguments, handles resolved. `request`: the digest that its keys are made of, None
    where no step has a key. `version`: of the adapter that the call was made for, and `old` what that one sees. `held`:
    which of `given` stay in the store (`held.Held`)."""

    run: str
    chain: str
    plan: str
    owner: Owner
    started: float
    given: Mapping[str, Any]
    request: str | None = None
    version: str | None = None
    old: Mapping[str, Any] | None = None
    held: Sequence[str] = ()

    def without_arguments(self) -> Begun:
        """What is kept of it when the run is over."""
        return replace(self, given={}, old=None, held=())


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

Recorded = tuple[int, Receipt]
"""A receipt and its number: later ones have greater numbers, and no number is given twice."""


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


@dataclass(frozen=True, slots=True)
class Forgotten:
    """That somebody had old runs removed. `by`: who. `before`: those that had ended before, in seconds since the
    epoch. `runs` and `receipts`: how many."""

    by: str
    at: float
    before: float
    runs: int
    receipts: int


class NoSuchRun(LookupError):
    """There is no run of this id that goes on and is driven from here."""


class Journal(Protocol):
    """Runs by id. What a call returns from is on the disk, where the store has one. `append`, `park`, `end` and
    `give_back` raise `NoSuchRun`, so that nobody who has lost a run goes on with it."""

    async def begin(self, begun: Begun, plan: str) -> None:
        """`plan`: the JSON text of the plan, kept once per digest while a run needs it."""

    async def append(self, run: str, entries: Sequence[Entry], receipts: Sequence[Receipt] = ()) -> None:
        """Writes these in this order, all or none of them."""

    async def park(self, run: str, parked: bool) -> None:
        """Whether the run only waits for people now."""

    async def end(self, run: str, ended: Ended, receipts: Sequence[Receipt] = ()) -> None:
        """The run is over: its arguments and its entries are let go, its receipts stay."""

    async def keep(self, begun: Begun, ended: Ended, receipts: Sequence[Receipt]) -> None:
        """Begin and end in one: a run that only reads is written when it is over."""

    async def adopt(self) -> Sequence[Begun]:
        """The runs that have not ended and that no living process drives, oldest first; they are ours from now on.
        Never given to two."""

    async def give_back(self, run: str) -> None:
        """Nobody drives the run from now on: it can be adopted again, by whoever comes next."""

    async def entries(self, run: str) -> Sequence[Entry]:
        """Everything that was appended, in order."""

    async def plan(self, digest: str) -> str | None:
        """The JSON text of a plan that a run needs."""

    async def runs(
        self, *, limit: int = 100, state: RunState | None = None, chain: str | None = None
    ) -> Sequence[RunRow]:
        """The newest ones first."""

    async def run(self, run: str) -> RunRow | None: ...

    async def receipts(self, run: str) -> Sequence[Receipt]:
        """The receipts of a run, in the order in which they were written. Append-only: none is ever changed."""

    async def record(self, runs: Collection[str] = (), *, after: int = 0, limit: int = 1000) -> Sequence[Recorded]:
        """The receipts of these runs, of all where none is named, in the order in which they were written: the next
        ones after a number."""

    async def forget(self, before: float, by: str, *, interrupted: bool = False) -> Forgotten:
        """Removes the runs that ended before, in seconds since the epoch, with their receipts, and keeps that `by` did
        so. `interrupted`: also those that began before and that nobody drives; they never go on. The one way in which
        receipts go: an act of the owner, never of a server."""

    async def forgotten(self) -> Sequence[Forgotten]:
        """What was removed, the oldest first."""
