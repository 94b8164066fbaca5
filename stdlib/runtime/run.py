"""Runs one chain of a plan: arguments of a client in, a result or a fault out."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from .arguments import accept_arguments
from .clean import compact
from .driver import Ambient, Driver, OnProgress, Tools
from .events import Succeeded
from .fault import Fault, RunFault
from .handles import LARGE_RESULT, Handle, HandleStore
from .load import LoadedChain, LoadedPlan
from .machine import Machine

log = logging.getLogger("chainc.run")


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a call. Exactly one of `wire` and `fault` is set.

    `wire`: the result as clients get it: a record itself, another value below `result`, a handle below `handle`.
    `value`: the chain's own value. `handle`: where the value is kept, also beside the fault `result_too_large`.
    """

    wire: dict[str, Any] | None = None
    value: Any = None
    summary: str | None = None
    handle: Handle | None = None
    fault: Fault | None = None


async def run_chain(
    loaded: LoadedPlan,
    chain_id: str,
    arguments: Any,
    *,
    tools: Tools,
    handles: HandleStore,
    strict_nulls: bool = False,
    on_progress: OnProgress | None = None,
    ambient: Ambient | None = None,
) -> Result:
    """Calls a chain as a client does. Every failure is a fault; only cancellation is raised."""
    ambient = ambient or Ambient()
    chain = loaded.chains.get(chain_id)
    if chain is None:
        return Result(fault=Fault("unknown_tool", f"There is no chain `{chain_id}`."))
    try:
        accepted = accept_arguments(chain, arguments, handles, strict_nulls=strict_nulls)
        machine = Machine(loaded, chain_id, ambient.new_run())
        limits = loaded.plan.limits
        driver = Driver(machine, tools, ambient=ambient, result_bytes=limits.result_bytes, on_progress=on_progress)
        ending = await driver.run(accepted)
        if isinstance(ending, Fault):
            return Result(fault=ending)
        return _result(chain, ending, handles, limits.inline_bytes)
    except RunFault as found:
        return Result(fault=found.fault)
    except Exception as error:
        log.error("a mistake of ours while `%s` ran", chain_id, exc_info=error)
        return Result(fault=Fault("internal", f"`{chain_id}` could not be run; this is a mistake in the server."))


def _result(chain: LoadedChain, ending: Succeeded, handles: HandleStore, inline_bytes: int) -> Result:
    output, value, summary = chain.plan.output, ending.value, ending.summary
    if output.mode == "handle":
        handle = handles.put(output.handle or LARGE_RESULT, value, summary, output.expires_ms)
        return Result({"handle": handle.to_json()}, value, summary, handle)
    wire = {"result": value} if chain.plan.wrapped else value
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
