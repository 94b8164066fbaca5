"""Types as written → JSON Schema."""

from __future__ import annotations

from typing import Any, Final

from dsl import tree
from tests.mutation.reference.faults import ShapeFault
from tests.mutation.reference.program import Module

SCALARS: Final[dict[str, dict[str, Any]]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "json": {},
    "timestamp": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "duration": {"type": "string", "format": "duration"},
    "url": {"type": "string", "format": "uri"},
    "email": {"type": "string", "format": "email"},
    "uuid": {"type": "string", "format": "uuid"},
    "bytes": {"type": "string", "format": "byte"},
}
REFINEMENTS: Final = {
    "min": "minimum",
    "max": "maximum",
    "above": "exclusiveMinimum",
    "below": "exclusiveMaximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
}


def schema_of(node: tree.Type, module: Module, within: tuple[str, ...] = ()) -> dict[str, Any]:
    """The schema of a type; raises ShapeFault for a name that means none."""
    match node:
        case tree.NamedType(path=path, settings=settings):
            return {**_named(node, [name.text for name in path], module, within), **_refined(settings)}
        case tree.GenericType(name=name, arguments=arguments, settings=settings):
            return {**_generic(node, name.text, arguments, module, within), **_refined(settings)}
        case tree.LiteralType(value=value):
            return {"const": value}
        case tree.OptionalType(inner=inner):
            return {"anyOf": [schema_of(inner, module, within), {"type": "null"}]}
        case tree.UnionType(members=members):
            if all(isinstance(each, tree.LiteralType) for each in members):
                return {"enum": [each.value for each in members if isinstance(each, tree.LiteralType)]}
            return {"anyOf": [schema_of(each, module, within) for each in members]}
        case tree.RecordType(fields=fields):
            return {
                "type": "object",
                "properties": {each.name.text: schema_of(each.type, module, within) for each in fields},
                "required": [each.name.text for each in fields if not _optional(each.type, module)],
            }
    raise ShapeFault(node, "this is no type")


def _optional(node: tree.Type, module: Module, depth: int = 0) -> bool:
    """Whether null is written into the type, also behind the names of types."""
    match node:
        case tree.OptionalType():
            return True
        case tree.UnionType(members=members):
            return any(_optional(each, module, depth) for each in members)
        case tree.NamedType(path=(name,)) if name.text in module.types and depth < 20:
            return _optional(module.types[name.text].type, module, depth + 1)
        case tree.NamedType(path=(first, name)) if depth < 20 and (other := module.other(first.text)) is not None:
            found = other.types.get(name.text)
            return found is not None and _optional(found.type, other, depth + 1)
    return False


def _named(node: tree.Type, names: list[str], module: Module, within: tuple[str, ...]) -> dict[str, Any]:
    home: Module | None = module
    if len(names) == 2:
        home = module.other(names[0])
    if home is None or len(names) > 2 or names[-1] not in home.types:
        if len(names) == 1 and names[0] in SCALARS:
            return SCALARS[names[0]]
        raise ShapeFault(node, f"there is no type {'.'.join(names)}")
    key = f"{home.path}:{names[-1]}"
    if key in within:
        raise ShapeFault(node, f"the type {names[-1]} contains itself")
    return schema_of(home.types[names[-1]].type, home, (*within, key))


def _generic(
    node: tree.Type, name: str, arguments: tuple[tree.Type, ...], module: Module, within: tuple[str, ...]
) -> dict[str, Any]:
    if name not in ("list", "map", "handle") or len(arguments) != 1:
        raise ShapeFault(node, f"there is no type {name}<…>")
    if name == "handle":
        kind = arguments[0]
        if isinstance(kind, tree.NamedType) and len(kind.path) == 1 and kind.path[0].text in module.kinds:
            return {"x-handle": kind.path[0].text}
        raise ShapeFault(node, "there is no such kind of handle")
    inner = schema_of(arguments[0], module, within)
    return {"type": "array", "items": inner} if name == "list" else {"type": "object", "additionalProperties": inner}


def _refined(settings: tuple[tree.Setting, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for each in settings:
        keyword = REFINEMENTS.get(each.name.text)
        if keyword is not None and isinstance(each.value, tree.Integer | tree.Number):
            made[keyword] = each.value.value
    return made
