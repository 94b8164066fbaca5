"""What `on error` and `on item_error` make of a fault."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..plan.model import Origin
from .evaluate import Scope
from .fault import Fault, bounded
from .loaded import LoadedReaction

if TYPE_CHECKING:
    from .machine import Machine


def reworded(
    machine: Machine, fault: Fault, reaction: LoadedReaction, scope: Scope, path: str, origin: Origin
) -> Fault:
    """The fault as `fail "message"` words it; what happened stands in `details.cause`. Without a message: the fault."""
    if reaction.value is None:
        return fault
    message = bounded(str(machine.evaluate(reaction.value, scope, path, origin)))
    return replace(fault, message=message, details={**fault.details, "cause": fault.message})


def reacted(machine: Machine, reaction: LoadedReaction, scope: Scope, path: str, origin: Origin) -> Any:
    """The value of `use`; null for `skip`."""
    return None if reaction.value is None else machine.evaluate(reaction.value, scope, path, origin)
