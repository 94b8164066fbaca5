"""What a document says about pages of an answer in so many words; what schemas show is read off types elsewhere.

Three extensions are in use by generators of clients: `x-ms-pageable` (AutoRest), `x-speakeasy-pagination` and
`x-fern-pagination`. Without one, a `Link` header of a successful GET is taken for the way to the next page (RFC 8288)
where the result has a list, or the header's description says so: such headers lead to much else, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from compiler.loader.lock_shape import bad_name
from compiler.project import JsonSchema
from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.source import Unserved
from compiler.types.from_schema import BadSchema, from_schema
from compiler.types.paging import has_list, page_style
from stdlib.plan.openapi import Operation

_PLACE: Final = re.compile(r"\$(?:request|response)?((?:\.[A-Za-z_@$][\w@$-]*)+)", re.ASCII)
"""A field written as `$.meta.next` or `$response.meta.next`; other paths are too clever to be followed here."""
_NEXT: Final = re.compile(r"\bnext\b", re.IGNORECASE)
_LONGEST: Final = 500
_MOST_INPUTS: Final = 20


def read_pages(
    documents: Documents, root: At, operation: At, binding: Operation, given: JsonSchema | None
) -> dict[str, Any] | None:
    """`style`, and where they are known `argument` and `field` (a list of names), as `compiler.types.paging` takes
    them; None where the document says nothing. `given`: the schema of the result."""
    said = (
        _ms_pageable(operation.get("x-ms-pageable"))
        or _speakeasy(operation.get("x-speakeasy-pagination"))
        or _fern(operation.get("x-fern-pagination"), root)
        or _link_header(documents, operation.get("responses"), binding, given)
    )
    if said is None:
        return None
    argument = _arguments(binding).get(said.pop("name", ""))
    return {**said, "argument": argument} if argument is not None else said


def _arguments(binding: Operation) -> dict[str, str]:
    """The arguments of a tool by the names that a request has."""
    fields = binding.body.fields if binding.body is not None and binding.body.argument is None else ()
    found = {each.name: each.argument for each in fields}
    return {**found, **{each.name: each.argument for each in binding.parameters}}


def _ms_pageable(at: At) -> dict[str, Any] | None:
    """`nextLinkName` null says that there is one page only, which no schema contradicts."""
    name = at.text("nextLinkName")
    return {"style": "link", "field": [name]} if name and not bad_name(name) else None


def _speakeasy(at: At) -> dict[str, Any] | None:
    names: dict[str, str] = {}
    inputs = at.get("inputs")
    for i in range(min(len(inputs.value), _MOST_INPUTS) if isinstance(inputs.value, list) else 0):
        names.setdefault(inputs.get(i).text("type"), inputs.get(i).text("name"))
    outputs = at.get("outputs")
    match at.text("type"):
        case "cursor":
            return _made("cursor", names.get("cursor", ""), outputs.text("nextCursor"))
        case "offsetLimit" if "page" in names:
            return _made("page", names["page"], outputs.text("numPages"))
        case "offsetLimit":
            return _made("offset", names.get("offset", ""), outputs.text("numPages"))
        case "url":
            return _made("link", "", outputs.text("nextUrl"))
    return None


def _fern(at: At, root: At) -> dict[str, Any] | None:
    if at.value is True:
        at = root.get("x-fern-pagination")
    for key, gives in (("cursor", "next_cursor"), ("offset", "has-next-page")):
        asked = _fields(at.text(key))
        if asked:
            style = "cursor" if key == "cursor" else page_style(asked[-1])
            return _made(style, asked[-1], at.text(gives))
    link = at.text("next_uri") or at.text("next_path")
    return _made("link", "", link) if link else None


def _made(style: str, name: str, field: str) -> dict[str, Any]:
    found = _fields(field)
    return {"style": style, **({"name": name} if name else {}), **({"field": found} if found else {})}


def _fields(written: str) -> list[str]:
    match = _PLACE.fullmatch(written[:_LONGEST])
    return match[1][1:].split(".") if match else []


def _link_header(
    documents: Documents, responses: At, binding: Operation, given: JsonSchema | None
) -> dict[str, Any] | None:
    if binding.method != "GET" or not isinstance(responses.value, Mapping):
        return None
    for response in binding.responses:
        key = next((k for k in responses.value if k.upper() == response.status.upper()), None)
        if key is None or response.body != "json":
            continue
        try:
            headers = documents.resolved(responses.get(key)).get("headers")
            name = next((k for k in headers.value if k.lower() == "link"), None) if _is_map(headers) else None
            if name is not None and (_lists(given) or _says_next(documents, headers.get(name))):
                return {"style": "link"}
        except Unserved:
            continue
    return None


def _is_map(at: At) -> bool:
    return isinstance(at.value, Mapping)


def _says_next(documents: Documents, header: At) -> bool:
    return _NEXT.search(documents.resolved(header).text("description")[:_LONGEST]) is not None


def _lists(given: JsonSchema | None) -> bool:
    found = from_schema(given) if given is not None else None
    return found is not None and not isinstance(found, BadSchema) and has_list(found.type)
