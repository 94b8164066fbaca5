"""Texts, numbers, fixed values and null in the strict subset."""

from __future__ import annotations

import re
from typing import Any

from compiler.emit.strict import words
from compiler.emit.strict.decoder import leaf
from compiler.emit.strict.merge import json_key
from compiler.emit.strict.model import Impossible, JsonSchema, Lowered, State, Unsayable

FORMATS = frozenset(("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"))
"""What strict mode enforces; every other format is put into words."""

_SAY_NOTHING = frozenset({"float", "double", "number", "integer", "string", "text"})
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_BACK_REFERENCE = re.compile(r"\\[1-9]|\\k<|\(\?P=")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_TYPES: tuple[tuple[type, str], ...] = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"))


def lowered(schema: JsonSchema, *sentences: str) -> Lowered:
    """A value that is decoded as it stands."""
    return Lowered(words.describe(schema, *sentences), leaf(schema))


def described(node: JsonSchema, schema: JsonSchema) -> JsonSchema:
    """The strict schema with the author's description."""
    said = node.get("description")
    return {**schema, "description": said} if isinstance(said, str) and said.strip() else schema


def text(state: State, node: JsonSchema, path: str) -> Lowered:
    schema = described(node, {"type": "string"})
    said: list[str] = []
    name = node.get("format")
    if name in FORMATS:
        schema["format"] = name
    elif isinstance(name, str) and name not in _SAY_NOTHING:
        state.lose("prose", path, f"the format {name} can only stand in the description")
        said.append(f"Format: {name}.")
    pattern = node.get("pattern")
    if pattern is not None and has_only_regular_parts(pattern):
        schema["pattern"] = pattern
    elif pattern is not None:
        state.lose("prose", path, "the pattern can only stand in the description")
        said.append(f"Must match the regular expression {pattern}")
    schema |= _range(node, "minLength", "maxLength", path)
    handled = ("pattern", "format", "minLength", "maxLength")
    return lowered(schema, *said, *words.leftovers(state, node, handled, path))


def number(state: State, node: JsonSchema, kind: str, path: str) -> Lowered:
    node = _without_flags(node)
    schema = described(node, {"type": kind})
    schema |= {key: node[key] for key in _BOUNDS if key in node}
    _range(node, "minimum", "maximum", path)
    said: list[str] = []
    name = node.get("format")
    if isinstance(name, str) and name not in _SAY_NOTHING:
        state.lose("prose", path, f"the format {name} can only stand in the description")
        said.append(f"Format: {name}.")
    return lowered(schema, *said, *words.leftovers(state, node, (*_BOUNDS, "format"), path))


def fixed(state: State, node: JsonSchema, path: str) -> list[tuple[str, list[Any]]]:
    """The allowed values by type, null apart; those that the node's other keywords refuse are left out.

    Unsayable for lists and records among them, and where none is left.
    """
    from jsonschema import Draft202012Validator

    simple = ("type", "pattern", "minLength", "maxLength", *_BOUNDS)
    accepts = Draft202012Validator({key: value for key, value in _without_flags(node).items() if key in simple})
    groups: dict[str, list[Any]] = {}
    seen: set[str] = set()
    for value in node["enum"]:
        key = json_key(value)
        if key in seen or not accepts.is_valid(value):
            continue
        seen.add(key)
        groups.setdefault(type_of(value), []).append(value)
    if not groups:
        raise Impossible(path)
    if "object" in groups or "array" in groups:
        raise Unsayable(path, "a list or a record is one of its fixed values")
    return list(groups.items())


def one_of(state: State, node: JsonSchema, kind: str, values: list[Any], path: str) -> Lowered:
    """Fixed values of one type."""
    if kind == "null":
        return lowered(described(node, {"type": "null"}))
    schema = described(node, {"type": kind})
    schema |= {"const": values[0]} if len(values) == 1 else {"enum": values}
    return lowered(schema, *words.leftovers(state, node, (), path))


def type_of(value: Any) -> str:
    """The JSON type; whole numbers are integers however they are written."""
    if value is None:
        return "null"
    if isinstance(value, float) and value.is_integer():
        return "integer"
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "array" if _is_list(value) else "object")


def has_only_regular_parts(pattern: str) -> bool:
    """No look-around and no back reference; escaped backslashes and classes are left out of the search."""
    bare = re.sub(r"\\\\", "", pattern)
    bare = re.sub(r"\[(?:\\.|[^\]\\])+\]", "", bare)
    return not _LOOK_AROUND.search(re.sub(r"\\\(", "", bare)) and not _BACK_REFERENCE.search(bare)


def _range(node: JsonSchema, low: str, high: str, path: str) -> JsonSchema:
    found = {key: node[key] for key in (low, high) if key in node}
    if len(found) == 2 and found[low] > found[high]:
        raise Impossible(path)
    return found


def _without_flags(node: JsonSchema) -> JsonSchema:
    """Draft 4 wrote `exclusiveMinimum: true` beside the bound."""
    changed = dict(node)
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(changed.get(flag), bool) and changed.pop(flag) and bound in changed:
            changed[flag] = changed.pop(bound)
    return changed


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
