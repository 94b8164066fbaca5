"""The steps of a run as they are seen from outside while it goes on: what began, waits, ended, and how."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from stdlib.runtime.events import (
    AskPerson,
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelRequested,
    CancelTimer,
    Command,
    Event,
    PersonAnswered,
    Progress,
    StartCall,
    StartTimer,
    TimerFired,
)
from stdlib.runtime.fault import Fault

State = Literal["ahead", "running", "done", "skipped", "failed", "stopped"]
_WAIT = "wait:"
_TOP = re.compile(r"[^.\[~:]+")


@dataclass(frozen=True, slots=True)
class Wait:
    """Something of a step that has not ended. `what`: the tool, the fault that is waited for to pass, the question.

    `kind`: a call, a wait until `until` before attempt `attempt`, or a person who is asked."""

    kind: Literal["call", "retry", "person"]
    what: str
    attempt: int = 1
    until: float = 0.0
    purpose: str = "step"


@dataclass(slots=True)
class Step:
    """A step of the chain that was called, with all that belongs to it: items, steps of chains that it calls.

    Times are seconds of the clock. `retries`: further attempts; `faults`: calls that failed; `fault`: the class of the
    last one. `undone`: calls that took something back. `part`: how far a loop is, in words.
    """

    name: str
    state: State = "ahead"
    started: float | None = None
    ended: float | None = None
    waits: dict[str, Wait] = field(default_factory=dict)
    calls: int = 0
    retries: int = 0
    faults: int = 0
    undone: int = 0
    fault: str | None = None
    part: str = ""

    def seconds(self, now: float) -> float | None:
        """How long it took, or has taken so far; None where it has not begun."""
        return None if self.started is None else (now if self.ended is None else self.ended) - self.started


class Steps:
    """Watches a run (`stdlib.runtime.watch`). `names`: the steps of the chain, in the order of the text.

    May be read by another thread while `lock` is held.
    """

    def __init__(self, names: Iterable[str], clock: Callable[[], float] = time.monotonic) -> None:
        self.lock = threading.Lock()
        self.clock = clock
        self.began = clock()
        self.stopping = False
        self.over = False
        self.all = {name: Step(name) for name in names}

    def __call__(self, seen: Command | Event, /) -> None:
        with self.lock:
            self._see(seen)

    def end(self, fault: Fault | None) -> None:
        """The run is over; with a fault what had begun and was not finished has failed, or was given up."""
        with self.lock:
            now, self.over = self.clock(), True
            guilty = None if fault is None or fault.step is None else _top(fault.step)
            for step in self.all.values():
                step.waits.clear()
                if step.name == guilty and fault is not None:
                    step.fault = fault.fault_class
                    self._settle(step, "failed", now)
                elif step.state == "running":
                    self._settle(step, "stopped", now)

    # ------------------------------------------------------------------ what is seen

    def _see(self, seen: Command | Event) -> None:
        match seen:
            case StartCall(call=call, step=path, tool=tool, attempt=attempt, purpose=purpose):
                step = self._begun(path)
                if step is not None:
                    step.retries += attempt > 1 and purpose == "step"
                    step.waits[call] = Wait("call", tool.label.strip("`"), attempt, purpose=purpose)
            case AskPerson(call=call, question=question):
                step = self._begun(question.step)
                if step is not None:
                    step.waits[call] = Wait("person", question.by or "you")
            case CallSucceeded(call=call):
                self._called(call, None)
            case CallFailed(call=call, fault=fault):
                self._called(call, fault.fault_class)
            case PersonAnswered(call=name) | CancelCall(call=name):
                self._ended(name)
            case StartTimer(timer=timer, ms=ms) if timer.startswith(_WAIT):
                path, _, before = timer.removeprefix(_WAIT).rpartition("#")
                step = self._step(path)
                if step is not None:
                    until = self.clock() + ms / 1000
                    step.waits[timer] = Wait("retry", step.fault or "a fault", int(before) + 1, until)
            case TimerFired(timer=timer) | CancelTimer(timer=timer) if timer.startswith(_WAIT):
                self._ended(timer)
            case CancelRequested():
                self.stopping = True
            case Progress(message=message):
                self._progress(message)

    def _progress(self, message: str) -> None:
        name, colon, part = message.partition(": ")
        if colon and name in self.all:
            self.all[name].part = part
            return
        name, _, outcome = message.rpartition(" ")
        step = self.all.get(name)
        if step is not None:
            step.waits.clear()
            self._settle(step, "skipped" if outcome == "skipped" else "done", self.clock())

    def _step(self, path: str) -> Step | None:
        return self.all.get(_top(path))

    def _begun(self, path: str) -> Step | None:
        step = self._step(path)
        if step is not None and step.state == "ahead":
            step.state, step.started = "running", self.clock()
        return step

    def _ended(self, name: str) -> tuple[Step, Wait] | None:
        """What was under way and is no more; None where it was given up before."""
        step = self._step(name.removeprefix(_WAIT))
        wait = None if step is None else step.waits.pop(name, None)
        return None if step is None or wait is None else (step, wait)

    def _called(self, call: str, fault: str | None) -> None:
        found = self._ended(call)
        if found is None:
            return
        step, wait = found
        if wait.purpose == "undo":
            step.undone += fault is None
            return
        step.calls += 1
        if fault is not None:
            step.faults, step.fault = step.faults + 1, fault

    def _settle(self, step: Step, state: State, now: float) -> None:
        step.state = state
        if step.started is not None and step.ended is None:
            step.ended = now


def _top(path: str) -> str:
    """The step of the called chain that a path (`rows[3].hits`, `pay:undo#1`) lies in."""
    found = _TOP.match(path)
    return found[0].partition("#")[0] if found else path
