"""The seven gates: a call passes through all of them, in this order, and each can only refuse."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..fault import RunFault
from .breaker import Breaker
from .budget import Usage, budget
from .consent import Consents, consent
from .mask import Mask
from .passing import Inside, Pass, Passing
from .principal import Principals, principal
from .resource import Resources, resource
from .result import result
from .side_effect import side_effect
from .tool import tool

if TYPE_CHECKING:
    from ..loaded import LoadedPlan

log = logging.getLogger("chainc.gates")


@dataclass(frozen=True, slots=True)
class Gate:
    """`name`: as receipts have it. `asks`: what it wants to know."""

    name: str
    asks: str
    passes: Pass


GATES: Final = (
    Gate("principal", "who calls", principal),
    Gate("tool", "whether it is the tool that was checked", tool),
    Gate("resource", "what it touches: scopes, addresses, paths", resource),
    Gate("consent", "whether the user agrees", consent),
    Gate("budget", "whether the caller has used its share", budget),
    Gate("side_effect", "whether it has happened already", side_effect),
    Gate("result", "what comes back", result),
)


async def _call(passing: Passing) -> Any:
    return await passing.inside(passing)


def _entrance() -> Inside:
    onward: Inside = _call
    for gate in reversed(GATES):
        onward = _at(gate.passes, onward)
    return onward


def _at(gate: Pass, onward: Inside) -> Inside:
    return lambda passing: gate(passing, onward)


_ENTRANCE: Final = _entrance()


@dataclass(frozen=True)
class Gates:
    """What the gates of one plan decide by. `principals`: everybody who may call, None: whoever does. `usage` and
    `breaker` are those of the whole server, whichever plan a run is pinned to."""

    loaded: LoadedPlan
    principals: Principals | None = None
    consents: Consents = field(default_factory=Consents)
    usage: Usage = field(default_factory=Usage)
    breaker: Breaker = field(default_factory=Breaker)

    @cached_property
    def resources(self) -> Resources:
        return Resources(self.loaded.plan.network, self.loaded.plan.sources.values())

    @cached_property
    def mask(self) -> Mask:
        """What clients do not get to see."""
        return Mask(self.loaded.plan.mask)


async def through(passing: Passing) -> Any:
    """What the call gives. Raises `RunFault`: a gate's refusal, which the log has, too, or a fault of the call."""
    try:
        return await _ENTRANCE(passing)
    except RunFault as found:
        if found.fault.refused is not None:
            gate, who = found.fault.refused, passing.world.who.owner
            why = found.fault.fault_class
            log.warning("the gate `%s` refused %s of %s of %s: %s", gate, passing.name, who.principal, who.tenant, why)
        raise
