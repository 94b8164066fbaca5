"""The sizes and the shape that a strict schema may have (guide "Structured outputs", section "Supported schemas")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from compiler.emit.strict.model import JsonSchema, Unsayable
from compiler.emit.strict.objects import MAX_DEPTH

MAX_PROPERTIES = 5000
MAX_CHARACTERS = 120_000  # of names, fixed values and definitions' names together
MAX_VALUES = 1000  # fixed values together
LARGE = 250  # one set of more fixed values than this …
LARGE_CHARACTERS = 15_000  # … may have this many characters


def check_limits(schema: JsonSchema) -> None:
    """Unsayable where the schema is too large."""
    _check_circles(schema.get("$defs", {}))
    properties = characters = values = 0
    for node in _every(schema):
        for name in (*node.get("properties", {}), *node.get("$defs", {})):
            characters += len(name)
        properties += len(node.get("properties", {}))
        fixed = node.get("enum", [node["const"]] if "const" in node else [])
        values += len(fixed)
        size = sum(len(each) if isinstance(each, str) else len(json.dumps(each)) for each in fixed)
        characters += size
        if len(fixed) > LARGE and size > LARGE_CHARACTERS:
            raise Unsayable("", f"a choice of {len(fixed)} values has more than {LARGE_CHARACTERS} characters")
    if properties > MAX_PROPERTIES:
        raise Unsayable("", f"it has {properties} fields, and at most {MAX_PROPERTIES} are possible")
    if values > MAX_VALUES:
        raise Unsayable("", f"it lists {values} fixed values, and at most {MAX_VALUES} are possible")
    if characters > MAX_CHARACTERS:
        raise Unsayable("", f"its names and fixed values have more than {MAX_CHARACTERS} characters")
    for part in ({**schema, "$defs": {}}, *schema.get("$defs", {}).values()):
        if _depth(part) > MAX_DEPTH:
            raise Unsayable("", f"objects are nested more than {MAX_DEPTH} levels deep")


def _check_circles(definitions: JsonSchema) -> None:
    """Unsayable where a definition is, without anything around it, itself or a choice of itself."""
    for name in definitions:
        seen: set[str] = set()
        pending = [definitions[name]]
        while pending:
            node = pending.pop()
            pending += node.get("anyOf", ())
            target = node.get("$ref", "").rsplit("/", 1)[-1]
            if target == name:
                raise Unsayable("", f"the definition {name} leads back to itself")
            if target and target not in seen:
                seen.add(target)
                pending.append(definitions[target])


def children(node: JsonSchema) -> Iterator[JsonSchema]:
    """The schemas directly below a strict one; definitions come last."""
    yield from node.get("properties", {}).values()
    if "items" in node:
        yield node["items"]
    yield from node.get("anyOf", ())
    yield from node.get("$defs", {}).values()


def _every(node: JsonSchema) -> Iterator[Any]:
    yield node
    for child in children(node):
        yield from _every(child)


def _depth(node: JsonSchema) -> int:
    here = 1 if "properties" in node else 0
    return here + max((_depth(child) for child in children(node)), default=0)
