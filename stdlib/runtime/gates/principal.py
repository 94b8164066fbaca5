"""Gate 1: who calls. Whoever is unknown by now, or whose time is over, calls nothing.

Nothing of a client's token goes further than the border: sources are reached with their own credentials.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from ..principal import Owner, Principal
from .passing import Inside, Passing, refusal


class Principals(Protocol):
    """Everybody who may call."""

    def current(self, owner: Owner) -> Principal | None:
        """The principal with the rights that it has now; None where it is unknown, or its time is over."""
        ...


@dataclass(frozen=True, slots=True)
class Who:
    """On whose behalf calls are made. `principal`: as it was when it called; None for a run that goes on by itself.
    `session`: what a session's budget and circuit breaker count for. `scopes`: those of the chain that was called.
    `can_be_asked`: whether the client can put questions to its user."""

    owner: Owner = field(default_factory=Owner)
    principal: Principal | None = field(default_factory=Principal)
    session: str = ""
    scopes: tuple[str, ...] = ()
    can_be_asked: bool = True


def returning(owner: Owner) -> Principal | None:
    """Who an interrupted run belongs to, where nobody keeps a list: the owner of this process, or nobody known."""
    here = Principal()
    return here if owner == here.owner else None


async def principal(passing: Passing, onward: Inside) -> Any:
    """Refuses with `denied`."""
    if not passing.settles:
        who, known = passing.world.who, passing.world.gates.principals
        passing.principal = who.principal if known is None else known.current(who.owner)
        if passing.principal is None:
            message = f"{passing.label} is not called: `{who.owner.principal}` is unknown, or may not call any more."
            raise refusal("principal", "denied", message)
    return await onward(passing)
