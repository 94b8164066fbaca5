"""Gate 6: a side effect with a key happens once. The ledger is asked before the call and told after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio

from ..events import CallSucceeded
from ..fault import Fault, RunFault
from ..keys import fitted
from ..result import NOTHING
from .passing import Inside, Passing

if TYPE_CHECKING:
    from ..events import StartCall
    from ..store.ledger import Claim


async def side_effect(passing: Passing, onward: Inside) -> Any:
    """Refuses with `unknown_outcome` a call that was under way when the server was ended, and that must not be done
    twice. A result that the ledger has answers instead of the tool."""
    command = passing.command
    if command is None:
        return await onward(passing)
    if command.key is None:
        if passing.sent_before and not command.repeatable:
            raise RunFault(_interrupted(command))
        return await onward(passing)
    ledger = passing.world.store.ledger
    claim = await ledger.claim(command.key, passing.run)
    if claim.recorded is not NOTHING:
        return CallSucceeded(command.call, claim.recorded, replayed=claim.run != passing.run)
    passing.sends = claim.sends
    done: Any = None
    try:
        if (claim.interrupted or passing.sent_before) and not command.repeatable:
            raise RunFault(_interrupted(command))
        passing.arguments = _sent(command, claim)
        done = await onward(passing)
        return done
    finally:
        with anyio.CancelScope(shield=True):
            if isinstance(done, CallSucceeded):
                await ledger.record(claim, done.value)
            else:
                await ledger.release(claim)


def _sent(command: StartCall, claim: Claim) -> dict[str, Any]:
    if claim.sends == claim.key or command.parameter is None:
        return command.arguments
    schema = command.tool.plan.input_schema.get("properties", {}).get(command.parameter, {})
    return {**command.arguments, command.parameter: fitted(claim.sends, schema)}


def _interrupted(command: StartCall) -> Fault:
    message = "the server was ended while the call was under way."
    why = Fault("unavailable", message, refused="side_effect")
    return known_outcome(why, command.tool.label, command.repeatable)


def known_outcome(fault: Fault, label: str, repeatable: bool) -> Fault:
    """The fault itself, or `unknown_outcome` where a call that must not be repeated was sent and not answered."""
    if repeatable or not fault.sent or fault.fault_class not in ("timeout", "unavailable"):
        return fault
    message = f"It is unknown whether {label} has happened: {fault.message}"
    known = {**fault.details, "cause": fault.fault_class, "because": fault.message}
    return replace(fault, fault_class="unknown_outcome", message=message, details=known)
