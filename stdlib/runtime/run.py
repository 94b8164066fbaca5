"""Runs one chain of a plan: arguments of a client in, a result or a fault out."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import anyio

from ..plan.model import JsonSchema
from .about import about
from .adapt import Accepted, accept, adapted_result
from .arguments import resolve_handles
from .broken import broken
from .clean import json_bytes
from .client_call import client_call
from .driver import Driver
from .evaluate import Scope
from .events import Command, Ending
from .fault import Fault, RunFault
from .gates.gates import Gates, through
from .gates.passing import Passing, refusal
from .gates.principal import Who, returning
from .held import Held, held_again, held_names, load, stored_form
from .keys import request_key
from .leash import Detached as Detached
from .leash import Leash as Leash
from .loaded import LoadedChain, LoadedPlan
from .machine import Machine
from .people import Nobody, People
from .principal import Principal
from .receipt import timestamp
from .record import Record
from .replay import replay
from .run_log import JournalledRun, ReadingRun, RunLog
from .run_result import Result as Result
from .store import Store
from .store.handles import LARGE_RESULT, Handle, Label
from .store.journal import Begun, Ended
from .store.ledger import KEEP_S
from .watch import Watch, unwatched
from .world import Ambient, OnProgress, Tools, World

_SENT_KEYS_MS: Final = 2 * KEEP_S * 1000
"""How long a key that was sent stands for its arguments: longer than results are kept, as they come later."""

log = logging.getLogger("chainc.run")

Begin = Callable[[Machine], Awaitable[tuple[list[Command], frozenset[str]]]]
"""Puts a machine where the run stands: what is to be done, and which calls were sent before."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and how. `strict_nulls`: null stands for what is left out. `request_key`: makes calls with the same
    key one request (the input of the same name counts first). `session`: of the transport, where it has some.
    `can_be_asked`: whether the client can put questions to its user."""

    principal: Principal = field(default_factory=Principal)
    strict_nulls: bool = False
    request_key: str | None = None
    on_progress: OnProgress | None = None
    watch: Watch = unwatched
    session: str | None = None
    can_be_asked: bool = True

    def who(self, scopes: tuple[str, ...] = ()) -> Who:
        return Who(self.principal.owner, self.principal, self.session or "", scopes, self.can_be_asked)


async def run_chain(
    loaded: LoadedPlan,
    chain_id: str,
    arguments: Any,
    *,
    tools: Tools,
    store: Store,
    people: People | None = None,
    caller: Caller | None = None,
    ambient: Ambient | None = None,
    run_id: str | None = None,
    leash: Leash | None = None,
    gates: Gates | None = None,
) -> Result:
    """Calls a chain as a client does. Every failure is a fault; only cancellation and `Detached` are raised. `run_id`:
    the id that the run is to have."""
    caller, leash = caller or Caller(), leash or Leash()
    chain = loaded.chains.get(chain_id)
    who = caller.who(() if chain is None else chain.plan.scopes)
    world = World(tools, store, gates or Gates(loaded), who, people or Nobody(), ambient or Ambient())
    run = run_id or world.ambient.new_id()

    async def work() -> Result:
        if chain is None:
            raise refusal("tool", "unknown_tool", f"There is no chain `{chain_id}`.")
        accepted = accept(chain, arguments, strict_nulls=caller.strict_nulls)

        async def begin(passing: Passing) -> Result:
            return await _begin(loaded, chain, accepted, world, caller, run, leash, passing.approval)

        label = f"`{chain_id}`"
        passing = Passing(world, chain_id, label, chain.plan.scopes, accepted.arguments, begin, by_client=True)
        result: Result = await through(passing)
        return result

    return await client_call(world, chain_id, arguments, run, work)


async def _begin(
    loaded: LoadedPlan,
    chain: LoadedChain,
    accepted: Accepted,
    world: World,
    caller: Caller,
    run: str,
    leash: Leash,
    approval: Mapping[str, Any] | None,
) -> Result:
    """A run that no gate refuses."""
    store, owner = world.store, caller.principal.owner
    given = await resolve_handles(loaded, chain, accepted.arguments, store.handles, owner)
    request = await _request(chain, accepted, caller, world, loaded.plan.limits.replay_ms)
    started = world.ambient.clock()
    begun = Begun(
        run=run,
        chain=chain.plan.id,
        plan=loaded.digest,
        owner=owner,
        started=started,
        given=given if chain.lasts else {},
        held=held_names(given) if chain.lasts else (),
        request=request,
        version=accepted.version,
        old=None if accepted.scope is None else dict(accepted.scope.values),
    )

    async def begin(machine: Machine) -> tuple[list[Command], frozenset[str]]:
        if chain.lasts:
            await store.journal.begin(begun, loaded.text)
        return machine.start(given), frozenset()

    record = Record(run, owner, loaded.plan.version)
    if approval is not None:
        record.consented(chain.plan.id, approval, started)
    return await _Run(loaded, begun, accepted, world, caller, leash).driven(record, begin)


async def resume_run(
    loaded: LoadedPlan,
    begun: Begun,
    *,
    tools: Tools,
    store: Store,
    people: People | None = None,
    caller: Caller | None = None,
    ambient: Ambient | None = None,
    leash: Leash | None = None,
    gates: Gates | None = None,
) -> Result:
    """Goes on with a run that was adopted from the journal; `loaded` is the plan that it was begun with. Its owner's
    rights are those of now."""
    chain = loaded.chains[begun.chain]
    who = Who(begun.owner, returning(begun.owner), scopes=chain.plan.scopes)
    world = World(tools, store, gates or Gates(loaded), who, people or Nobody(), ambient or Ambient())
    accepted = _accepted_before(chain, begun)

    async def begin(machine: Machine) -> tuple[list[Command], frozenset[str]]:
        entries = await store.journal.entries(begun.run)
        resumed = replay(
            machine, held_again(begun.given, begun.held), entries, began=begun.started, now=world.ambient.clock()
        )
        return resumed.commands, resumed.sent

    run = _Run(loaded, begun, accepted, world, caller or Caller(), leash or Leash())
    earlier = await store.journal.receipts(begun.run)
    return await run.driven(Record(begun.run, begun.owner, loaded.plan.version, earlier), begin)


def _accepted_before(chain: LoadedChain, begun: Begun) -> Accepted:
    """The call as it was accepted when the run was begun."""
    if begun.version is None:
        return Accepted(dict(begun.given), None)
    adapter = next(each for each in chain.adapters if each.plan.version == begun.version)
    return Accepted(dict(begun.given), None, adapter, Scope(begun.old or {}))


@dataclass(frozen=True, slots=True)
class _Run:
    loaded: LoadedPlan
    begun: Begun
    accepted: Accepted
    world: World
    caller: Caller
    leash: Leash

    @property
    def chain(self) -> LoadedChain:
        return self.loaded.chains[self.begun.chain]

    async def driven(self, record: Record, begin: Begin) -> Result:
        """From its beginning, or from where it stood, to its end, which is written down."""
        begun, owner = self.begun, self.begun.owner
        ids = {"run": begun.run, "chain": begun.chain, "principal": owner.principal, "tenant": owner.tenant}
        name = f"run {begun.chain}"
        with about(**ids), self.world.ambient.spans.begin(name, plan=begun.plan, **ids) as span:
            record.trace = span.trace
            result = await self._to_its_end(record, begin)
            span.end_with(result.fault)
        return result

    async def _to_its_end(self, record: Record, begin: Begin) -> Result:
        begun, journal = self.begun, self.world.store.journal
        written: RunLog = JournalledRun(journal, begun.run) if self.chain.lasts else ReadingRun(journal, begun)
        run = {"id": begun.run, "started_at": timestamp(begun.started)}
        machine = Machine(self.loaded, begun.chain, run, begun.request)
        try:
            result = await self._result(await self._driven(machine, record, written, begin))
        except RunFault as found:
            result = Result(fault=found.fault)
        except Detached:
            raise
        except Exception as error:
            result = Result(fault=broken(begun.chain, error, begun.run))
        except BaseException:
            if self.chain.lasts and machine.started and machine.ending is None:
                log.warning("%s was cut off; whoever uses its store next goes on with it", begun.run)
                raise
            with anyio.CancelScope(shield=True):
                await self._end(written, record, await self._unasked(machine.ending))
                await self._let_go(machine.held)
            raise
        if result.fault is not None and result.handle is not None:
            record.refused(begun.chain, result.fault, self.world.ambient.clock())
        await self._end(written, record, result)
        await self._let_go(machine.held)
        return replace(
            result,
            run=begun.run,
            receipts=record.receipts,
            replayed=tuple(machine.replayed),
            adapter=self.accepted.version,
        )

    async def _unasked(self, ending: Ending | None) -> Result:
        """How the run ended that its caller does not wait for any more; it may just have had its result."""
        try:
            return await self._result(ending or Fault("cancelled", "The call was cancelled."))
        except RunFault as found:
            return Result(fault=found.fault)

    async def _driven(self, machine: Machine, record: Record, written: RunLog, begin: Begin) -> Ending:
        commands, sent = await begin(machine)
        driver = Driver(
            machine,
            self.world,
            record,
            written,
            on_progress=self.caller.on_progress,
            watch=self.caller.watch,
            sent=sent,
            on_still=self.leash.on_still,
        )
        self.leash.hold(driver)
        try:
            ending = await driver.run(commands)
        except Exception as error:
            return machine.broken(broken(self.begun.chain, error, self.begun.run), driver.given_up)
        if ending is None:
            raise Detached(lasts=self.chain.lasts)
        return ending

    async def _end(self, written: RunLog, record: Record, result: Result) -> None:
        """Where the end cannot be written, the client has its result all the same."""
        fault = None if result.fault is None else result.fault.to_json()
        try:
            await written.end(Ended(self.world.ambient.clock(), result.wire, fault), record.untold())
        except Exception as error:
            log.error("the end of %s could not be written down", self.begun.run, exc_info=error)

    async def _let_go(self, held: list[Held]) -> None:
        """What steps have put into the store was for this run alone; what remains goes when it expires."""
        for each in held:
            try:
                await self.world.store.handles.drop(self.begun.owner, each.handle.id)
            except Exception as error:
                log.warning("a result of %s could not be let go", self.begun.run, exc_info=error)

    async def _result(self, ending: Ending) -> Result:
        if isinstance(ending, Fault):
            return Result(fault=ending)
        plan, limit = self.chain.plan, self.loaded.plan.limits.inline_bytes
        output, value, summary = plan.output, ending.value, ending.summary
        handles, owner = self.world.store.handles, self.begun.owner
        if output.mode == "handle":
            label = Label(output.handle or LARGE_RESULT, summary, output.expires_ms, self.begun.plan)
            handle = await self._kept(label, value, output.json_schema)
            return Result({"handle": handle.to_json()}, value, summary, handle)
        wrapped, adapter = plan.wrapped, self.accepted.adapter
        if adapter is not None and adapter.output is not None:
            value, wrapped = adapted_result(self.accepted, value), adapter.plan.wrapped
        wire = {"result": value} if wrapped else value
        size = json_bytes(wire)
        if size <= limit:
            return Result(wire, value, summary)
        handle = await handles.put(owner, Label(LARGE_RESULT, summary, output.expires_ms, self.begun.plan), value)
        fault = Fault(
            "result_too_large",
            f"The result of `{plan.id}` has {size} bytes; at most {limit} go into an answer. It is kept.",
            next=f'Read it in pages: handle_read with handle "{handle.id}" (and a path, offset or limit).',
            details={"handle": handle.to_json()},
            refused="result",
        )
        return Result(None, value, summary, handle, fault)

    async def _kept(self, label: Label, value: Any, schema: JsonSchema) -> Handle:
        """What is there already, and is kept in the form of this kind, is not written once more."""
        handles, owner = self.world.store.handles, self.begun.owner
        if not isinstance(value, Held):
            return await handles.put(owner, label, value)
        old, kind = value.handle, self.loaded.plan.kinds.get(value.handle.kind)
        theirs = None if kind is None else kind.json_schema
        if stored_form(theirs) == stored_form(schema):
            return await handles.again(owner, old.id, label)
        read = await load(handles, owner, old.id, old.kind, theirs, self.loaded.plan.limits.result_bytes)
        return await handles.put(owner, label, read)


async def _request(chain: LoadedChain, accepted: Accepted, caller: Caller, world: World, window_ms: int) -> str | None:
    """The request key; None where no step has use for it. Raises the fault `invalid_input` where a key that was sent
    stands for other arguments: what is recorded under it would be told as the result of these."""
    if not chain.keyed:
        return None
    owner, ledger = caller.principal.owner, world.store.ledger
    sent = accepted.request_key or caller.request_key
    equal = request_key(owner, chain.plan.id, {"arguments": accepted.arguments})
    if sent is None:
        return await ledger.request(equal, window_ms)
    key = request_key(owner, chain.plan.id, {"request_key": sent})
    if await ledger.request(key, _SENT_KEYS_MS, equal) != equal:
        raise RunFault(_other_arguments())
    return key


def _other_arguments() -> Fault:
    message = "This request key was sent before, with other arguments."
    return Fault("invalid_input", message, next="Send a new key, or the arguments of the first time.")
