"""Several schemas that must all hold, as one: `allOf`, a reference with siblings, a base with its alternatives."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

from compiler.emit.strict.model import Impossible, JsonSchema, State, Unsayable

ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
)
ANNOTATIONS |= {"$schema", "$id", "$anchor", "$defs", "definitions"}
ANNOTATIONS |= {"example", "nullable", "discriminator", "xml", "externalDocs"}
"""Keywords that refuse no value; `example`, `nullable` and what follows are OpenAPI's and mean nothing here."""

ALL_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
_GREATER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_LESSER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def is_annotation(keyword: str) -> bool:
    return keyword in ANNOTATIONS or keyword.startswith("x-")


def is_constraining(node: Any) -> bool:
    """Whether a schema refuses any value by a keyword; `true` and `false` do not count."""
    return isinstance(node, dict) and any(not is_annotation(key) for key in node)


def json_key(value: Any) -> str:
    """Equal for values that JSON Schema calls equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return "[" + ",".join(map(json_key, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{json_key(value[key])}" for key in sorted(value)) + "}"
    return json.dumps(value)


def resolve(state: State, reference: Any, path: str) -> Any:
    """The node that a reference within the document points at."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        raise Unsayable(path, f"the reference {reference} leaves the schema")
    node: Any = state.root
    for token in reference[1:].split("/")[1:]:
        token = unquote(token).replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and token in node:
            node = node[token]
        elif isinstance(node, list) and token.isdigit() and int(token) < len(node):
            node = node[int(token)]
        else:
            raise Unsayable(path, f"the reference {reference} points at nothing")
    return node


def normal(state: State, node: JsonSchema, path: str, seen: tuple[str, ...] = ()) -> JsonSchema:
    """The node without `allOf` and `const`. It keeps `$ref` only where that alone constrains it.

    What cannot be merged stays in `allOf`, to be put into words.
    """
    own = {key: value for key, value in node.items() if key not in ("allOf", "$ref")}
    if isinstance(own.get("const"), dict | list) or "const" not in own:
        merged = own
    else:
        merged = merge({key: own[key] for key in own if key != "const"}, {"enum": [own["const"]]}, path)
    members: list[Any] = list(node.get("allOf", ()))
    if "$ref" in node:
        constrains = any(not is_annotation(key) for key in own)
        if not members and not constrains:
            return {**own, "$ref": node["$ref"]}
        members.insert(0, {"$ref": node["$ref"]})
    if len(members) == 1 and isinstance(members[0], dict) and "$ref" in members[0]:
        others = [key for key in (*own, *members[0]) if key != "$ref"]
        if all(map(is_annotation, others)):
            return {**members[0], **own}
    for member in members:
        if member is True:
            continue
        if not isinstance(member, dict):
            raise Impossible(path)
        merged = merge(merged, inlined(state, member, path, seen), path)
    return merged


def inlined(state: State, node: Any, path: str, seen: tuple[str, ...] = ()) -> JsonSchema:
    """The node with a reference at its top replaced by what it points at."""
    if node is True:
        return {}
    if not isinstance(node, dict):
        raise Impossible(path)
    plain = normal(state, node, path, seen)
    while "$ref" in plain:
        reference = plain["$ref"]
        if reference in seen:
            raise Unsayable(path, f"the reference {reference} leads back to itself")
        seen = (*seen, reference)
        target = resolve(state, reference, path)
        outer = {key: value for key, value in plain.items() if key != "$ref"}
        if target is True:
            return outer
        if not isinstance(target, dict):
            raise Impossible(path)
        plain = {**normal(state, target, path, seen), **outer}
    return plain


def merge(left: JsonSchema, right: JsonSchema, path: str) -> JsonSchema:
    """One schema for values that fit both."""
    merged = dict(left)
    for key, value in right.items():
        if is_annotation(key):
            merged.setdefault(key, value)
        elif key not in merged or merged[key] == value:
            merged[key] = value
        else:
            _combine(merged, key, value, path)
    _close(left, right, merged, path)
    return merged


def _combine(merged: JsonSchema, key: str, value: Any, path: str) -> None:
    """Both sides have the keyword with different values."""
    ours = merged[key]
    if key == "type":
        types = _common_types(ours, value)
        if not types:
            raise Impossible(path)
        merged[key] = types[0] if len(types) == 1 else types
    elif key == "properties":
        merged[key] = {**ours, **{name: _field(ours.get(name, True), node, path) for name, node in value.items()}}
    elif key in ("items", "additionalProperties", "propertyNames"):
        merged[key] = both(ours, value, path)
    elif key == "required":
        merged[key] = [*ours, *(name for name in value if name not in ours)]
    elif key == "enum":
        kept = {json_key(each) for each in value}
        merged[key] = [each for each in ours if json_key(each) in kept]
    elif key in _GREATER:
        merged[key] = max(ours, value)
    elif key in _LESSER:
        merged[key] = min(ours, value)
    elif key in ("anyOf", "oneOf", "prefixItems", "patternProperties"):
        raise Unsayable(path, f"two `{key}` must hold at once")
    else:
        merged["allOf"] = [*merged.get("allOf", ()), {key: value}]


def both(left: Any, right: Any, path: str) -> Any:
    """One schema for values that fit both, where either may be `true`, `false` or a reference."""
    if left is True or left == {} or left == right:
        return right
    if right is True or right == {}:
        return left
    if left is False or right is False:
        return False
    if "$ref" in left or "$ref" in right:
        return {"allOf": [left, right]}
    return merge(left, right, path)


def _field(left: Any, right: Any, path: str) -> Any:
    """A field that must fit both; where nothing can, it may still be left out."""
    try:
        return both(left, right, path)
    except Impossible:
        return False


def _close(left: JsonSchema, right: JsonSchema, merged: JsonSchema, path: str) -> None:
    """A field that only one side names must fit what the other side says about further fields."""
    for closing, other in ((left, right), (right, left)):
        further = closing.get("additionalProperties", True)
        if further is True or "properties" not in other:
            continue
        for name in other["properties"]:
            if name in closing.get("properties", {}):
                continue
            merged["properties"] = {**merged["properties"], name: _field(merged["properties"][name], further, path)}


def _common_types(left: Any, right: Any) -> list[str]:
    def wide(types: Any) -> set[str]:
        listed = {types} if isinstance(types, str) else set(types)
        return listed | {"integer"} if "number" in listed else listed

    both_sides = wide(left) & wide(right)
    return [each for each in ALL_TYPES if each in both_sides and not (each == "integer" and "number" in both_sides)]
