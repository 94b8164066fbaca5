"""Runs a state machine: does its calls, lets its timers fire, and leaves nothing behind."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup

from .events import (
    AskPerson,
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelRequested,
    CancelTimer,
    Command,
    CompleteReceipt,
    Ending,
    Event,
    Happened,
    PersonAnswered,
    Progress,
    ReportBug,
    StartCall,
    StartTimer,
    TimerFired,
    Undone,
)
from .fault import Fault, RunFault
from .keys import fitted
from .ledger import Claim
from .machine import Machine
from .question import Answer
from .receipt import timestamp
from .record import Record
from .result import NOTHING, read_sized, reads_slowly
from .watch import Watch, unwatched, watched_by
from .world import OnProgress, World
from .world import Tools as Tools

log = logging.getLogger("chainc.run")


class Driver:
    """Drives one machine. Under cancellation reads and questions are given up and writes awaited (each has its
    timeout)."""

    def __init__(
        self,
        machine: Machine,
        world: World,
        record: Record,
        *,
        result_bytes: int,
        on_progress: OnProgress | None,
        watch: Watch = unwatched,
    ) -> None:
        self._machine = machine
        self._world = world
        self._record = record
        self._result_bytes = result_bytes
        self._on_progress = on_progress
        self._watch = watched_by(watch)
        self._events: deque[Event] = deque()
        self._wake = anyio.Event()
        self._scopes: dict[str, anyio.CancelScope] = {}

    async def run(self, arguments: dict[str, Any]) -> Ending:
        """The end of the run. When the caller is cancelled, the run is brought to an end first."""
        async with anyio.create_task_group() as group:
            try:
                await self._loop(group, self._machine.start(arguments))
            except anyio.get_cancelled_exc_class():
                with anyio.CancelScope(shield=True):
                    await self._loop(group, self._heard(CancelRequested()))
                raise
            finally:
                for scope in list(self._scopes.values()):
                    scope.cancel()
        assert self._machine.ending is not None
        return self._machine.ending

    async def _loop(self, group: TaskGroup, commands: list[Command]) -> None:
        """Until the run has ended. A cancellation may arrive at any `await` here: none stands between two commands."""
        while True:
            for command in commands:
                self._watch(command)
                self._carry_out(group, command)
            for command in commands:
                if isinstance(command, Progress):
                    await self._report(command)
            if self._machine.ending is not None:
                return
            while not self._events:
                self._wake = anyio.Event()
                await self._wake.wait()
            commands = self._heard(self._events.popleft())

    def _heard(self, event: Event) -> list[Command]:
        self._watch(event)
        return self._machine.handle(event)

    def _tell(self, event: Event) -> None:
        self._events.append(event)
        self._wake.set()

    def _carry_out(self, group: TaskGroup, command: Command) -> None:
        match command:
            case StartCall():
                # Shielded: a write is given up by its own timeout only, also when the client is gone.
                scope = self._scopes[command.call] = anyio.CancelScope(shield=True)
                group.start_soon(self._call, command, scope)
            case AskPerson():
                scope = self._scopes[command.call] = anyio.CancelScope()
                group.start_soon(self._ask, command, scope)
            case StartTimer(timer=timer, ms=ms, spread=spread):
                scope = self._scopes[timer] = anyio.CancelScope()
                seconds = ms / 1000 * (1 - spread * self._world.ambient.chance())
                group.start_soon(self._sleep, timer, seconds, scope)
            case CancelCall(call=name) | CancelTimer(timer=name):
                if name in self._scopes:
                    self._scopes[name].cancel()
            case CompleteReceipt(call=call, receipt=receipt, verified=verified):
                self._record.complete(call, receipt, verified)
            case Happened() | Undone():
                group.start_soon(self._note_in_ledger, command)
            case ReportBug(step=step, error=error):
                log.error("a mistake of ours at step %s", step, exc_info=error)

    async def _sleep(self, timer: str, seconds: float, scope: anyio.CancelScope) -> None:
        with scope:
            await anyio.sleep(seconds)
            self._tell(TimerFired(timer))
        self._forget(timer, scope)

    def _forget(self, name: str, scope: anyio.CancelScope) -> None:
        if self._scopes.get(name) is scope:
            del self._scopes[name]

    # ------------------------------------------------------------------ tools

    async def _call(self, command: StartCall, scope: anyio.CancelScope) -> None:
        started = self._world.ambient.clock()
        event: CallSucceeded | CallFailed | None = None
        with scope:
            event = await self._answered(command)
        ended = self._world.ambient.clock()
        given_up = CallFailed(command.call, Fault("cancelled", "The call was given up."), command.key)
        self._record.called(command, event or given_up, started, ended)
        if event is not None:
            self._tell(event)
        self._forget(command.call, scope)

    async def _answered(self, command: StartCall) -> CallSucceeded | CallFailed:
        """With a key the ledger is asked first and told afterwards."""
        if command.key is None:
            return await self._once(command, command.arguments, None)
        ledger = self._world.ledger
        claim = await ledger.claim(command.key)
        if claim.recorded is not NOTHING:
            return CallSucceeded(command.call, claim.recorded, replayed=True)
        event: CallSucceeded | CallFailed | None = None
        try:
            event = await self._once(command, _sent(command, claim), claim.sends)
        finally:
            with anyio.CancelScope(shield=True):
                if isinstance(event, CallSucceeded):
                    await ledger.record(claim, event.value)
                else:
                    await ledger.release(claim)
        return event

    async def _once(self, command: StartCall, arguments: dict[str, Any], key: str | None) -> CallSucceeded | CallFailed:
        tool = command.tool
        try:
            answer = await self._world.tools.call(tool.source, tool.key, arguments, command.timeout_ms / 1000)
            read = partial(read_sized, tool.label, tool.reading, answer, self._result_bytes)
            value, size = await anyio.to_thread.run_sync(read) if reads_slowly(tool.reading, answer) else read()
        except RunFault as found:
            return CallFailed(command.call, known_outcome(found.fault, tool.label, command.repeatable), key)
        except Exception as error:
            log.error("a mistake of ours in a call of %s", tool.label, exc_info=error)
            fault = Fault("internal", f"The call of {tool.label} went wrong in the server.")
            return CallFailed(command.call, fault, key)
        return CallSucceeded(command.call, value, size)

    async def _note_in_ledger(self, command: Happened | Undone) -> None:
        with anyio.CancelScope(shield=True):
            if isinstance(command, Undone):
                await self._world.ledger.undone(command.key)
            else:
                await self._world.ledger.record(Claim(command.key, command.key), command.value)

    # ------------------------------------------------------------------ people

    async def _ask(self, command: AskPerson, scope: anyio.CancelScope) -> None:
        question, people = command.question, self._world.people
        with scope:
            answer: Answer | Fault
            try:
                answer = await (people.approve(question) if question.kind == "approve" else people.ask(question))
            except RunFault as found:
                answer = found.fault
            except Exception as error:
                log.error("a mistake of ours at the question %s", question.step, exc_info=error)
                answer = Fault("internal", f"The question `{question.step}` could not be put to anybody.")
            at = self._world.ambient.clock()
            self._record.answered(question, answer, at)
            self._tell(PersonAnswered(command.call, answer, timestamp(at)))
        self._forget(command.call, scope)

    async def _report(self, progress: Progress) -> None:
        """Progress is a courtesy: when telling it fails or takes long, the run goes on."""
        if self._on_progress is None:
            return
        try:
            with anyio.move_on_after(1.0):
                await self._on_progress(progress)
        except Exception as error:
            log.debug("progress could not be reported", exc_info=error)


def _sent(command: StartCall, claim: Claim) -> dict[str, Any]:
    if claim.sends == claim.key or command.parameter is None:
        return command.arguments
    schema = command.tool.plan.input_schema.get("properties", {}).get(command.parameter, {})
    return {**command.arguments, command.parameter: fitted(claim.sends, schema)}


def known_outcome(fault: Fault, label: str, repeatable: bool) -> Fault:
    """The fault itself, or `unknown_outcome` where a call that must not be repeated was sent and not answered."""
    if repeatable or not fault.sent or fault.fault_class not in ("timeout", "unavailable"):
        return fault
    message = f"It is unknown whether {label} has happened: {fault.message}"
    return replace(
        fault, fault_class="unknown_outcome", message=message, details={**fault.details, "cause": fault.fault_class}
    )
