"""Runs a state machine: does its calls, lets its timers fire, and leaves nothing behind."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager

import anyio

from .about import about
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
    ReportBug,
    StartCall,
    StartTimer,
    TimerFired,
    Undone,
)
from .fault import Fault
from .gates.tool_call import call_tool
from .machine import Machine
from .people import answered
from .progress import report
from .receipt import timestamp
from .record import Record
from .run_log import RunLog
from .spans import Span
from .store.journal import Entry, Happening, Sent
from .watch import Watch, unwatched, watched_by
from .world import OnProgress, World

log = logging.getLogger("chainc.run")


class Driver:
    """Drives one machine. Under cancellation reads and questions are given up and writes awaited (each has its
    timeout). `log`: where everything is written before what follows from it is done. `sent`: calls that were sent
    before an interruption, so that they may have happened. `given_up`: what was still under way when the run ended.
    `on_still`: is called when no call is under way any more."""

    def __init__(
        self,
        machine: Machine,
        world: World,
        record: Record,
        log: RunLog,
        *,
        on_progress: OnProgress | None,
        watch: Watch = unwatched,
        sent: frozenset[str] = frozenset(),
        on_still: Callable[[], None] = lambda: None,
    ) -> None:
        self._machine = machine
        self._world = world
        self._record = record
        self._log = log
        self._on_progress = on_progress
        self._watch = watched_by(watch)
        self._sent = sent
        self._on_still = on_still
        self._events: deque[Event] = deque()
        self._turning = False
        self._broken = False
        self._over = anyio.Event()
        self._scopes: dict[str, anyio.CancelScope] = {}
        self.given_up: frozenset[str] = frozenset()
        self._calls = 0
        self._asked: set[str] = set()
        self._parked = False
        self._detached = False

    async def run(self, commands: list[Command]) -> Ending | None:
        """Begins with these commands; the end of the run, None where it was detached. When the caller is cancelled, the
        run is brought to an end first, or, where it was let go, what is under way awaited."""
        async with anyio.create_task_group() as self._group:
            try:
                with anyio.CancelScope(shield=True):
                    await self._turns(commands)
                if not self._over.is_set():
                    await self._over.wait()
            except anyio.get_cancelled_exc_class():
                with anyio.CancelScope(shield=True):
                    if not self._detached:
                        await self._tell(CancelRequested())
                    await self._over.wait()
                raise
            finally:
                self.given_up = frozenset(self._scopes)
                for scope in list(self._scopes.values()):
                    scope.cancel()
        return self._machine.ending

    def detach(self) -> None:
        """Lets go of the run: nothing new is begun, and when what is under way has ended, so has `run`. Whoever adopts
        the run from the journal goes on."""
        self._detached = True
        self._rest()

    # ------------------------------------------------------------------ turns

    async def _tell(self, event: Event, *, goes_on: bool = False) -> StartCall | None:
        """Whoever brings an event takes the run's next turns, unless somebody is at it. `goes_on`: the caller can make
        a call itself; it gets the first one that is due."""
        self._events.append(event)
        if self._turning or self._broken:
            return None
        due = None
        with anyio.CancelScope(shield=True):
            due = await self._turns([], goes_on=goes_on)
        return due

    async def _turns(self, commands: list[Command], *, goes_on: bool = False) -> StartCall | None:
        """Until nothing more has happened. Must not be cancelled: what follows from an event is done as a whole."""
        self._turning = True
        due: StartCall | None = None
        try:
            while True:
                due = await self._turn(commands, takes_one=goes_on and due is None) or due
                await report(self._on_progress, commands)
                if not self._events or self._machine.ending is not None:
                    return due
                commands = []
        finally:
            self._turning = False
            self._rest()

    async def _turn(self, commands: list[Command], *, takes_one: bool) -> StartCall | None:
        """Adds to the commands what follows from the events, and carries all of them out when that is written.
        `takes_one`: the first call is the caller's."""
        now, detached = self._world.ambient.clock(), self._detached
        entries: list[Entry] = []
        due: StartCall | None = None
        try:
            while self._events and self._machine.ending is None:
                event = self._events.popleft()
                entries.append(Happening(event, now))
                self._watch(event)
                commands += self._machine.handle(event)
            await self._write(entries, commands, now, detached=detached)
            for command in commands:
                self._watch(command)
                if detached:  # as it was when it was written down: what is said to be sent, is sent
                    continue
                if takes_one and due is None and isinstance(command, StartCall):
                    due = command
                    self._expect(command)
                else:
                    self._carry_out(command)
        except BaseException:
            # What was to be done is lost: going on would wait for answers to calls that were never made.
            self._broken = True
            self._over.set()
            raise
        return due

    @property
    def is_still(self) -> bool:
        """See `stdlib.runtime.leash.Held`."""
        return not self._turning and self._calls == 0

    def _rest(self) -> None:
        """At the end of turns and calls: the run is over, or somebody may wait until it is still."""
        if self.is_still:
            self._on_still()
        if self._machine.ending is not None or (self._detached and self.is_still):
            self._over.set()

    async def _write(self, entries: list[Entry], commands: list[Command], now: float, *, detached: bool) -> None:
        """Writes the events, what they make known of earlier calls, and which calls are sent next."""
        for command in commands:
            if isinstance(command, CompleteReceipt):
                self._record.complete(command.call, command.receipt, command.verified)
        if not self._log.is_journal:
            return
        calls = () if detached else tuple(each for each in commands if isinstance(each, StartCall))
        sent = [Sent(each.call, now) for each in calls if not each.repeatable]
        parked = self._awaits_people(commands) and self._calls == 0 and not calls
        await self._log.write([*entries, *sent], self._record.untold())
        if parked != self._parked:
            self._parked = parked
            await self._log.park(parked)

    def _awaits_people(self, commands: list[Command]) -> bool:
        for command in commands:
            if isinstance(command, AskPerson):
                self._asked.add(command.call)
            elif isinstance(command, CancelCall):  # an answer closes its question, too
                self._asked.discard(command.call)
        return bool(self._asked)

    def _expect(self, command: StartCall) -> None:
        # Shielded: a write is given up by its own timeout only, also when the client is gone.
        self._scopes[command.call] = anyio.CancelScope(shield=True)
        self._calls += 1

    def _carry_out(self, command: Command) -> None:
        match command:
            case StartCall():
                self._expect(command)
                self._group.start_soon(self._call, command)
            case AskPerson():
                scope = self._scopes[command.call] = anyio.CancelScope()
                self._group.start_soon(self._ask, command, scope)
            case StartTimer(timer=timer, ms=ms, spread=spread):
                # Shielded: what is awaited and taken back after a cancellation has its times, too.
                scope = self._scopes[timer] = anyio.CancelScope(shield=True)
                seconds = ms / 1000 * (1 - spread * self._world.ambient.chance())
                self._group.start_soon(self._sleep, timer, seconds, scope)
            case CancelCall(call=name) | CancelTimer(timer=name):
                if name in self._scopes:
                    self._scopes[name].cancel()
            case Happened() | Undone():
                self._group.start_soon(self._note_in_ledger, command)
            case ReportBug(step=step, error=error):
                log.error("a mistake of ours at step %s", step, exc_info=error)

    async def _sleep(self, timer: str, seconds: float, scope: anyio.CancelScope) -> None:
        with scope:
            await anyio.sleep(seconds)
        self._forget(timer, scope)
        if not scope.cancel_called:
            await self._tell(TimerFired(timer))

    def _forget(self, name: str, scope: anyio.CancelScope) -> None:
        if self._scopes.get(name) is scope:
            del self._scopes[name]

    # ------------------------------------------------------------------ tools

    async def _call(self, command: StartCall) -> None:
        """Makes the call, and those that follow from it as long as there are any."""
        due: StartCall | None = command
        try:
            while due is not None:
                due = await self._one_call(due)
        except BaseException:  # its task was ended from outside: nobody may wait for its answer
            self._broken = True
            self._over.set()
            raise

    async def _one_call(self, command: StartCall) -> StartCall | None:
        scope = self._scopes[command.call]
        started = self._world.ambient.clock()
        event: CallSucceeded | CallFailed | None = None
        with scope, about(step=command.step), self._span(command) as span:
            sent_before = command.call in self._sent
            event = await call_tool(self._world, command, self._record.run, sent_before=sent_before)
            span.end_with(event.fault if isinstance(event, CallFailed) else None)
        ended = self._world.ambient.clock()
        if event is None:
            given_up = CallFailed(command.call, Fault("cancelled", "The call was given up."), command.key)
            self._record.called(command, given_up, started, ended)
        else:
            self._record.called(command, event, started, ended)
        self._calls -= 1
        self._forget(command.call, scope)
        if event is None:
            self._rest()
            return None
        return await self._tell(event, goes_on=True)

    def _span(self, command: StartCall) -> AbstractContextManager[Span]:
        tool = command.tool
        return self._world.ambient.spans.begin(
            f"call {tool.source}.{tool.plan.name}",
            run=self._record.run,
            step=command.step,
            tool=f"{tool.source}.{tool.plan.name}",
            purpose=command.purpose,
            attempt=command.attempt,
            schema=tool.plan.digest,
            key=command.key,
        )

    async def _note_in_ledger(self, command: Happened | Undone) -> None:
        """It has happened, whether it can be noted or not: the run goes on."""
        ledger = self._world.store.ledger
        try:
            with anyio.CancelScope(shield=True):
                if isinstance(command, Undone):
                    await ledger.undone(command.key)
                else:
                    await ledger.note(command.key, self._record.run, command.value)
        except Exception as error:
            log.error("the ledger cannot be told of %s", command.key, exc_info=error)

    # ------------------------------------------------------------------ people

    async def _ask(self, command: AskPerson, scope: anyio.CancelScope) -> None:
        with scope:
            answer = await answered(self._world.people, command.question)
        self._forget(command.call, scope)
        if scope.cancel_called:
            return
        at = self._world.ambient.clock()
        self._record.answered(command.question, answer, at)
        await self._tell(PersonAnswered(command.call, answer, timestamp(at)))
