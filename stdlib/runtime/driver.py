"""Runs a state machine: does its calls, lets its timers fire, and leaves nothing behind."""

from __future__ import annotations

import logging
from collections import deque

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
from .gates.side_effect import known_outcome as known_outcome
from .gates.tool_call import call_tool
from .machine import Machine
from .question import Answer
from .receipt import timestamp
from .record import Record
from .run_log import RunLog
from .store.journal import Entry, Happening, Sent
from .store.ledger import Claim
from .watch import Watch, unwatched, watched_by
from .world import OnProgress, World
from .world import Tools as Tools

log = logging.getLogger("chainc.run")


class Driver:
    """Drives one machine. Under cancellation reads and questions are given up and writes awaited (each has its
    timeout). `log`: where everything is written before what follows from it is done. `sent`: calls that were sent
    before an interruption, so that they may have happened."""

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
    ) -> None:
        self._machine = machine
        self._world = world
        self._record = record
        self._log = log
        self._on_progress = on_progress
        self._watch = watched_by(watch)
        self._sent = sent
        self._events: deque[Event] = deque()
        self._wake = anyio.Event()
        self._scopes: dict[str, anyio.CancelScope] = {}
        self._calls = 0
        self._asked: set[str] = set()
        self._parked = False
        self._detached = False

    async def run(self, commands: list[Command]) -> Ending | None:
        """Begins with these commands; the end of the run, None where it was detached. When the caller is cancelled, the
        run is brought to an end first."""
        async with anyio.create_task_group() as group:
            try:
                await self._loop(group, commands, [])
            except anyio.get_cancelled_exc_class():
                with anyio.CancelScope(shield=True):
                    entry = Happening(CancelRequested(), self._world.ambient.clock())
                    await self._loop(group, self._heard(entry.event), [entry])
                raise
            finally:
                for scope in list(self._scopes.values()):
                    scope.cancel()
        return self._machine.ending

    def detach(self) -> None:
        """Lets go of the run: nothing new is begun, and when what is under way has ended, so has `run`. Whoever adopts
        the run from the journal goes on."""
        self._detached = True
        self._wake.set()

    async def _loop(self, group: TaskGroup, commands: list[Command], entries: list[Entry]) -> None:
        """Until the run has ended or was let go. A cancellation may arrive at any `await` that is not shielded: none
        of those stands between an event and what follows from it."""
        while True:
            await self._written(entries, commands)
            for command in commands:
                self._watch(command)
                if not self._detached:
                    self._carry_out(group, command)
            for command in commands:
                if isinstance(command, Progress):
                    await self._report(command)
            if self._machine.ending is not None:
                return
            while not self._events:
                if self._detached and self._calls == 0:
                    return
                self._wake = anyio.Event()
                await self._wake.wait()
            commands, entries = [], []
            now = self._world.ambient.clock()
            while self._events and self._machine.ending is None:
                event = self._events.popleft()
                entries.append(Happening(event, now))
                commands += self._heard(event)

    async def _written(self, entries: list[Entry], commands: list[Command]) -> None:
        """Writes the events, what they make known of earlier calls, and which calls are sent next."""
        for command in commands:
            if isinstance(command, CompleteReceipt):
                self._record.complete(command.call, command.receipt, command.verified)
        calls = () if self._detached else tuple(each for each in commands if isinstance(each, StartCall))
        now = self._world.ambient.clock()
        sent = [Sent(each.call, now) for each in calls if not each.repeatable]
        parked = self._awaits_people(commands) and self._calls == 0 and not calls
        with anyio.CancelScope(shield=True):
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
                self._calls += 1
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
            event = await call_tool(self._world, command, sent_before=command.call in self._sent)
        ended = self._world.ambient.clock()
        given_up = CallFailed(command.call, Fault("cancelled", "The call was given up."), command.key)
        self._record.called(command, event or given_up, started, ended)
        self._calls -= 1
        if event is not None:
            self._tell(event)
        self._forget(command.call, scope)

    async def _note_in_ledger(self, command: Happened | Undone) -> None:
        with anyio.CancelScope(shield=True):
            if isinstance(command, Undone):
                await self._world.store.ledger.undone(command.key)
            else:
                await self._world.store.ledger.record(Claim(command.key, command.key), command.value)

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
