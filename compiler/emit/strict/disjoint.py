"""Proves that no value fits two schemas at once."""

from __future__ import annotations

from typing import Any

from compiler.emit.strict.merge import inlined, json_key
from compiler.emit.strict.model import JsonSchema, State, Unsayable

_DEEPEST = 6


def disjoint(state: State, one: Any, other: Any, path: str, depth: int = 0) -> bool:
    """True only where it is proven. Records count as closed after lowering: what one requires and the other does not
    name tells them apart, provided that holds in both directions or a shared field does."""
    if one is False or other is False:
        return True
    if not isinstance(one, dict) or not isinstance(other, dict) or depth > _DEEPEST:
        return False
    try:
        left, right = inlined(state, one, path), inlined(state, other, path)
    except Unsayable:
        return False
    for keyword in ("anyOf", "oneOf"):
        if keyword in left:
            return all(
                disjoint(state, {**_without(left, keyword), **each}, right, path, depth + 1)
                for each in left[keyword]
                if isinstance(each, dict)
            )
        if keyword in right:
            return disjoint(state, right, left, path, depth + 1)
    types = _types(left) & _types(right)
    if not types:
        return True
    if "enum" in left and "enum" in right:
        return not {json_key(each) for each in left["enum"]} & {json_key(each) for each in right["enum"]}
    if types != {"object"}:
        return False
    return _by_field(state, left, right, path, depth) or (_needs_more(left, right) and _needs_more(right, left))


def _by_field(state: State, left: JsonSchema, right: JsonSchema, path: str, depth: int) -> bool:
    """A field that both require has no common value."""
    shared = set(left.get("required", ())) & set(right.get("required", ()))
    ours, theirs = left.get("properties", {}), right.get("properties", {})
    return any(
        disjoint(state, ours[name], theirs[name], path, depth + 1)
        for name in sorted(shared)
        if name in ours and name in theirs
    )


def _needs_more(left: JsonSchema, right: JsonSchema) -> bool:
    """The left one requires a field that the right one, closed, does not have."""
    if (
        isinstance(right.get("additionalProperties"), dict)
        or "patternProperties" in right
        or not right.get("properties")
    ):
        return False
    return any(
        name not in right["properties"] and name not in right.get("required", ()) for name in left.get("required", ())
    )


def _types(node: JsonSchema) -> set[str]:
    if "type" in node:
        listed = {node["type"]} if isinstance(node["type"], str) else set(node["type"])
    elif "enum" in node:
        from compiler.emit.strict.scalars import type_of

        listed = {type_of(each) for each in node["enum"]}
    else:
        listed = {"object", "array", "string", "number", "boolean", "null"}
    return listed | {"integer"} if "number" in listed else listed


def _without(node: JsonSchema, keyword: str) -> JsonSchema:
    return {key: value for key, value in node.items() if key != keyword}
