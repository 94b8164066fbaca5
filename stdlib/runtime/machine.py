"""The state machine of a run: events in, commands out, nothing else.

`start` and `handle` are functions of what went in before: the same plan, arguments and events give the same commands,
so a run can be replayed from its events. Calls, timers, clock and chance are the driver's. Inside, a run is a tree:
frames (a chain being executed) hold blocks (bindings being executed), blocks hold activities (steps being executed).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
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
    PersonAnswered,
    Progress,
    ReportBug,
    StartTimer,
    Succeeded,
    TimerFired,
    Undone,
)
from .fault import DONE_LIMIT, Fault, RunFault, bounded
from .frame import Frame
from .held import Held
from .keys import KeyPath
from .loaded import LoadedPlan
from .question import Answer
from .slots import Slots
from .undo import Completed, Undoing, within

ALSO_LIMIT = 20
"""Most faults of other steps that stand in the fault of a run."""


class CallListener(Protocol):
    """What waits for a call."""

    def call_succeeded(self, value: Any, size: int, replayed: bool) -> None: ...

    def call_failed(self, fault: Fault, key: str | None) -> None: ...

    @property
    def writes(self) -> str | None:
        """The step, where the call may change something."""


class PersonListener(Protocol):
    """The step that waits for a person."""

    def answered(self, answer: Answer | Fault, at: str) -> None: ...


class Machine:
    """One run of one chain. `run` is the record that workflows see as `run`: { id, started_at }. `request_key`: what
    the keys of its side effects are made of; None: a request that is like no other. `held`: what its steps have put
    into the store."""

    def __init__(
        self, loaded: LoadedPlan, chain_id: str, run: Mapping[str, Any], request_key: str | None = None
    ) -> None:
        self.loaded = loaded
        self.run = dict(run)
        self.calls: dict[str, CallListener] = {}
        self.questions: dict[str, PersonListener] = {}
        self.slots = Slots()
        self.replayed: list[str] = []
        self.held: list[Held] = []
        self.started = False
        self.ending: Ending | None = None
        self._timers: dict[str, Callable[[], None]] = {}
        self._commands: list[Command] = []
        self._agenda: deque[Callable[[], None]] = deque()
        self._stack: list[Completed] = []
        self._undoings = 0
        self._done: list[str] = []
        self._undone: list[str] = []
        self._not_undone: list[Mapping[str, str]] = []
        self._also: list[Fault] = []
        self._in_doubt: list[str] = []
        keys = KeyPath(str(self.run["id"]) if request_key is None else request_key, (chain_id,))
        self._root = Frame(self, loaded.chains[chain_id], None, "", keys, self)

    def start(self, arguments: Mapping[str, Any]) -> list[Command]:
        """Begins with arguments that were accepted. When `ending` is set, the run is over."""
        self.started = True
        self._root.start(arguments)
        return self._drain()

    def handle(self, event: Event) -> list[Command]:
        """What to do next. Events of calls, questions and timers that were given up are ignored."""
        match event:
            case CallSucceeded(call=call, value=value, bytes=size, replayed=replayed, held=held):
                if held:
                    value = Held(value)
                    self.held.append(value)
                listener = self.calls.pop(call, None)
                if listener is not None:
                    listener.call_succeeded(value, size, replayed)
            case CallFailed(call=call, fault=fault, key=key):
                listener = self.calls.pop(call, None)
                if listener is not None:
                    listener.call_failed(fault, key)
            case PersonAnswered(call=call, answer=answer, at=at):
                asking = self.questions.get(call)
                if asking is not None:
                    asking.answered(answer, at)
            case TimerFired(timer=timer):
                action = self._timers.pop(timer, None)
                if action is not None:
                    action()
            case CancelRequested():
                self._root.stop(Fault("cancelled", "The client cancelled the call."))
        return self._drain()

    def _drain(self) -> list[Command]:
        while True:
            while self._agenda:
                self._agenda.popleft()()
            self.slots.fill()
            if not self._agenda:
                break
        commands, self._commands = self._commands, []
        return commands

    # ------------------------------------------------------------------ the end

    def frame_done(self, value: Any, summary: str | None) -> None:
        self.ending = Succeeded(value, summary)

    def frame_failed(self, fault: Fault) -> None:
        self.unwind("", partial(self._fail, fault))

    def _fail(self, fault: Fault) -> None:
        ending = fault.of_run(self._done, self._undone, self._not_undone)
        others = [each for each in self._also if each != fault][:ALSO_LIMIT]
        if others:
            told = [{"step": each.step, "class": each.fault_class, "message": each.message} for each in others]
            ending = replace(ending, details={**ending.details, "also": told})
        doubts = [each for each in self._in_doubt if each != fault.step][:DONE_LIMIT]
        if doubts:
            ending = replace(ending, details={**ending.details, "in_doubt": doubts})
        self.ending = ending

    def broken(self, fault: Fault, given_up: Collection[str]) -> Fault:
        """The fault of a run that ends where it stands, and takes nothing back. `given_up`: what was sent and not
        answered."""
        for call, listener in self.calls.items():
            if call in given_up and listener.writes is not None:
                self.record_in_doubt(listener.writes)
        self._fail(fault)
        assert isinstance(self.ending, Fault)
        return self.ending

    # ------------------------------------------------------------------ what can be taken back

    def push(self, step: Completed) -> None:
        """A step that has an undo was done."""
        self._stack.append(step)

    def unwind(self, path: str, then: Callable[[], None]) -> None:
        """Takes back what was done within a step (all of it where the path is empty), then goes on."""
        taken = [each for each in self._stack if within(each.path, path)]
        if not taken:
            then()
            return
        self._stack = [each for each in self._stack if not within(each.path, path)]
        self._undoings += 1
        Undoing(self, str(self._undoings), taken, then).start()

    def record_done(self, step: str) -> None:
        """A step with side effects was finished."""
        self._done.append(step)

    def record_undone(self, step: str, key: str | None) -> None:
        self._undone.append(step)
        self._done = [each for each in self._done if each != step]
        if key is not None:
            self.emit(Undone(key))

    def record_not_undone(self, step: str, reason: str) -> None:
        self._not_undone.append({"step": step, "reason": bounded(reason)})

    def record_in_doubt(self, step: str) -> None:
        """It is unknown whether a step that cannot be taken back has happened."""
        self._in_doubt.append(step)

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
