"""A call on its way through the gates: a client's call of a chain or of a tool, or a step's call of a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..fault import Fault, RunFault, bounded
from ..principal import Principal

if TYPE_CHECKING:
    from ..events import StartCall
    from ..loaded import LoadedTool
    from ..world import World


@dataclass(slots=True)
class Passing:
    """`name`: as receipts have it, a chain's id or `SOURCE.TOOL`; `label`: as messages have it. `scopes`: what its
    caller must be allowed to do. `by_client`: a client called exactly this; `command`: the call of a tool, None for a
    chain; `run` it belongs to.

    `settles`: it takes something back or finds out what has happened, so rights and budgets do not stand in its way.
    `sent_before`: it was sent before an interruption. `sends`: the key that goes with it. `principal`: as known now.
    `approval`: what the user answered, as receipts have it. `inside`: what is done where no gate refuses.
    """

    world: World
    name: str
    label: str
    scopes: tuple[str, ...]
    arguments: Mapping[str, Any]
    inside: Inside
    tool: LoadedTool | None = None
    command: StartCall | None = None
    run: str = ""
    by_client: bool = False
    settles: bool = False
    sent_before: bool = False
    sends: str | None = None
    principal: Principal | None = None
    approval: dict[str, Any] | None = None


Inside = Callable[[Passing], Awaitable[Any]]
"""What lies behind a gate: the further gates, then the call itself."""


class Pass(Protocol):
    """A gate: raises `RunFault` where it refuses, else gives what comes from inside."""

    def __call__(self, passing: Passing, onward: Inside) -> Awaitable[Any]: ...


def refusal(gate: str, fault_class: str, message: str, **rest: Any) -> RunFault:
    """A gate refuses: nothing was called."""
    return RunFault(Fault(fault_class, bounded(message), sent=False, refused=gate, **rest))
