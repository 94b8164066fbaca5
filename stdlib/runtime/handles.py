"""Handles: values that stay in the server, with a name that a client can pass on.

A handle's id is unguessable (128 random bits), its value is stored once for equal contents, and it expires.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ..values.time import NANOS, Timestamp, write_timestamp
from .fault import fault

EXPIRES_MS: Final = 3_600_000
"""How long a handle lives where its chain says nothing: an hour."""

LARGE_RESULT: Final = "result"
"""The kind of a handle that keeps an oversize scalar result."""

_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Handle:
    """What is known of a stored value. `expires`: seconds since the epoch. `items`: of a list, else None."""

    id: str
    kind: str
    summary: str
    bytes: int
    items: int | None
    expires: float

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


class HandleStore(Protocol):
    """Where handles live. Every method may raise `RunFault`."""

    def put(self, kind: str, value: Any, summary: str | None, expires_ms: int | None) -> Handle:
        """Stores a JSON value; without a summary the handle gets one that names kind, size and number of items."""

    def describe(self, handle_id: str) -> Handle:
        """Faults: `handle_denied` (there is none), `handle_expired`."""

    def get(self, handle_id: str, kind: str | None = None) -> Any:
        """The value; `kind`: the kind it must have (`handle_denied`)."""


@dataclass(slots=True)
class _Blob:
    value: Any
    size: int
    users: int


class MemoryHandles:
    """Handles for the life of the process, at most `capacity` bytes of values."""

    def __init__(
        self,
        capacity: int = 1 << 29,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: f"h_{secrets.token_hex(16)}",
    ) -> None:
        self._capacity = capacity
        self._clock = clock
        self._new_id = new_id
        self._handles: dict[str, tuple[Handle, bytes]] = {}
        self._blobs: dict[bytes, _Blob] = {}
        self._expired: OrderedDict[str, None] = OrderedDict()
        self._used = 0

    def put(self, kind: str, value: Any, summary: str | None, expires_ms: int | None) -> Handle:
        self._forget_expired()
        content = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        digest = hashlib.sha256(content).digest()
        blob = self._blobs.get(digest)
        if blob is None:
            if self._used + len(content) > self._capacity:
                raise fault("budget_exceeded", "The values kept under handles have used up their memory.")
            blob = self._blobs[digest] = _Blob(value, len(content), 0)
            self._used += blob.size
        blob.users += 1
        items = len(value) if isinstance(value, list) else None
        expires = self._clock() + (EXPIRES_MS if expires_ms is None else expires_ms) / 1000
        text = summary if summary is not None else _summary(kind, blob.size, items)
        handle = Handle(self._new_id(), kind, text, blob.size, items, expires)
        self._handles[handle.id] = handle, digest
        return handle

    def describe(self, handle_id: str) -> Handle:
        return self._find(handle_id)[0]

    def get(self, handle_id: str, kind: str | None = None) -> Any:
        handle, digest = self._find(handle_id)
        if kind is not None and handle.kind != kind:
            raise fault("handle_denied", f"`{handle_id}` is a handle of kind {handle.kind}, not {kind}.")
        return self._blobs[digest].value

    def _find(self, handle_id: str) -> tuple[Handle, bytes]:
        self._forget_expired()
        found = self._handles.get(handle_id)
        if found is not None:
            return found
        if handle_id in self._expired:
            raise fault("handle_expired", f"The handle `{handle_id}` has expired.")
        raise fault("handle_denied", f"There is no handle `{handle_id[:80]}` here.")

    def _forget_expired(self) -> None:
        now = self._clock()
        for handle_id in [each for each, (handle, _) in self._handles.items() if handle.expires <= now]:
            _, digest = self._handles.pop(handle_id)
            blob = self._blobs[digest]
            blob.users -= 1
            if not blob.users:
                self._used -= blob.size
                del self._blobs[digest]
            self._expired[handle_id] = None
            if len(self._expired) > _REMEMBERED:
                self._expired.popitem(last=False)


def _summary(kind: str, size: int, items: int | None) -> str:
    count = "" if items is None else f"{items} item{'' if items == 1 else 's'}, "
    return f"{kind}: {count}{size} bytes."
