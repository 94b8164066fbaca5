"""Handles: values that stay in the server, with a name that a client can pass on.

A handle's id is unguessable (128 random bits) and bound to its owner, it expires, and equal contents are stored once
within a tenant.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ...values.time import NANOS, Timestamp, write_timestamp
from ..principal import Owner

EXPIRES_MS: Final = 3_600_000
"""How long a handle lives where its chain says nothing: an hour."""

LARGE_RESULT: Final = "result"
"""The kind of a handle that keeps an oversize scalar result."""

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Handle:
    """What is known of a stored value. `bytes`: of what is stored. `items`: of a list, else None. `expires`: seconds
    since the epoch. `media`: JSON, or the media type of a body that is kept as it came. `plan`: the digest of the plan
    that it was made under."""

    id: str
    kind: str
    summary: str
    bytes: int
    items: int | None
    expires: float
    media: str = JSON
    plan: str = ""

    @property
    def uri(self) -> str:
        return f"chainc://handle/{self.id}"

    def to_json(self) -> dict[str, Any]:
        """The handle as clients get it, below `handle`."""
        expires = write_timestamp(Timestamp(int(self.expires) * NANOS))
        return {
            "id": self.id,
            "kind": self.kind,
            "summary": self.summary,
            "bytes": self.bytes,
            "items": self.items,
            "expires": expires,
        }


@dataclass(frozen=True, slots=True)
class Label:
    """What a handle is made with. Without a summary it gets one that names kind, size and number of items."""

    kind: str
    summary: str | None = None
    expires_ms: int | None = None
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Pinned:
    """Living handles that were made under one plan: its digest, how many, and when the last one expires, in seconds
    since the epoch."""

    plan: str
    handles: int
    until: float


class Handles(Protocol):
    """Where handles live. Faults: `handle_denied` (there is none of this owner's, or it has another kind: one fault
    for all of them, so that nobody learns of the handles of others), `handle_expired`, `budget_exceeded` (no room)."""

    async def put(self, owner: Owner, label: Label, value: Any) -> Handle:
        """Stores a JSON value."""

    async def keep(self, owner: Owner, label: Label, body: AsyncIterator[bytes], media: str) -> Handle:
        """Stores a body as it comes, never the whole of it in memory. When `body` raises, nothing is kept."""

    async def again(self, owner: Owner, handle_id: str, label: Label) -> Handle:
        """One more handle for what that one keeps, which is not copied."""

    async def drop(self, owner: Owner, handle_id: str) -> None:
        """The handle expires now. None of this owner's: nothing happens."""

    async def describe(self, owner: Owner, handle_id: str) -> Handle: ...

    async def value(self, owner: Owner, handle_id: str, kind: str | None = None) -> Any:
        """The JSON value; of another media type the text (UTF-8, what is none replaced)."""

    async def part(self, owner: Owner, handle_id: str, offset: int, length: int) -> bytes:
        """So many bytes of what is stored, from there on; fewer at its end."""

    async def pinned(self) -> Sequence[Pinned]:
        """The plans that living handles of anybody were made under, in the order of their digests."""


def default_summary(kind: str, size: int, items: int | None) -> str:
    count = "" if items is None else f"{items} item{'' if items == 1 else 's'}, "
    return f"{kind}: {count}{size} bytes."
