"""What goes into the state machine of a run and what comes out of it. All of it is data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fault import Fault
from .load import LoadedTool

# ------------------------------------------------------------------ events


@dataclass(frozen=True, slots=True)
class CallSucceeded:
    """A call of a tool gave a value, already checked."""

    call: str
    value: Any


@dataclass(frozen=True, slots=True)
class CallFailed:
    call: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class TimerFired:
    timer: str


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """The client wants the run to stop."""


Event = CallSucceeded | CallFailed | TimerFired | CancelRequested

# ------------------------------------------------------------------ commands


@dataclass(frozen=True, slots=True)
class StartCall:
    """Call a tool, once. `call` is unique within the run, `step` the path of the step. Answered by one event.

    `repeatable`: doing it twice is harmless, so a lost answer leaves nothing unknown.
    """

    call: str
    step: str
    tool: LoadedTool
    arguments: dict[str, Any]
    timeout_ms: int
    attempt: int
    repeatable: bool


@dataclass(frozen=True, slots=True)
class CancelCall:
    """Give up a call that only reads; no event is expected any more."""

    call: str


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Fire after `ms`, or up to the share `spread` of it earlier, as the driver draws."""

    timer: str
    ms: int
    spread: float = 0.0


@dataclass(frozen=True, slots=True)
class CancelTimer:
    timer: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the run is, in steps of the called chain; `finished` may lie between two steps."""

    message: str
    finished: float
    total: int


@dataclass(frozen=True, slots=True)
class ReportBug:
    """An exception that is a mistake of ours: for the log, never for the client."""

    step: str
    error: Exception


Command = StartCall | CancelCall | StartTimer | CancelTimer | Progress | ReportBug


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The end of a run that has a result; `summary` where the chain's output has one."""

    value: Any
    summary: str | None = None


Ending = Succeeded | Fault
