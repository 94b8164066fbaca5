"""Runs a state machine: does its calls, lets its timers fire, and leaves nothing behind."""

from __future__ import annotations

import logging
import math
import random
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import anyio
from anyio.abc import TaskGroup

from ..values.time import NANOS, Timestamp, write_timestamp
from .events import (
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelRequested,
    CancelTimer,
    Command,
    Ending,
    Event,
    Progress,
    ReportBug,
    StartCall,
    StartTimer,
    TimerFired,
)
from .fault import Fault, RunFault
from .machine import Machine
from .result import ToolAnswer, read_answer

log = logging.getLogger("chainc.run")

OnProgress = Callable[[Progress], Awaitable[None]]


class Tools(Protocol):
    """The way out to primitive tools."""

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """Calls the tool `key` of a source, once; `timeout` in seconds, starting its server included.

        Raises `RunFault`: `timeout`, `unavailable`, `contract_drift`, `tool_error` …; its `sent` is False where the
        request certainly did not reach the tool.
        """


@dataclass(frozen=True, slots=True)
class Ambient:
    """Clock (seconds since the epoch), chance (0 to 1) and new ids: whatever a run must not take from elsewhere."""

    clock: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    new_id: Callable[[], str] = field(default=lambda: f"run_{secrets.token_hex(12)}")

    def new_run(self) -> dict[str, Any]:
        """What workflows see as `run`."""
        started = Timestamp(math.floor(self.clock() * 1000) * (NANOS // 1000))
        return {"id": self.new_id(), "started_at": write_timestamp(started)}


class Driver:
    """Drives one machine. Under cancellation reads are given up and writes awaited (each has its timeout)."""

    def __init__(
        self, machine: Machine, tools: Tools, *, ambient: Ambient, result_bytes: int, on_progress: OnProgress | None
    ) -> None:
        self._machine = machine
        self._tools = tools
        self._ambient = ambient
        self._result_bytes = result_bytes
        self._on_progress = on_progress
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
                    await self._loop(group, self._machine.handle(CancelRequested()))
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
                self._carry_out(group, command)
            for command in commands:
                if isinstance(command, Progress):
                    await self._report(command)
            if self._machine.ending is not None:
                return
            while not self._events:
                self._wake = anyio.Event()
                await self._wake.wait()
            commands = self._machine.handle(self._events.popleft())

    def _tell(self, event: Event) -> None:
        self._events.append(event)
        self._wake.set()

    def _carry_out(self, group: TaskGroup, command: Command) -> None:
        match command:
            case StartCall():
                # Shielded: a write is given up by its own timeout only, also when the client is gone.
                scope = self._scopes[command.call] = anyio.CancelScope(shield=True)
                group.start_soon(self._call, command, scope)
            case StartTimer(timer=timer, ms=ms, spread=spread):
                scope = self._scopes[timer] = anyio.CancelScope()
                seconds = ms / 1000 * (1 - spread * self._ambient.chance())
                group.start_soon(self._sleep, timer, seconds, scope)
            case CancelCall(call=name) | CancelTimer(timer=name):
                if name in self._scopes:
                    self._scopes[name].cancel()
            case ReportBug(step=step, error=error):
                log.error("a mistake of ours at step %s", step, exc_info=error)

    async def _sleep(self, timer: str, seconds: float, scope: anyio.CancelScope) -> None:
        with scope:
            await anyio.sleep(seconds)
            self._tell(TimerFired(timer))
        self._scopes.pop(timer, None)

    async def _call(self, command: StartCall, scope: anyio.CancelScope) -> None:
        with scope:
            self._tell(await self._answered(command))
        self._scopes.pop(command.call, None)

    async def _answered(self, command: StartCall) -> Event:
        tool = command.tool
        try:
            answer = await self._tools.call(tool.source, tool.key, command.arguments, command.timeout_ms / 1000)
            value = read_answer(tool.label, tool.reading, answer, self._result_bytes)
        except RunFault as found:
            return CallFailed(command.call, known_outcome(found.fault, tool.label, command.repeatable))
        except Exception as error:
            log.error("a mistake of ours in a call of %s", tool.label, exc_info=error)
            return CallFailed(command.call, Fault("internal", f"The call of {tool.label} went wrong in the server."))
        return CallSucceeded(command.call, value)

    async def _report(self, progress: Progress) -> None:
        """Progress is a courtesy: when telling it fails or takes long, the run goes on."""
        if self._on_progress is None:
            return
        try:
            with anyio.move_on_after(1.0):
                await self._on_progress(progress)
        except Exception as error:
            log.debug("progress could not be reported", exc_info=error)


def known_outcome(fault: Fault, label: str, repeatable: bool) -> Fault:
    """The fault itself, or `unknown_outcome` where a call that must not be repeated was sent and not answered."""
    if repeatable or not fault.sent or fault.fault_class not in ("timeout", "unavailable"):
        return fault
    message = f"It is unknown whether {label} has happened: {fault.message}"
    return replace(
        fault, fault_class="unknown_outcome", message=message, details={**fault.details, "cause": fault.fault_class}
    )
