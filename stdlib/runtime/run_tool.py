"""A client's own call of a tool of a source: handed through, the same arguments in, the tool's own answer out."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import anyio

from .about import about
from .arguments import record_of
from .clean import clean, compact
from .client_call import client_call
from .events import CallFailed, CallSucceeded, StartCall
from .fault import Fault, RunFault, fault
from .gates.gates import Gates, through
from .gates.passing import Passing
from .gates.side_effect import known_outcome
from .gates.tool import as_refusal
from .loaded import LoadedPlan, LoadedTool
from .people import Nobody, People
from .record import Record
from .result import NOTHING, ToolAnswer
from .run import Caller
from .run_result import Result
from .store import Store
from .store.handles import LARGE_RESULT, Handle, Label
from .store.journal import Begun, Ended
from .world import Ambient, Tools, World

log = logging.getLogger("chainc.run")


async def run_tool(
    loaded: LoadedPlan,
    name: str,
    tool: LoadedTool,
    arguments: Any,
    *,
    tools: Tools,
    store: Store,
    gates: Gates,
    people: People | None = None,
    caller: Caller | None = None,
    ambient: Ambient | None = None,
    run_id: str | None = None,
    scopes: frozenset[str] = frozenset(),
) -> Result:
    """Calls a tool as a client does. `name`: as clients see it. `scopes`: what its caller must be allowed to do. What
    is too large for an answer goes under a handle. Every failure is a fault; only cancellation is raised."""
    caller = caller or Caller()
    world = World(tools, store, gates, caller.who(), people or Nobody(), ambient or Ambient())
    run = run_id or world.ambient.new_id()

    async def work() -> Result:
        given = record_of(arguments)
        mismatch = tool.input.mismatch(given)
        if mismatch is not None:
            raise fault("invalid_input", mismatch.sentence("The whole of the arguments"))
        effects = tool.plan.effects
        command = StartCall(
            call=f"{name}#1",
            step=name,
            tool=tool,
            arguments=given,
            timeout_ms=loaded.plan.limits.call_ms,
            attempt=1,
            repeatable=effects.read_only or effects.idempotent,
        )
        needed = tuple(sorted(scopes.union(tool.plan.scopes)))
        passing = Passing(
            world, name, tool.label, needed, given, _Call(loaded, run, command), tool, command, by_client=True
        )
        result: Result = await through(passing)
        return result

    return await client_call(world, name, arguments, run, work)


class _Call:
    """The call itself, and what is written down of it."""

    def __init__(self, loaded: LoadedPlan, run: str, command: StartCall) -> None:
        self._loaded = loaded
        self._run = run
        self._command = command

    async def __call__(self, passing: Passing) -> Result:
        world, command = passing.world, self._command
        name, owner = f"{command.tool.source}.{command.tool.plan.name}", world.who.owner
        record = Record(self._run, owner, self._loaded.plan.version)
        ids = {"run": self._run, "step": command.step, "principal": owner.principal, "tenant": owner.tenant}
        schema = command.tool.plan.digest
        with about(**ids), world.ambient.spans.begin(f"call {name}", tool=name, schema=schema, **ids) as span:
            record.trace = span.trace
            result = await self._called(passing, record)
            span.end_with(result.fault)
        return result

    async def _called(self, passing: Passing, record: Record) -> Result:
        world, command = passing.world, self._command
        tool, started = command.tool, world.ambient.clock()
        if passing.approval is not None:
            record.consented(command.step, passing.approval, started)
        event: CallSucceeded | CallFailed = CallFailed(command.call, Fault("cancelled", "The call was given up."))
        result = Result()
        try:
            found = await world.sending.send(tool, command.arguments, command.timeout_ms / 1000)
            if found.kept is None:
                result, size = await self._handed(passing, found)
            else:
                result, size = await self._from_store(passing, found.kept)
            error = Fault("tool_error", f"{tool.label} failed.") if found.is_error else result.fault
            event = CallSucceeded(command.call, None, size) if error is None else CallFailed(command.call, error)
        except RunFault as problem:
            known = as_refusal(known_outcome(problem.fault, tool.label, command.repeatable))
            event = CallFailed(command.call, known)
            raise RunFault(known) from None
        finally:
            ended = world.ambient.clock()
            record.called(command, event, started, ended)
            with anyio.CancelScope(shield=True):
                await self._keep(passing, record, event, started, ended)
        return replace(result, run=self._run, receipts=record.receipts)

    async def _keep(
        self, passing: Passing, record: Record, event: CallSucceeded | CallFailed, started: float, ended: float
    ) -> None:
        """Where it cannot be written down, the client has its answer all the same."""
        fault = event.fault.to_json() if isinstance(event, CallFailed) else None
        world = passing.world
        begun = Begun(self._run, self._command.step, self._loaded.digest, world.who.owner, started, {})
        try:
            wire: dict[str, Any] | None = {} if fault is None else None
            await world.store.journal.keep(begun, Ended(ended, wire, fault), record.untold())
        except Exception as error:
            log.error("a call of %s could not be written down", passing.name, exc_info=error)

    async def _handed(self, passing: Passing, found: ToolAnswer) -> tuple[Result, int]:
        content = tuple(clean(block) for block in found.content)
        structured = NOTHING if found.structured is NOTHING else clean(found.structured)
        size = len(compact([content, None if structured is NOTHING else structured]).encode())
        limit = self._loaded.plan.limits.inline_bytes
        if size <= limit:
            return Result(handed=replace(found, content=content, structured=structured)), size
        value = list(content) if structured is NOTHING else structured
        kept = Label(LARGE_RESULT, plan=self._loaded.digest)
        handle = await passing.world.store.handles.put(passing.world.who.owner, kept, value)
        return self._too_large(handle, size)

    async def _from_store(self, passing: Passing, kept: Handle) -> tuple[Result, int]:
        """An answer that went into the store as it came: given as it is where it is small."""
        world, tool, handles = passing.world, self._command.tool, passing.world.store.handles
        if kept.bytes <= self._loaded.plan.limits.inline_bytes:
            value = (await world.sending.settled(self._command.call, kept, held=False)).value
            text = value if isinstance(value, str) else compact(value)
            structured = NOTHING if tool.plan.output_schema is None else value
            return await self._handed(passing, ToolAnswer(({"type": "text", "text": text},), structured))
        handle = await handles.again(world.who.owner, kept.id, Label(kept.kind, plan=self._loaded.digest))
        await handles.drop(world.who.owner, kept.id)
        return self._too_large(handle, kept.bytes)

    def _too_large(self, handle: Handle, size: int) -> tuple[Result, int]:
        label, limit = self._command.tool.label, self._loaded.plan.limits.inline_bytes
        message = f"{label} answered {size} bytes; at most {limit} go into an answer."
        advice = f'Read it in pages: handle_read with handle "{handle.id}" (and a path, offset or limit).'
        details = {"handle": handle.to_json()}
        large = Fault("result_too_large", message, next=advice, details=details, refused="result")
        return Result(handle=handle, fault=large), size
