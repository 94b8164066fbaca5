"""Calls of tools whose results go into the store as they come, and whose arguments come from there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from ..plan.expression import Ref
from ..plan.model import JsonSchema
from ..plan.plan import Command, OpenApi, Plan, Source, ToolTarget
from . import media as m
from .events import CallSucceeded
from .fault import fault
from .held import Held, Stored, load, stored_form
from .holding import referred
from .principal import Owner
from .result import ToolAnswer
from .store import Store
from .store.handles import JSON, Handle, Label

if TYPE_CHECKING:
    from .loaded import LoadedPlan, LoadedTool
    from .world import Tools

HELD_MS: Final = 86_400_000
"""How long a result stays that only steps pass on; it goes with its run, so this is for runs that are interrupted."""

Keep = Callable[[AsyncIterator[bytes], str], Awaitable[Handle]]
"""Takes the body of an answer and its media type into the store. What the body raises, it raises, and keeps nothing."""


@runtime_checkable
class Fetching(Protocol):
    """Tools whose answers may go into the store as they come."""

    async def fetch(self, source: str, key: str, arguments: dict[str, Any], timeout: float, keep: Keep) -> ToolAnswer:
        """As `Tools.call`, with the body of the answer given to `keep` where it comes in parts. The time counts until
        it has ended."""


@dataclass(frozen=True, slots=True)
class Sending:
    """Calls on behalf of one owner, under one plan."""

    loaded: LoadedPlan
    store: Store
    owner: Owner
    tools: Tools

    async def send(self, tool: LoadedTool, arguments: Mapping[str, Any], timeout: float) -> ToolAnswer:
        """Calls the tool once. Raises `RunFault`."""
        given = {name: await self._argument(tool, name, value) for name, value in arguments.items()}
        if tool.plan.handle is None or not isinstance(self.tools, Fetching):
            return await self.tools.call(tool.source, tool.key, given, timeout)
        keep = _Keeping(self, tool.label, tool.plan.handle)
        return await self.tools.fetch(tool.source, tool.key, given, timeout, keep)

    async def _argument(self, tool: LoadedTool, name: str, value: Any) -> Any:
        """A stored value is sent on in parts where it was kept in the form in which it is sent."""
        if not isinstance(value, Held):
            return value
        handle = value.handle
        schema = self.schema(handle.kind)
        form = stored_form(schema)
        wanted = stored_form(tool.plan.input_schema.get("properties", {}).get(name))
        if m.is_json(handle.media) or form != wanted:
            return await load(self.store.handles, self.owner, handle.id, handle.kind, schema, self._most)
        return Stored(self.store.handles, self.owner, handle.id, handle.bytes, handle.media)

    async def settled(self, call: str, kept: Handle, *, held: bool) -> CallSucceeded:
        """The event of a call whose answer was kept. `held`: nobody looks into the value. What claims to be JSON is
        checked now, unless there is no room for it in memory. Raises `RunFault`, and forgets the answer then."""
        handles, schema = self.store.handles, self.schema(kept.kind)
        loads = not held or (stored_form(schema) == "json" and kept.bytes <= self._most)
        try:
            value = await load(handles, self.owner, kept.id, kept.kind, schema, self._most) if loads else None
        except BaseException:
            await handles.drop(self.owner, kept.id)
            raise
        if held:
            return CallSucceeded(call, Held.of(kept), kept.bytes, held=True)
        await handles.drop(self.owner, kept.id)
        return CallSucceeded(call, value, kept.bytes)

    def schema(self, kind: str) -> JsonSchema | None:
        found = self.loaded.plan.kinds.get(kind)
        return None if found is None else found.json_schema

    @property
    def _most(self) -> int:
        return self.loaded.plan.limits.result_bytes


@dataclass(frozen=True, slots=True)
class _Keeping:
    """A `Keep` for one call of a tool."""

    sending: Sending
    label: str
    kind: str

    async def __call__(self, body: AsyncIterator[bytes], media: str) -> Handle:
        sending = self.sending
        form = stored_form(sending.schema(self.kind))
        name = m.kind(media)
        readable = m.is_json(media) or m.is_text(media) or not name
        if form != "bytes" and not readable:
            what = "text" if form == "text" else "JSON"
            raise fault("shape_mismatch", f"{self.label} answered {_shown(name)}, which is no {what}.")
        if form != "bytes":
            body = m.as_utf8(body, m.charset(media))
        label = Label(self.kind, None, HELD_MS, sending.loaded.digest)
        kept = {"json": JSON, "text": name if m.is_text(media) else m.TEXT, "bytes": name}[form]
        if form == "bytes" and (not name or m.is_json(name)):
            kept = m.BYTES
        return await sending.store.handles.keep(sending.owner, label, self._limited(body), kept)

    async def _limited(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        most = self.sending.loaded.plan.limits.handle_bytes
        size = 0
        async for part in body:
            size += len(part)
            if size > most:
                raise fault("result_too_large", f"{self.label} answered more than {most} bytes.")
            yield part


def _shown(name: str) -> str:
    return "".join(c for c in name if c.isprintable())[:80]


def takes_parts(plan: Plan, target: ToolTarget, name: str) -> bool:
    """Whether a tool takes an argument from the store in parts: a body or a file of a request, what a program reads."""
    source = plan.sources.get(target.source)
    tool = None if source is None else source.tools.get(target.name)
    if source is None or tool is None or not _plain_text(tool.input_schema.get("properties", {}).get(name)):
        return False
    return _sends_parts(source, target.name, name)


def _sends_parts(source: Source, key: str, name: str) -> bool:
    transport = source.transport
    if isinstance(transport, OpenApi):
        body = transport.operations[key].body
        if body is None:
            return False
        if body.argument is not None:
            return body.argument == name and body.encoding in ("text", "file")
        fields = [each for each in body.fields if each.argument == name]
        return body.encoding == "multipart" and bool(fields) and all(each.content != "json" for each in fields)
    if isinstance(transport, Command):
        invocation = transport.invocations[key]
        others = [each for argument in invocation.arguments for each in referred(argument.value)]
        return isinstance(invocation.stdin, Ref) and invocation.stdin.name == name and name not in others
    return False


_SAID: Final = ("type", "format", "description", "title", "default", "examples", "contentMediaType")


def _plain_text(schema: Any) -> bool:
    """Any text, or any bytes: nothing that would have to be looked at."""
    return (
        isinstance(schema, dict)
        and schema.get("type") == "string"
        and schema.get("format") in (None, "byte")
        and all(key in _SAID for key in schema)
    )
