"""One run of the state machine in virtual time: answers take drawn times, come twice, or come when nobody waits."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from random import Random
from typing import Any

from stdlib.runtime.events import (
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelRequested,
    CancelTimer,
    Ending,
    Event,
    ReportBug,
    StartCall,
    StartTimer,
    TimerFired,
)
from stdlib.runtime.fault import Fault
from stdlib.runtime.gates.side_effect import known_outcome
from stdlib.runtime.loaded import LoadedPlan
from stdlib.runtime.machine import Machine
from tests.dags.sketch import Program
from tests.dags.tool import fails, value_of

RUN = {"id": "run_1", "started_at": "2026-06-01T08:00:00Z"}
FAULTS = {
    "unavailable": Fault("unavailable", "It is down.", sent=False),
    "tool_error": Fault("tool_error", "No."),
    "lost": Fault("timeout", "There was no answer."),
}


@dataclass
class Flight:
    """One call: when it started and ended, in numbers of events. `ended` None: it was given up at `given_up`.
    `unknown`: whether it happened is unknown."""

    command: StartCall
    started: int
    ended: int | None = None
    given_up: int | None = None
    ok: bool = False
    unknown: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return self.command.step, self.command.attempt

    @property
    def is_undo(self) -> bool:
        return self.command.purpose == "undo"

    @property
    def tool(self) -> str:
        return self.command.tool.plan.name

    @property
    def over(self) -> int:
        end = self.ended if self.ended is not None else self.given_up
        assert end is not None
        return end


class Ride:
    """`cancel`: at which event the client gives up; None: never. After `go`, `flights` has every call."""

    def __init__(self, program: Program, loaded: LoadedPlan, chance: Random, cancel: int | None = None) -> None:
        self.program = program
        self.machine = Machine(loaded, "root", RUN)
        self.flights: list[Flight] = []
        self.flying: dict[str, Flight] = {}
        self._chance = chance
        self._cancel = cancel
        self._count = 0
        self._clock = 0.0
        self._queue: list[tuple[float, float, int, Event]] = []
        self._numbers = itertools.count()
        self._dead_timers: set[int] = set()
        self._timers: dict[str, int] = {}
        self._pace = chance.choice((1, 5, 100))

    @property
    def ending(self) -> Ending:
        assert self.machine.ending is not None
        return self.machine.ending

    def go(self) -> Ending:
        """The ending."""
        self._carry_out(self.machine.start({"n": 7}))
        while self.machine.ending is None:
            assert self._queue, "the machine waits for nothing"
            self._clock, _, number, event = heapq.heappop(self._queue)
            if number in self._dead_timers:
                continue
            self._count += 1
            assert self._count < 20_000, "the run goes round in circles"
            if self._count == self._cancel:
                self._carry_out(self.machine.handle(CancelRequested()))
                if number in self._dead_timers:
                    continue
            self._note(event)
            self._carry_out(self.machine.handle(event))
        assert not self.flying, "a run ends when nothing is under way"
        assert not self._timers, f"a run ends without timers: {sorted(self._timers)}"
        return self.ending

    def _carry_out(self, commands: list[Any]) -> None:
        for command in commands:
            match command:
                case StartCall(call=call):
                    flight = Flight(command, self._count)
                    assert call not in self.flying, f"{call} is started twice"
                    self.flying[call] = flight
                    self.flights.append(flight)
                    self._later(self._chance.randint(0, self._pace), self._answer(flight))
                case CancelCall(call=call):
                    flight = self.flying.pop(call)
                    assert flight.tool == "read", "a write is never given up"
                    flight.given_up = self._count
                case StartTimer(timer=timer, ms=ms, spread=spread):
                    assert timer not in self._timers, f"the timer {timer} is started twice"
                    self._timers[timer] = self._later(ms * (1 - spread * self._chance.random()), TimerFired(timer))
                case CancelTimer(timer=timer):
                    self._dead_timers.add(self._timers.pop(timer))
                case ReportBug(error=error):
                    raise error

    def _later(self, ms: float, event: Event) -> int:
        number = next(self._numbers)
        heapq.heappush(self._queue, (self._clock + ms, self._chance.random(), number, event))
        return number

    def _answer(self, flight: Flight) -> Event:
        command = flight.command
        if fails(self.program, flight.tool, command.arguments, tries_of(command)):
            fault = known_outcome(FAULTS[self.program.mode], command.tool.label, command.repeatable)
            flight.unknown = fault.sent and fault.fault_class != "tool_error"
            return CallFailed(command.call, fault)
        flight.ok = True
        return CallSucceeded(command.call, value_of(flight.tool, command.arguments))

    def _note(self, event: Event) -> None:
        """What the driver knows before the machine hears of it."""
        if isinstance(event, TimerFired):
            del self._timers[event.timer]
        elif isinstance(event, CallSucceeded | CallFailed):
            flight = self.flying.pop(event.call, None)
            if flight is not None:
                flight.ended = self._count
                if self._chance.random() < 0.1:
                    self._later(self._chance.randint(0, self._pace), event)


def tries_of(command: StartCall) -> int:
    """How often the step of a call, and the steps around it, were tried before."""
    around = [int(part.split(".")[0].split("[")[0]) - 1 for part in command.step.split("~")[1:]]
    return sum(around) + command.attempt - 1
