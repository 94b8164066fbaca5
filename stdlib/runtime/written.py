"""Values as a schema has them: what the language holds for the same is written in the form that is asked for.

In a chain absent and null are one, and records may carry fields that nobody sees. A schema may tell them apart.
"""

from __future__ import annotations

from typing import Any, Final

from ..plan.model import JsonSchema
from .schema import Shape

_DEEPEST: Final = 50


def written(value: Any, schema: JsonSchema) -> Any:
    """The value in the form that the schema takes, however deep; one that fits is left as it is.

    Null is left out where a property may be absent but not null, and stands where a property must be there and may be
    null. Fields that a closed object does not know are dropped.
    """
    return value if Shape(schema).mismatch(value) is None else _written(value, schema, schema, 0)


def _written(value: Any, schema: Any, root: JsonSchema, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return value
    if "$ref" in schema:
        return _written(value, referred(schema["$ref"], root), root, depth + 1)
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        found = _written(value, form, root, depth + 1)
        if isinstance(form, dict) and _fits(found, form, root):
            return found
    if isinstance(value, list):
        return [_written(item, schema.get("items"), root, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    required = schema.get("required", ())
    kept: dict[str, Any] = {}
    for name, item in value.items():
        field = properties.get(name, others)
        if field is False:
            continue
        if item is not None or name in required or not isinstance(field, dict) or _fits(None, field, root):
            kept[name] = _written(item, field, root, depth + 1)
    missing = (name for name in required if name not in kept and name in properties)
    return kept | {name: None for name in missing if _takes_null(properties[name], root)}


def _takes_null(schema: Any, root: JsonSchema) -> bool:
    return schema is True or (isinstance(schema, dict) and _fits(None, schema, root))


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
