"""Null for what is left out: an author may write null for a field that a tool would leave out."""

from __future__ import annotations

from typing import Any, Final

from ..plan.model import JsonSchema
from .schema import Shape

_DEEPEST: Final = 50


def omitted(value: Any, schema: JsonSchema) -> Any:
    """The value without the nulls of properties that may be absent but not null. A value that fits is left as it is."""
    return value if Shape(schema).mismatch(value) is None else _omitted(value, schema, schema, 0)


def _omitted(value: Any, schema: Any, root: JsonSchema, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return value
    if "$ref" in schema:
        return _omitted(value, referred(schema["$ref"], root), root, depth + 1)
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        found = _omitted(value, form, root, depth + 1)
        if isinstance(form, dict) and _fits(found, form, root):
            return found
    if isinstance(value, list):
        return [_omitted(item, schema.get("items"), root, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    kept: dict[str, Any] = {}
    for name, item in value.items():
        field = properties.get(name, others)
        needed = name in schema.get("required", ())
        if item is not None or needed or not isinstance(field, dict) or _fits(None, field, root):
            kept[name] = _omitted(item, field, root, depth + 1)
    return kept


def _fits(value: Any, schema: JsonSchema, root: JsonSchema) -> bool:
    """With the definitions of the whole schema, so that references lead somewhere."""
    shared: JsonSchema = {name: root[name] for name in ("$defs", "definitions") if name in root}
    return Shape({**shared, **schema}).mismatch(value) is None


def referred(reference: Any, root: JsonSchema) -> Any:
    """What a reference into a schema leads to; None where it leads nowhere."""
    node: Any = root
    for token in str(reference).removeprefix("#").split("/")[1:]:
        node = node.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    return node
