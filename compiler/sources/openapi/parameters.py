"""Parameter Objects: what goes into path, query, headers and cookies, and how it is written there."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from compiler.loader.lock_shape import visible
from compiler.sources.openapi.arguments import Arguments
from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.schemas import SchemaWriter
from compiler.sources.openapi.source import Note, Unserved
from compiler.types.from_schema import BadSchema, from_schema
from stdlib.plan.openapi import Location, Parameter, Style
from stdlib.values.plain import plain
from stdlib.values.types import ListType, MapType, Record, Type, members

ORDER: Final[tuple[Location, ...]] = ("path", "query", "header", "cookie")
_DEFAULT_STYLE: Final[dict[str, Style]] = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
_STYLES: Final = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
_IGNORED: Final = frozenset(("accept", "content-type", "authorization"))
"""Header parameters of these names mean nothing (OpenAPI 3.1 section 4.8.12)."""
_OURS: Final = frozenset(
    (
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect",
        "cookie", "proxy-authorization", "proxy-connection", "accept-encoding",
    )
)  # fmt: skip
"""What the request itself says; a tool that could set these could say something else than it sends."""
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def add_parameters(
    documents: Documents, writer: SchemaWriter, arguments: Arguments, lists: list[At]
) -> list[Parameter]:
    """Add the parameters of `lists` (those of the path, then those of the operation, which win). Raises Unserved."""
    found: dict[tuple[str, str], At] = {}
    for each in lists:
        for i in range(len(each.list("`parameters`"))):
            at = documents.resolved(each.get(i))
            at.record("A parameter")
            found[at.text("in"), at.text("name")] = at
    added: list[Parameter] = []
    for location in ORDER:
        for (place, name), at in found.items():
            if place != location or (place == "header" and name.lower() in _IGNORED):
                continue
            required = location == "path" or at.flag("required")
            try:
                added.append(_add(documents, writer, arguments, at, location, name, required))
            except Unserved as unserved:
                if required or unserved.reason != "parameter":
                    raise
                arguments.notes.append(Note(at.place, f"`{visible(name)}` is left out. {unserved.why}", lost=True))
    unknown = next((at for (place, _), at in found.items() if place not in ORDER), None)
    if unknown is not None:
        raise Unserved("broken", unknown.place.at("in"), "A parameter is in path, query, header or cookie.")
    return added


def _add(
    documents: Documents,
    writer: SchemaWriter,
    arguments: Arguments,
    at: At,
    location: Location,
    name: str,
    required: bool,
) -> Parameter:
    if not name:
        raise Unserved("broken", at.place, "A parameter has no name.")
    if location in ("header", "cookie") and (not _TOKEN.fullmatch(name) or name.lower() in _OURS):
        raise Unserved("parameter", at.place, f"`{visible(name)}` cannot be the name of a {location} that a tool sets.")
    content = at.get("content").value
    if isinstance(content, dict) and content:
        media = next(iter(content))
        if not is_json(media):
            raise Unserved("parameter", at.place, f"`{name}` is written as {visible(media)}, which cannot be done.")
        schema, style, explode, json_text = at.get("content", media, "schema"), _DEFAULT_STYLE[location], False, True
    else:
        style = cast(Style, at.text("style") or _DEFAULT_STYLE[location])
        if style not in _STYLES[location]:
            raise Unserved("parameter", at.place, f"The style {visible(style)} is none for a {location}.")
        schema, explode, json_text = at.get("schema"), at.flag("explode", style in ("form", "deepObject")), False
    written = writer.write(schema)
    if not json_text:
        problem = unsendable(_type(documents, schema, writer), location, style, explode)
        if problem:
            raise Unserved("parameter", at.place, f"`{name}` {problem}.")
    argument = arguments.add(name, location, with_remark(written, at), required, at.place)
    reserved = location == "query" and at.flag("allowReserved")
    return Parameter(
        argument=argument, name=name, location=location, style=style, explode=explode, reserved=reserved,
        json_text=json_text,
    )  # fmt: skip


def with_remark(schema: dict[str, Any], at: At) -> dict[str, Any]:
    """The schema with the description of the parameter (or field) itself, which says more."""
    remark = plain(at.text("description"))
    if at.flag("deprecated"):
        schema = {**schema, "deprecated": True}
    return {**schema, "description": remark} if remark else schema


def is_json(media: str) -> bool:
    """`application/json`, `application/problem+json; charset=utf-8`, `*/*` and the like."""
    name = media.partition(";")[0].strip().lower()
    return name in ("application/json", "text/json", "*/*", "application/*") or name.endswith("+json")


def _type(documents: Documents, schema: At, writer: SchemaWriter) -> Type | None:
    """What values a schema has; None where it cannot be said (which is told for the whole tool)."""
    alone = SchemaWriter(documents, writer.side)
    reading = from_schema(alone.finish(alone.write(schema)))
    return None if isinstance(reading, BadSchema) else reading.type


def unsendable(t: Type | None, location: str, style: str, explode: bool) -> str:
    """Why values of a type have no text in this style, as the end of a sentence. `json` is looked at in each call."""
    for each in members(t) if t is not None else ():
        if isinstance(each, ListType):
            inner: list[Type] = [each.item]
            if style == "deepObject":
                return "is a list, which deepObject cannot write"
        elif isinstance(each, Record | MapType):
            inner = [f.type for f in each.fields] if isinstance(each, Record) else [each.value]
        else:
            continue
        if location == "cookie" and explode:
            return "is a list or an object that would need several cookies"
        if any(isinstance(m, ListType | Record | MapType) for t in inner for m in members(t)):
            return f"holds lists or objects inside of a list or object, which {style} cannot write"
    return ""
