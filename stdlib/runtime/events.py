"""What goes into the state machine of a run and what comes out of it. All of it is data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .fault import Fault
from .loaded import LoadedTool
from .question import Answer, Question

Purpose = Literal["step", "reconcile", "verify", "undo"]
"""Why a tool is called: the step itself, or one of the calls around it."""

# ------------------------------------------------------------------ events


@dataclass(frozen=True, slots=True)
class CallSucceeded:
    """A call of a tool gave a value, already checked. `bytes`: of the answer. `replayed`: the value is that of an
    earlier call with the same key; nothing was called. `held`: the value is a handle's (`held.Held`)."""

    call: str
    value: Any
    bytes: int = 0
    replayed: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True)
class CallFailed:
    """`key`: the key that was sent, where the call has one."""

    call: str
    fault: Fault
    key: str | None = None


@dataclass(frozen=True, slots=True)
class PersonAnswered:
    """`at`: when, as a timestamp."""

    call: str
    answer: Answer | Fault
    at: str


@dataclass(frozen=True, slots=True)
class TimerFired:
    timer: str


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """The client wants the run to stop."""


Event = CallSucceeded | CallFailed | PersonAnswered | TimerFired | CancelRequested

# ------------------------------------------------------------------ commands


@dataclass(frozen=True, slots=True)
class StartCall:
    """Call a tool, once. `call` is unique within the run, `step` the path of the step. Answered by one event.

    `repeatable`: doing it twice is harmless, so a lost answer leaves nothing unknown. `key`: the stable key of the
    side effect, which stands in the argument `parameter`; its recorded result answers the call, where there is one.
    `held`: nobody looks into the result, so it may stay in the store.
    """

    call: str
    step: str
    tool: LoadedTool
    arguments: dict[str, Any]
    timeout_ms: int
    attempt: int
    repeatable: bool
    purpose: Purpose = "step"
    key: str | None = None
    parameter: str | None = None
    held: bool = False


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Put a question to people. Answered by one event."""

    call: str
    question: Question


@dataclass(frozen=True, slots=True)
class CancelCall:
    """Give up a call that only reads, or a question; no event is expected any more."""

    call: str


@dataclass(frozen=True, slots=True)
class CompleteReceipt:
    """What became known of a call after its answer: its receipt, and whether it was verified."""

    call: str
    receipt: Any
    verified: bool | None


@dataclass(frozen=True, slots=True)
class Happened:
    """The side effect with this key was found to have happened: this is its result."""

    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Undone:
    """The side effect with this key was taken back: its recorded result does not hold any more."""

    key: str


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


Command = (
    StartCall
    | AskPerson
    | CancelCall
    | CompleteReceipt
    | Happened
    | Undone
    | StartTimer
    | CancelTimer
    | Progress
    | ReportBug
)


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The end of a run that has a result; `summary` where the chain's output has one."""

    value: Any
    summary: str | None = None


Ending = Succeeded | Fault
