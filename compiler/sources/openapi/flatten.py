"""Bodies whose fields become arguments of the tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.schemas import SchemaWriter

_HARMLESS: Final = frozenset(
    (
        "type", "properties", "required", "allOf", "additionalProperties", "unevaluatedProperties", "title",
        "description", "example", "examples", "default", "deprecated", "externalDocs", "xml", "discriminator",
        "readOnly", "writeOnly", "$schema", "$comment", "$id", "nullable",
    )
)  # fmt: skip
"""What may stand in a schema that is nothing but a record."""


@dataclass(slots=True)
class Fields:
    """The fields of an object by name, each with the schemas it must fit (several by `allOf`)."""

    schemas: dict[str, list[At]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)


def fields_of(documents: Documents, at: At, writer: SchemaWriter) -> Fields | None:
    """The fields of a schema that says no more than that: an object of these properties, perhaps by `allOf`.

    None where it also has rules for the object as a whole (alternatives, null, fields of any name), or no property:
    then the body is one argument. Raises Unserved where a reference is wrong.
    """
    found = Fields()
    if not _gather(documents, at, writer, found, set()):
        return None
    if not found.schemas:
        return None
    found.required &= found.schemas.keys()
    return found


def _gather(documents: Documents, at: At, writer: SchemaWriter, found: Fields, seen: set[object]) -> bool:
    *beside, at = documents.followed(at)
    if not all(_gather(documents, each, writer, found, seen) for each in beside if each.value):
        return False
    schema = at.value
    if not isinstance(schema, dict) or at.place in seen or schema.get("nullable") is True:
        return False
    seen.add(at.place)
    if any(key not in _HARMLESS and not key.startswith("x-") for key in schema):
        return False
    if schema.get("type", "object") not in ("object", ["object"]):
        return False
    parts = at.get("allOf")
    if schema.get("unevaluatedProperties", False) is not False:
        return False
    if schema.get("additionalProperties", False) is not False or ("additionalProperties" in schema and parts.value):
        return False
    properties = at.get("properties")
    for name in properties.value if isinstance(properties.value, dict) else ():
        if not writer.hides(properties.get(name)):
            found.schemas.setdefault(name, []).append(properties.get(name))
    required = schema.get("required")
    if isinstance(required, list):
        found.required.update(name for name in required if isinstance(name, str))
    return all(
        _gather(documents, parts.get(i), writer, found, seen)
        for i in range(len(parts.value) if isinstance(parts.value, list) else 0)
    )
