"""The state machine of a run: events in, commands out, nothing else.

`start` and `handle` are functions of what went in before: the same plan, arguments and events give the same commands,
so a run can be replayed from its events. Calls, timers, clock and chance are the driver's. Inside, a run is a tree:
frames (a chain being executed) hold blocks (bindings being executed), blocks hold activities (steps being executed).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from ..plan.model import Origin
from .evaluate import Evaluate, EvaluationFault, Scope
from .events import (
    CallFailed,
    CallSucceeded,
    CancelRequested,
    CancelTimer,
    Command,
    Ending,
    Event,
    Progress,
    ReportBug,
    StartTimer,
    Succeeded,
    TimerFired,
)
from .fault import Fault, RunFault, bounded
from .frame import Frame
from .load import LoadedPlan

ALSO_LIMIT = 20
"""Most faults of other steps that stand in the fault of a run."""


class CallListener(Protocol):
    """The activity that waits for a call."""

    def call_succeeded(self, value: Any) -> None: ...

    def call_failed(self, fault: Fault) -> None: ...


class Machine:
    """One run of one chain. `run` is the record that workflows see as `run`: { id, started_at }."""

    def __init__(self, loaded: LoadedPlan, chain_id: str, run: Mapping[str, Any]) -> None:
        self.loaded = loaded
        self.run = dict(run)
        self.calls: dict[str, CallListener] = {}
        self.ending: Ending | None = None
        self._timers: dict[str, Callable[[], None]] = {}
        self._commands: list[Command] = []
        self._agenda: deque[Callable[[], None]] = deque()
        self._done: list[str] = []
        self._also: list[Fault] = []
        self._root = Frame(self, loaded.chains[chain_id], None, "", self)

    def start(self, arguments: Mapping[str, Any]) -> list[Command]:
        """Begins with arguments that were accepted. When `ending` is set, the run is over."""
        self._root.start(arguments)
        return self._drain()

    def handle(self, event: Event) -> list[Command]:
        """What to do next. Events of calls and timers that were given up are ignored."""
        match event:
            case CallSucceeded(call=call, value=value):
                listener = self.calls.pop(call, None)
                if listener is not None:
                    listener.call_succeeded(value)
            case CallFailed(call=call, fault=fault):
                listener = self.calls.pop(call, None)
                if listener is not None:
                    listener.call_failed(fault)
            case TimerFired(timer=timer):
                action = self._timers.pop(timer, None)
                if action is not None:
                    action()
            case CancelRequested():
                self._root.stop(Fault("cancelled", "The client cancelled the call."))
        return self._drain()

    def _drain(self) -> list[Command]:
        while self._agenda:
            self._agenda.popleft()()
        commands, self._commands = self._commands, []
        return commands

    # ------------------------------------------------------------------ the end

    def frame_done(self, value: Any, summary: str | None) -> None:
        self.ending = Succeeded(value, summary)

    def frame_failed(self, fault: Fault) -> None:
        ending = fault.with_done(tuple(self._done))
        others = [each for each in self._also if each != fault][:ALSO_LIMIT]
        if others:
            told = [{"step": each.step, "class": each.fault_class, "message": each.message} for each in others]
            ending = replace(ending, details={**ending.details, "also": told})
        self.ending = ending

    # ------------------------------------------------------------------ for frames, blocks and activities

    def emit(self, command: Command) -> None:
        self._commands.append(command)

    def post(self, action: Callable[[], None]) -> None:
        """Does it after what is being done now: the depth of Python's stack stays that of the plan."""
        self._agenda.append(action)

    def set_timer(self, timer: str, ms: int, action: Callable[[], None], spread: float = 0.0) -> None:
        self._timers[timer] = action
        self.emit(StartTimer(timer, ms, spread))

    def clear_timer(self, timer: str) -> None:
        if self._timers.pop(timer, None) is not None:
            self.emit(CancelTimer(timer))

    def record_done(self, step: str) -> None:
        """A step with side effects was finished."""
        self._done.append(step)

    def record_also(self, fault: Fault) -> None:
        """A write failed while the run was already ending: reported beside the fault that ended it."""
        self._also.append(fault)

    def report_progress(self, message: str, finished: float, total: int) -> None:
        self.emit(Progress(message, finished, total))

    def evaluate(self, expression: Evaluate, scope: Scope, step: str, origin: Origin | None) -> Any:
        """The value of an expression. Raises `RunFault` with its place; an exception is a mistake of ours."""
        try:
            return expression(scope)
        except EvaluationFault as found:
            place = found.origin or origin
            raise RunFault(Fault(found.fault_class, bounded(found.message), step or None, place)) from None
        except RunFault:
            raise
        except Exception as error:
            self.emit(ReportBug(step, error))
            message = "An expression could not be evaluated; this is a mistake in the server."
            raise RunFault(Fault("internal", message, step or None, origin)) from error
