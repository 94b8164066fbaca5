"""Runs one chain of a plan: arguments of a client in, a result or a fault out."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

from .adapt import Accepted, accept, adapted_result
from .arguments import resolve_handles
from .clean import compact
from .driver import Driver
from .events import Ending
from .fault import Fault, RunFault
from .handles import LARGE_RESULT, Handle, HandleStore
from .keys import request_key
from .ledger import Ledger, MemoryLedger
from .loaded import LoadedChain, LoadedPlan
from .machine import Machine
from .people import Nobody, People
from .receipt import Receipt
from .record import Record
from .watch import Watch, unwatched
from .world import Ambient, OnProgress, Tools, World

log = logging.getLogger("chainc.run")

LOCAL = "local"
"""The principal where there is nobody else: the owner of this process."""


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a call. Exactly one of `wire` and `fault` is set.

    `wire`: the result as clients get it: a record itself, another value below `result`, a handle below `handle`.
    `value`: the chain's own value. `handle`: where the value is kept, also beside the fault `result_too_large`.
    `run`: the id of the run, where there was one, and `receipts` its record. `replayed`: the steps whose results are
    those of an earlier call. `adapter`: the older version that the call was made for.
    """

    wire: dict[str, Any] | None = None
    value: Any = None
    summary: str | None = None
    handle: Handle | None = None
    fault: Fault | None = None
    run: str | None = None
    receipts: tuple[Receipt, ...] = ()
    replayed: tuple[str, ...] = ()
    adapter: str | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and how. `strict_nulls`: null stands for what is left out. `request_key`: makes calls with the same
    key one request (the input of the same name counts first)."""

    principal: str = LOCAL
    strict_nulls: bool = False
    request_key: str | None = None
    on_progress: OnProgress | None = None
    watch: Watch = unwatched


async def run_chain(
    loaded: LoadedPlan,
    chain_id: str,
    arguments: Any,
    *,
    tools: Tools,
    handles: HandleStore,
    people: People | None = None,
    ledger: Ledger | None = None,
    caller: Caller | None = None,
    ambient: Ambient | None = None,
    run_id: str | None = None,
) -> Result:
    """Calls a chain as a client does. Every failure is a fault; only cancellation is raised. `run_id`: the id that the
    run is to have."""
    caller = caller or Caller()
    world = World(tools, people or Nobody(), ledger or MemoryLedger(), ambient or Ambient())
    chain = loaded.chains.get(chain_id)
    if chain is None:
        return Result(fault=Fault("unknown_tool", f"There is no chain `{chain_id}`."))
    try:
        accepted = accept(chain, arguments, strict_nulls=caller.strict_nulls)
        given = resolve_handles(chain, accepted.arguments, handles)
        request = await _request(chain, accepted, caller, world, loaded.plan.limits.replay_ms)
        run = world.ambient.new_run() | ({} if run_id is None else {"id": run_id})
        machine = Machine(loaded, chain_id, run, request)
        record = Record(run["id"], caller.principal, loaded.plan.version)
        limits = loaded.plan.limits
        driver = Driver(
            machine,
            world,
            record,
            result_bytes=limits.result_bytes,
            on_progress=caller.on_progress,
            watch=caller.watch,
        )
        ending = await driver.run(given)
        try:
            result = _result(chain, accepted, ending, handles, limits.inline_bytes)
        except RunFault as found:
            result = Result(fault=found.fault)
        return replace(
            result,
            run=run["id"],
            receipts=record.receipts,
            replayed=tuple(machine.replayed),
            adapter=accepted.version,
        )
    except RunFault as found:
        return Result(fault=found.fault)
    except Exception as error:
        log.error("a mistake of ours while `%s` ran", chain_id, exc_info=error)
        return Result(fault=Fault("internal", f"`{chain_id}` could not be run; this is a mistake in the server."))


async def _request(chain: LoadedChain, accepted: Accepted, caller: Caller, world: World, window_ms: int) -> str | None:
    """The request key; None where no step has use for it."""
    if not chain.keyed:
        return None
    sent = accepted.request_key or caller.request_key
    if sent is not None:
        return request_key(caller.principal, chain.plan.id, {"request_key": sent})
    equal = request_key(caller.principal, chain.plan.id, {"arguments": accepted.arguments})
    return await world.ledger.request(equal, window_ms)


def _result(chain: LoadedChain, accepted: Accepted, ending: Ending, handles: HandleStore, inline_bytes: int) -> Result:
    if isinstance(ending, Fault):
        return Result(fault=ending)
    output, value, summary = chain.plan.output, ending.value, ending.summary
    if output.mode == "handle":
        handle = handles.put(output.handle or LARGE_RESULT, value, summary, output.expires_ms)
        return Result({"handle": handle.to_json()}, value, summary, handle)
    wrapped = chain.plan.wrapped
    if accepted.adapter is not None and accepted.adapter.output is not None:
        value, wrapped = adapted_result(accepted, value), accepted.adapter.plan.wrapped
    wire = {"result": value} if wrapped else value
    size = len(compact(wire).encode())
    if size <= inline_bytes:
        return Result(wire, value, summary)
    handle = handles.put(LARGE_RESULT, value, summary, output.expires_ms)
    fault = Fault(
        "result_too_large",
        f"The result of `{chain.plan.id}` has {size} bytes; at most {inline_bytes} go into an answer. It is kept.",
        next=f'Read it in pages: handle_read with handle "{handle.id}" (and a path, offset or limit).',
        details={"handle": handle.to_json()},
    )
    return Result(None, value, summary, handle, fault)
