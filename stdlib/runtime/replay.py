"""Going through the journal of an interrupted run again: afterwards its state machine stands where it stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

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
from .store.journal import Entry, Sent


@dataclass(frozen=True, slots=True)
class Resumed:
    """`commands`: what is still to be done. `sent`: the calls among them that were sent before the interruption and
    whose answer nobody knows."""

    commands: list[Command]
    sent: frozenset[str]


def replay(
    machine: Machine, given: Mapping[str, Any], entries: Iterable[Entry], *, began: float, now: float
) -> Resumed:
    """Puts a new machine where the entries end. Times in seconds since the epoch; a timer has the rest of its time.

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
    commands: list[Command] = [*left.notes, *left.timers_from(now), *left.questions.values(), *left.calls.values()]
    return Resumed(commands, frozenset(sent & left.calls.keys()))


class _Left:
    """Commands whose end is not known yet."""

    def __init__(self) -> None:
        self.calls: dict[str, StartCall] = {}
        self.questions: dict[str, AskPerson] = {}
        self.notes: list[Happened | Undone] = []
        self._timers: dict[str, tuple[StartTimer, float]] = {}

    def take(self, commands: list[Command], at: float) -> None:
        for command in commands:
            match command:
                case StartCall(call=call):
                    self.calls[call] = command
                case AskPerson(call=call):
                    self.questions[call] = command
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
        self.questions.pop(call, None)

    def timers_from(self, now: float) -> list[StartTimer]:
        return [
            replace(timer, ms=max(0, timer.ms - max(0, round((now - at) * 1000))))
            for timer, at in self._timers.values()
        ]
