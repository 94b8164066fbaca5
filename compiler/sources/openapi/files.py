"""What in a multipart body is a file: bytes in the argument, a part with a file name on the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.source import Place
from stdlib.values.plain import plain

FILE: Final = {"type": "string", "format": "byte"}
MOST_DEEP: Final = 16
"""So many lists and alternatives inside one another are looked through."""
_TYPED: Final = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "contentMediaType")
"""Where one of these is, a schema says what kind of value it means."""


def file_schema(documents: Documents, at: At) -> dict[str, Any] | None:
    """What a part is as an argument where it is a file, several of them, or either; None where it is none.

    OpenAPI 3.0: format binary; 3.1: `contentMediaType` without `contentEncoding`. Raises Unserved.
    """
    found = _file(documents, at, {}, 0)
    remark = plain(documents.resolved(at).text("description")) if found is not None else ""
    return {**found, "description": remark} if found is not None and remark else found


def _file(documents: Documents, at: At, known: dict[Place, dict[str, Any] | None], deep: int) -> dict[str, Any] | None:
    """`known`: what was found of a place, nothing while it is being looked at."""
    schema = documents.resolved(at)
    if schema.place not in known and deep <= MOST_DEEP:
        known[schema.place] = None
        known[schema.place] = _own(documents, schema, known, deep + 1)
    return known.get(schema.place)


def _own(
    documents: Documents, schema: At, known: dict[Place, dict[str, Any] | None], deep: int
) -> dict[str, Any] | None:
    value = schema.value
    if not isinstance(value, dict):
        return None
    if "array" in (value.get("type"), *(value["type"] if isinstance(value.get("type"), list) else ())):
        items = _file(documents, schema.get("items"), known, deep)
        limits = {key: value[key] for key in ("minItems", "maxItems") if key in value}
        return {"type": "array", "items": items, **limits} if items == FILE else None
    for each in ("anyOf", "oneOf"):  # a file or null, as generators write optional ones
        if isinstance(value.get(each), list):
            branches = [i for i, branch in enumerate(value[each]) if branch != {"type": "null"}]
            kinds = [_file(documents, schema.get(each, i), known, deep) for i in branches]
            given = [kind for i, kind in enumerate(kinds) if kind is not None and kind not in kinds[:i]]
            return None if None in kinds or not given else given[0] if len(given) == 1 else {"anyOf": given}
    if isinstance(value.get("allOf"), list):
        kinds = [_file(documents, schema.get("allOf", i), known, deep) for i in range(len(value["allOf"]))]
        return next((kind for kind in kinds if kind is not None), None)
    raw = "contentMediaType" in value and "contentEncoding" not in value
    return dict(FILE) if value.get("format") == "binary" or raw else None


def parts_of(documents: Documents, at: At) -> dict[str, list[At]]:
    """The properties of an object by name, those of its parts and alternatives too. Raises Unserved."""
    found: dict[str, list[At]] = {}
    for each in _objects(documents, at, set(), 0):
        properties = each.get("properties")
        for name in properties.value if isinstance(properties.value, dict) else ():
            found.setdefault(name, []).append(properties.get(name))
    return found


def _objects(documents: Documents, at: At, seen: set[Place], deep: int) -> Iterator[At]:
    for each in documents.followed(at) if deep <= MOST_DEEP else ():
        if not isinstance(each.value, dict) or each.place in seen:
            continue
        seen.add(each.place)
        yield each
        for key in ("allOf", "anyOf", "oneOf"):
            for i in range(len(each.value[key]) if isinstance(each.value.get(key), list) else 0):
                yield from _objects(documents, each.get(key, i), seen, deep + 1)


def files_among(documents: Documents, parts: dict[str, list[At]]) -> dict[str, dict[str, Any]]:
    """The parts that are files wherever a kind of value is said of them, each with the schema of its argument."""
    found: dict[str, dict[str, Any]] = {}
    for name, places in parts.items():
        said = [at for at in places if isinstance(at.value, dict) and any(key in at.value for key in _TYPED)]
        kinds = [file_schema(documents, at) for at in said or places]
        if kinds and kinds[0] is not None and None not in kinds:
            found[name] = kinds[0]
    return found
