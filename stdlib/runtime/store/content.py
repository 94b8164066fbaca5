"""What a handle keeps, as bytes: one form, one address and one set of faults for every store."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Any, Final

from ...values.canonical import JsonError, clean_text, read_json, write_canonical
from ..fault import RunFault, fault
from .handles import EXPIRES_MS, JSON, Handle, Label, default_summary

REMEMBERED_S: Final = 86_400
"""How long an owner is told that a handle has expired, in seconds; later there is none."""


def encode(value: Any, take: Callable[[bytes], None]) -> None:
    """Canonical JSON, in pieces. Faults: `shape_mismatch` (no JSON value)."""
    try:
        write_canonical(value, take)
    except JsonError as error:
        raise fault("shape_mismatch", f"The value cannot be kept under a handle. {error}") from None


def decoded(handle: Handle, content: bytes) -> Any:
    """The JSON value, or the text of another media type. Faults: `shape_mismatch` (a body that claims to be JSON)."""
    media = handle.media.partition(";")[0].strip().lower()
    if media != JSON and not media.endswith("+json"):
        return content.decode("utf-8", "replace")
    try:
        return read_json(content)
    except JsonError as error:
        raise fault("shape_mismatch", f"What `{handle.id}` keeps is not the JSON that it should be. {error}") from None


class Address:
    """Where content lies: the same bytes have one address within a tenant, and another one in each other tenant."""

    def __init__(self, tenant: str) -> None:
        self._hash = hashlib.sha256(hashlib.sha256(tenant.encode("utf-8", "surrogatepass")).digest())
        self.size = 0

    def add(self, content: bytes | bytearray) -> None:
        self._hash.update(content)
        self.size += len(content)

    @property
    def text(self) -> str:
        """64 hexadecimal digits."""
        return self._hash.hexdigest()


def address(tenant: str, content: bytes) -> str:
    found = Address(tenant)
    found.add(content)
    return found.text


def new_handle(label: Label, size: int, items: int | None, media: str, now: float) -> Handle:
    """A handle with an id that nobody can guess."""
    return Handle(
        id=f"h_{secrets.token_hex(16)}",
        kind=label.kind,
        summary=default_summary(label.kind, size, items) if label.summary is None else clean_text(label.summary),
        bytes=size,
        items=items,
        expires=now + (EXPIRES_MS if label.expires_ms is None else label.expires_ms) / 1000,
        media=media,
        plan=label.plan,
    )


def no_handle(handle_id: str) -> RunFault:
    return fault("handle_denied", f"There is no handle `{handle_id[:80]}` here.")


def expired_handle(handle_id: str) -> RunFault:
    return fault("handle_expired", f"The handle `{handle_id[:80]}` has expired.")


def gone_handle(handle_id: str) -> RunFault:
    return fault("handle_expired", f"What the handle `{handle_id[:80]}` kept is not there any more.")


def no_room() -> RunFault:
    return fault("budget_exceeded", "There is no more room for values under handles.")


def check_kind(handle: Handle, kind: str | None) -> None:
    if kind is not None and handle.kind != kind:
        raise fault("handle_denied", f"`{handle.id}` is a handle of kind {handle.kind}, not {kind}.")
