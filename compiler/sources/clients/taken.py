"""What becomes of a server of a client's configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks its user for: how it describes that, and what it takes where nothing is said."""

    description: str = ""
    default: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Needed:
    """A variable that must be set before the source is used; `why` is what is known of it, or empty. `value`: what it
    is there, secrets and placeholders included."""

    name: str
    why: str = ""
    value: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Found:
    """A source: `table` is what stands behind `mcp =`; `notes` are sentences for the person."""

    called: str
    table: dict[str, Any] = field(repr=False)
    needed: tuple[Needed, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A server that is no source: why, and in lines what to do. Neither repeats a secret. `wanted`: its client uses
    it."""

    called: str
    why: str
    help: str = ""
    wanted: bool = True
