"""Null in strict schemas: it stands for what may be left out, because strict mode requires every field."""

from __future__ import annotations

from typing import Any

from compiler.emit.strict.decoder import leaf
from compiler.emit.strict.merge import inlined
from compiler.emit.strict.model import JsonSchema, Lowered, State, Unsayable

_NULL: JsonSchema = {"type": "null"}


def with_null(schema: JsonSchema) -> JsonSchema:
    """The schema that also admits null; fixed values must list it."""
    if "anyOf" in schema:
        branches = schema["anyOf"]
        return schema if _NULL in branches else {**schema, "anyOf": [*branches, _NULL]}
    if "$ref" in schema:
        return {"anyOf": [schema, _NULL]}
    kind = schema["type"]
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return schema
    widened = {**schema, "type": [kind, "null"]}
    if "const" in widened:
        widened["enum"] = [widened.pop("const"), None]
    elif "enum" in widened:
        widened["enum"] = [*widened["enum"], None]
    return widened


def nullable(lowered: Lowered) -> Lowered:
    """The node, or null, which stays null."""
    schema = with_null(lowered.schema)
    if schema is lowered.schema:
        return lowered
    if lowered.decoder["kind"] == "keep":
        return Lowered(schema, leaf(schema))
    branches = lowered.decoder["branches"] if lowered.decoder["kind"] == "choose" else [lowered.decoder]
    return Lowered(schema, {"kind": "choose", "branches": [leaf(_NULL), *branches]})


def admits_null(state: State, node: Any, path: str) -> bool:
    """Whether the original node accepts null."""
    if isinstance(node, bool):
        return node
    try:
        plain = inlined(state, node, path)
    except Unsayable:
        return False
    if "type" in plain and "null" not in _listed(plain["type"]):
        return False
    if "enum" in plain and None not in plain["enum"]:
        return False
    for keyword in ("anyOf", "oneOf"):
        if keyword in plain and not any(admits_null(state, branch, path) for branch in plain[keyword]):
            return False
    return True


def _listed(types: Any) -> list[str]:
    return [types] if isinstance(types, str) else list(types)
