"""A client's call, of a chain or of a tool: the circuit breaker, and a receipt where a gate refuses."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..values.canonical import JsonError
from ..values.digest import digest
from .broken import broken
from .fault import Fault, RunFault
from .leash import Detached
from .receipt import Receipt
from .run_result import Result
from .store.journal import Begun, Ended

if TYPE_CHECKING:
    from .world import World

log = logging.getLogger("chainc.run")


async def client_call(
    world: World, name: str, arguments: Any, run: str, work: Callable[[], Awaitable[Result]]
) -> Result:
    """Does `work`, which goes through the gates, unless the same call has failed twice just now. `arguments`: as they
    came. `run`: the id of the run that it becomes. Every failure is a fault; only cancellation and `Detached` are
    raised."""
    breaker, who = world.gates.breaker, world.who
    session = f"{who.owner.tenant}/{who.owner.principal}/{who.session}"
    fault = breaker.check(session, name, arguments)
    if fault is not None:
        log.warning("%s of %s called `%s` too often in vain", who.owner.principal, who.owner.tenant, name)
    else:
        try:
            result = await work()
        except RunFault as found:
            fault = found.fault
        except Detached:
            raise
        except Exception as error:
            fault = broken(name, error)
        else:
            breaker.note(session, name, arguments, result.fault or _told(result))
            return result
    breaker.note(session, name, arguments, fault)
    return Result(fault=fault) if fault.refused is None else await refused(world, name, arguments, run, fault)


def _told(result: Result) -> Fault | None:
    """The error that a tool answered in its own words."""
    failed = result.handed is not None and result.handed.is_error
    return Fault("tool_error", "The tool failed.") if failed else None


async def refused(world: World, name: str, arguments: Any, run: str, fault: Fault) -> Result:
    """A call that was refused before it began is written down as a run that is over; one that had begun, is."""
    now, owner, plan = world.ambient.clock(), world.who.owner, world.gates.loaded
    receipt = Receipt(
        run=run,
        step=name,
        at=now,
        principal=owner.principal,
        tenant=owner.tenant,
        purpose="step",
        version=plan.plan.version,
        outcome="fault",
        tool=name,
        arguments=_digest(arguments),
        fault=fault.fault_class,
        refused=fault.refused,
    )
    begun = Begun(run, name, plan.digest, owner, now, {})
    try:
        if await world.store.journal.run(run) is not None:
            return Result(fault=fault, run=run)
        await world.store.journal.keep(begun, Ended(now, None, fault.to_json()), [receipt])
    except Exception as error:
        log.error("a refusal could not be written down", exc_info=error)
    return Result(fault=fault, run=run, receipts=(receipt,))


def _digest(arguments: Any) -> str | None:
    try:
        return digest(arguments)
    except (JsonError, ValueError, TypeError, RecursionError):
        return None
