"""Going through the journal of an interrupted run again: afterwards its state machine stands where it stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from .events import (
    AskPerson,
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelTimer,
    Command,
    Event,
    Happened,
    PersonAnswered,
    StartCall,
    StartTimer,
    TimerFired,
    Undone,
)
from .machine import Machine
from .question import Question
from .store.journal import Entry, Sent
from .wait_step import EXPIRY

_LOOK_MS: Final = 5000
"""So long, in milliseconds, questions are open again: what was decided in time, while nobody drove the run, counts."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """`commands`: what is still to be done. `sent`: the calls among them that were sent before the interruption and
    whose answer nobody knows."""

    commands: list[Command]
    sent: frozenset[str]


def replay(
    machine: Machine, given: Mapping[str, Any], entries: Iterable[Entry], *, began: float, now: float
) -> Resumed:
    """Puts a new machine where the entries end. Times in seconds since the epoch; timers and questions have the rest
    of their time, questions at least `_LOOK_MS`.

    What the last entries told the ledger is told again: the process may have ended before it did so.
    """
    left = _Left()
    left.take(machine.start(given), began)
    sent: set[str] = set()
    at = began
    for entry in entries:
        if isinstance(entry, Sent):
            sent.add(entry.call)
            continue
        if entry.at != at:
            left.notes.clear()
        at = entry.at
        left.happened(entry.event)
        left.take(machine.handle(entry.event), at)
    commands: list[Command] = [*left.notes, *left.timers_from(now), *left.questions_from(now), *left.calls.values()]
    return Resumed(commands, frozenset(sent & left.calls.keys()))


class _Left:
    """Commands whose end is not known yet."""

    def __init__(self) -> None:
        self.calls: dict[str, StartCall] = {}
        self._questions: dict[str, tuple[AskPerson, float]] = {}
        self.notes: list[Happened | Undone] = []
        self._timers: dict[str, tuple[StartTimer, float]] = {}

    def take(self, commands: list[Command], at: float) -> None:
        for command in commands:
            match command:
                case StartCall(call=call):
                    self.calls[call] = command
                case AskPerson(call=call):
                    self._questions[call] = command, at
                case StartTimer(timer=timer):
                    self._timers[timer] = command, at
                case CancelCall(call=call):
                    self._answered(call)
                case CancelTimer(timer=timer):
                    self._timers.pop(timer, None)
                case Happened() | Undone():
                    self.notes.append(command)

    def happened(self, event: Event) -> None:
        match event:
            case CallSucceeded(call=call) | CallFailed(call=call) | PersonAnswered(call=call):
                self._answered(call)
            case TimerFired(timer=timer):
                self._timers.pop(timer, None)

    def _answered(self, call: str) -> None:
        self.calls.pop(call, None)
        self._questions.pop(call, None)

    def timers_from(self, now: float) -> list[StartTimer]:
        expiries = {f"{EXPIRY}{asked.question.step}" for asked, _ in self._questions.values()}
        return [
            replace(timer, ms=_rest(timer.ms, at, now, _LOOK_MS if name in expiries else 0))
            for name, (timer, at) in self._timers.items()
        ]

    def questions_from(self, now: float) -> list[AskPerson]:
        return [replace(asked, question=_open_again(asked.question, at, now)) for asked, at in self._questions.values()]


def _open_again(question: Question, at: float, now: float) -> Question:
    return replace(question, timeout_ms=_rest(question.timeout_ms, at, now, _LOOK_MS))


def _rest(ms: int, at: float, now: float, least: int) -> int:
    return max(min(ms, least), ms - max(0, round((now - at) * 1000)))
