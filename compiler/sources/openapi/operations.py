"""One Operation Object → one tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from compiler.loader.lock_shape import alias_of, schema_digest, visible
from compiler.loader.service_address import read_servers
from compiler.project import Annotations, JsonSchema, LockedTool
from compiler.sources.openapi.arguments import Arguments
from compiler.sources.openapi.bodies import add_body
from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.pages import read_pages
from compiler.sources.openapi.parameters import add_parameters
from compiler.sources.openapi.responses import read_responses
from compiler.sources.openapi.schemas import SchemaWriter
from compiler.sources.openapi.security import read_security
from compiler.sources.openapi.source import Note, OpenApiTool, Place, Scheme, Unserved
from compiler.types.from_schema import BadSchema, from_schema, parameters
from stdlib.plan.openapi import Operation
from stdlib.values.plain import MOST_DESCRIPTION, plain

METHODS: Final = ("get", "head", "options", "put", "delete", "post", "patch", "trace")
"""The operations of a Path Item (OpenAPI 3.1 section 4.8.9)."""
_READS: Final = Annotations(read_only=True, idempotent=True, destructive=False)
_REPEATABLE: Final = Annotations(idempotent=True)
EFFECTS: Final[Mapping[str, Annotations]] = {
    "get": _READS,
    "head": _READS,
    "options": _READS,
    "put": _REPEATABLE,
    "delete": _REPEATABLE,
    "post": Annotations(),
    "patch": Annotations(),
}
"""What a method promises (RFC 9110 section 9.2); without a promise the protocol's defaults hold."""
_TEMPLATE = re.compile(r"\{([^{}]*)\}")
_LITERAL: Final = "/-._~!$&'()*+,;=:@%{}"


@dataclass(frozen=True, slots=True)
class Root:
    """What all operations of a document share."""

    documents: Documents
    at: At
    schemes: Mapping[str, Scheme]
    secured: bool


@dataclass(frozen=True, slots=True)
class Found:
    """An operation before it is read: its path, the Path Item and the Operation Object."""

    path: str
    method: str
    item: At
    at: At

    @property
    def shown(self) -> str:
        return f"{self.method.upper()} {visible(self.path, 200)}"

    @property
    def plain_name(self) -> str:
        """A name from method and path: `get_pets_petId` of `GET /pets/{petId}`."""
        words = [word for word in re.split(r"[^A-Za-z0-9_]+", self.path) if word]
        return "_".join([self.method, *words])[:200]


def read_operation(root: Root, found: Found, name: str) -> OpenApiTool:
    """The tool called `name`. Raises Unserved."""
    if found.method == "trace":
        raise Unserved("method", found.at.place, "TRACE answers the request itself.")
    found.at.record("An operation")
    asked, answered = SchemaWriter(root.documents, "request"), SchemaWriter(root.documents, "response")
    arguments = Arguments()
    lists = [found.item.get("parameters"), found.at.get("parameters")]
    placed = add_parameters(root.documents, asked, arguments, lists)
    path = _path(found, {each.name for each in placed if each.location == "path"}, arguments)
    placed = [each for each in placed if each.location != "path" or f"{{{each.name}}}" in found.path]
    body = add_body(root.documents, asked, arguments, found.at.get("requestBody"))
    results = read_responses(root.documents, answered, found.at.get("responses"), found.method.upper())
    needs = read_security(found.at, root.at, root.schemes, root.secured)
    taken = asked.finish(arguments.schema())
    given = answered.finish(results.schema) if results.schema is not None else None
    _finite(found.at.place, taken, given)
    own = next((at for at in (found.at.get("servers"), found.item.get("servers")) if read_servers(at.value)), None)
    binding = Operation(
        method=found.method.upper(),
        path=path,
        server=read_servers(own.value)[0].url if own is not None else None,
        parameters=tuple(placed),
        body=body,
        accept=results.accept,
        responses=results.responses,
        raw=given is None,
        security=needs.alternatives,
    )
    tool = LockedTool(
        name=name,
        alias=alias_of(name),
        description=_description(found),
        input_schema=taken,
        output_schema=given,
        annotations=EFFECTS[found.method],
        digest=schema_digest({"name": name, "inputSchema": taken, "outputSchema": given}),
        pages=read_pages(root.documents, root.at, found.at, binding, given),
    )
    notes: tuple[Note, ...] = (*arguments.notes, *asked.notes, *answered.notes)
    where = own.place if own is not None else None
    return OpenApiTool(tool, binding, needs.scopes, tuple(dict.fromkeys(notes)), where)


def _path(found: Found, declared: set[str], arguments: Arguments) -> str:
    """The template with its fixed parts percent-encoded. Raises Unserved."""
    place = found.item.place
    if not found.path.startswith("/") or any(c in found.path for c in "?#\\"):
        raise Unserved("broken", place, "A path begins with `/` and has neither `?` nor `#`.")
    if any(segment in (".", "..") for segment in found.path.split("/")):
        raise Unserved("broken", place, "A path has no `.` or `..` segments.")
    in_path = _TEMPLATE.findall(found.path)
    missing = next((name for name in in_path if name not in declared), None)
    if missing is not None:
        raise Unserved("broken", place, f"`{visible(missing)}` of the path is no parameter.")
    for name in sorted(declared - set(in_path)):
        arguments.properties.pop(name, None)
        arguments.required.remove(name)
        arguments.notes.append(Note(place, f"`{visible(name)}` is left out: the path has no place for it.", lost=True))
    parts = _TEMPLATE.split(found.path)
    return "".join(f"{{{part}}}" if i % 2 else quote(part, safe=_LITERAL) for i, part in enumerate(parts))


def _description(found: Found) -> str:
    """Summary and description; the request itself where there is neither."""
    summary, more = plain(found.at.text("summary")), plain(found.at.text("description"), MOST_DESCRIPTION)
    if not summary and not more:
        summary = plain(found.item.text("summary")) or plain(found.item.text("description"), MOST_DESCRIPTION)
    texts = [text for text in (summary, more if more != summary else "") if text] or [found.shown]
    return "\n\n".join(["Deprecated.", *texts] if found.at.flag("deprecated") else texts)


def _finite(place: Place, taken: JsonSchema, given: JsonSchema | None) -> None:
    """Both schemas must be readable as types."""
    for what, reading in (
        ("What it takes", parameters(taken)),
        ("What it gives", from_schema(given) if given is not None else None),
    ):
        if isinstance(reading, BadSchema):
            where = f" at `{visible(reading.pointer)}`" if reading.pointer else ""
            raise Unserved("schema", place, f"{what} cannot be read{where}: {visible(reading.why, 300)}.")
