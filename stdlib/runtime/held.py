"""Values that stay in the store while steps pass them on, and the way from there to a value in memory."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

import anyio

from ..plan.model import JsonSchema
from ..values.canonical import JsonError, clean_text, read_json
from . import media as m
from .complete import completed
from .fault import Fault, RunFault, fault
from .principal import Owner
from .result import LARGE
from .schema import Shape
from .store.content import check_kind
from .store.handles import Handle, Handles

PART: Final = 1 << 18
"""So many bytes of a stored value are read at a time."""


class Held(dict[str, Any]):
    """Stands for a stored value in a run. A JSON record, so that journals, digests and receipts take it as it is; what
    makes it more than that is its class."""

    @classmethod
    def of(cls, handle: Handle) -> Held:
        return cls({"$handle": asdict(handle)})

    @property
    def handle(self) -> Handle:
        return Handle(**self["$handle"])


def held_names(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Under which names such values stand; `held_again` makes them of what a journal gives back."""
    return tuple(name for name, value in values.items() if isinstance(value, Held))


def held_again(values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: Held(value) if name in names else value for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored value as an argument of a tool: read in parts, by whoever sends it on. `size` in bytes."""

    handles: Handles
    owner: Owner
    id: str
    size: int
    media: str

    async def parts(self) -> AsyncIterator[bytes]:
        """All of it. Faults: `handle_expired`."""
        for offset in range(0, self.size, PART):
            yield await self.handles.part(self.owner, self.id, offset, PART)


def stored_form(schema: JsonSchema | None) -> str:
    """How the values of a schema are stored where a body is kept as it comes: `bytes`, `text`, or `json`."""
    if schema is None or schema.get("type") != "string":
        return "json"
    return "bytes" if schema.get("format") == "byte" else "text"


async def load(
    handles: Handles, owner: Owner, handle_id: str, kind: str | None, schema: JsonSchema | None, limit: int
) -> Any:
    """The stored value, in memory. `schema`: of its kind; a body that was kept as it came is checked against it now.

    Faults: `handle_denied`, `handle_expired`, `result_too_large` (more than `limit` bytes), `shape_mismatch`.
    """
    handle = await handles.describe(owner, handle_id)
    check_kind(handle, kind)
    if handle.bytes > limit:
        raise too_large(handle, limit)
    form = stored_form(schema)
    if m.is_json(handle.media):
        read = partial(_checked, handle, schema, await handles.value(owner, handle_id, kind))
    else:
        read = partial(_read, handle, form, schema, await handles.part(owner, handle_id, 0, handle.bytes))
    return await anyio.to_thread.run_sync(read) if handle.bytes > LARGE else read()


def _read(handle: Handle, form: str, schema: JsonSchema | None, content: bytes) -> Any:
    return _checked(handle, schema, _value(handle, form, content))


def _checked(handle: Handle, schema: JsonSchema | None, value: Any) -> Any:
    if schema is None:
        return value
    shape = Shape(schema)
    mismatch = shape.mismatch(value)
    if mismatch is not None:
        value = completed(value, schema)
        mismatch = shape.mismatch(value)
    if mismatch is not None:
        problem = mismatch.sentence("the whole of it")
        message = f"What `{handle.id}` keeps is no value of the kind {handle.kind}: {problem}"
        raise fault("shape_mismatch", message, details={"path": mismatch.path})
    return shape.settled(value)


def too_large(handle: Handle, limit: int) -> RunFault:
    message = f"`{handle.id}` keeps {handle.bytes} bytes; at most {limit} are taken into memory."
    advice = "Pass it on as a handle, or read it in pages: handle_read with an offset (and a limit)."
    return RunFault(Fault("result_too_large", message, next=advice))


def _value(handle: Handle, form: str, content: bytes) -> Any:
    if form == "bytes":
        return base64.b64encode(content).decode()
    if form == "text" or m.is_text(handle.media):
        return clean_text(content.decode("utf-8", "replace"))
    try:
        return read_json(content)
    except JsonError as error:
        raise fault("shape_mismatch", f"What `{handle.id}` keeps is not the JSON that it should be. {error}") from None
