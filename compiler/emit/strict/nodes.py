"""One node of a schema: which of its kinds it is, and what to do where strict mode cannot say it."""

from __future__ import annotations

import re
from typing import Any

from compiler.emit.strict import arrays, objects, scalars, unions, words
from compiler.emit.strict.merge import inlined, is_annotation, is_constraining, normal, resolve
from compiler.emit.strict.model import Impossible, JsonSchema, Lowered, State, Unsayable
from compiler.emit.strict.nulls import nullable

_TYPE_OF_KEYWORD = {
    **dict.fromkeys(("properties", "required", "additionalProperties", "patternProperties", "propertyNames"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"), "array"),
    **dict.fromkeys(("pattern", "minLength", "maxLength", "format"), "string"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
}
_AS_JSON = {"object": "A JSON object", "array": "A JSON list"}
_SCALARS = frozenset({"string", "number", "integer", "boolean", "null"})
_NAME = re.compile(r"[^A-Za-z0-9_.-]")


def lower(state: State, node: Any, path: str, depth: int) -> Lowered:
    """The node in the strict subset. What cannot be said becomes a text that holds JSON, if the policy lets it;
    else Unsayable; Impossible in any case where no value fits."""
    mark = len(state.losses)
    try:
        return lower_node(state, node, path, depth)
    except Unsayable as why:
        if isinstance(why, Impossible) or not state.may_encode:
            raise
        del state.losses[mark:]
        return as_json(state, node, path, why.reason)


def as_json(state: State, node: Any, path: str, reason: str) -> Lowered:
    """A text that holds JSON: it can say everything, and checks nothing."""
    state.lose("encoded", path, f"{reason}; it has to be written as JSON text")
    described = node if isinstance(node, dict) else {}
    types = types_of(described)
    what = (
        "Any JSON value" if not types else _AS_JSON.get(types[0], "A JSON value") if len(types) == 1 else "A JSON value"
    )
    said = [f"{what}, written as JSON text."]
    constraints = {key: value for key, value in described.items() if not is_annotation(key) and key != "type"}
    if constraints or len(types) > 1:
        whole = {"type": described["type"], **constraints} if "type" in described else constraints
        said.append(f"It must fit the JSON Schema {words.quoted(whole)}.")
    schema = scalars.described(described, {"type": "string"})
    return Lowered(words.describe(schema, *said), {"kind": "json"})


def types_of(node: JsonSchema) -> list[str]:
    """The types that a node allows: what it says, else what its fixed values or keywords are for; empty: any."""
    if "type" in node:
        return [node["type"]] if isinstance(node["type"], str) else list(dict.fromkeys(node["type"]))
    if "enum" in node:
        return list(dict.fromkeys(scalars.type_of(value) for value in node["enum"]))
    return list(dict.fromkeys(_TYPE_OF_KEYWORD[key] for key in node if key in _TYPE_OF_KEYWORD))


def lower_node(state: State, node: Any, path: str, depth: int) -> Lowered:
    """The node in the strict subset; Unsayable where strict mode has nothing for it, whatever lies below it."""
    if node is False:
        raise Impossible(path)
    plain = normal(state, node, path) if isinstance(node, dict) else {}
    if "$ref" in plain:
        return _reference(state, plain, path, depth)
    if "anyOf" in plain or "oneOf" in plain:
        return unions.lower_union(state, plain, path, depth)
    types = types_of(plain)
    if not types:
        raise Unsayable(path, "every JSON value is allowed" if not is_constraining(plain) else "it names no type")
    if "enum" in plain:
        groups = scalars.fixed(state, plain, path)
        bare = {
            key: value for key, value in plain.items() if key not in ("pattern", "minLength", "maxLength", "format")
        }
        forms = [scalars.one_of(state, bare, kind, values, path) for kind, values in groups if kind != "null"]
        return _joined(state, plain, forms, any(kind == "null" for kind, _ in groups), path)
    if "type" not in plain and len(types) > 1:
        raise Unsayable(path, "it does not say whether it is " + " or ".join(types))
    if "type" not in plain:
        state.lose("narrowed", path, f"only values of the type {types[0]} can be given; the schema names no type")
    forms = [_of_type(state, plain, kind, path, depth) for kind in types if kind != "null"]
    return _joined(state, plain, forms, "null" in types, path)


def _joined(state: State, node: JsonSchema, forms: list[Lowered], with_null: bool, path: str) -> Lowered:
    """The forms of one node, and null."""
    if not forms:
        return scalars.lowered(scalars.described(node, {"type": "null"}))
    whole = forms[0] if len(forms) == 1 else unions.joined(state, node, forms, path)
    return nullable(whole) if with_null else whole


def _of_type(state: State, node: JsonSchema, kind: str, path: str, depth: int) -> Lowered:
    own = {key: value for key, value in node.items() if _TYPE_OF_KEYWORD.get(key, kind) in (kind, _wider(kind))}
    if kind == "object":
        return objects.lower_object(state, own, path, depth)
    if kind == "array":
        return arrays.lower_array(state, own, path, depth)
    if kind == "string":
        return scalars.text(state, own, path)
    if kind in ("number", "integer"):
        return scalars.number(state, {**own, **_format_of(node)}, kind, path)
    if kind == "boolean":
        said = words.leftovers(state, own, (), path)
        return scalars.lowered(scalars.described(own, {"type": "boolean"}), *said)
    raise Unsayable(path, f"its type {kind} is none of JSON's")


def _wider(kind: str) -> str:
    return "number" if kind == "integer" else kind


def _format_of(node: JsonSchema) -> JsonSchema:
    return {"format": node["format"]} if "format" in node else {}


def _reference(state: State, node: JsonSchema, path: str, depth: int) -> Lowered:
    """A reference to a definition, which is lowered once; small things are written in its place."""
    reference: str = node["$ref"]
    target = inlined(state, node, path)
    kinds = types_of(target)
    if not any(key in target for key in ("anyOf", "oneOf")) and (not kinds or set(kinds) <= _SCALARS):
        return lower_node(state, target, path, depth)
    if reference not in state.names:
        state.names[reference] = _name(state, reference)
        found = resolve(state, reference, path)
        try:
            definition = lower(state, found, reference[1:], 1)
        except Impossible as why:  # other definitions may refer to this one already
            definition = as_json(state, found, reference[1:], why.reason)
        state.definitions[state.names[reference]] = definition
    name = state.names[reference]
    schema = words.describe(scalars.described(node, {"$ref": f"#/$defs/{name}"}))
    return Lowered(schema, {"kind": "ref", "name": name})


def _name(state: State, reference: str) -> str:
    name = _NAME.sub("_", reference.rsplit("/", 1)[-1].replace("#", "root")) or "definition"
    taken = set(state.names.values())
    return next(each for each in (name, *(f"{name}_{n}" for n in range(2, len(taken) + 3))) if each not in taken)
