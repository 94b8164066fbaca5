"""Lists and tuples in the strict subset."""

from __future__ import annotations

from typing import Any

from compiler.emit.strict import nodes, words
from compiler.emit.strict.model import Impossible, JsonSchema, Lowered, State, Unsayable, below
from compiler.emit.strict.scalars import described


def lower_array(state: State, node: JsonSchema, path: str, depth: int) -> Lowered:
    prefix, rest = _split(node)
    if node.get("minItems", 0) > node.get("maxItems", node.get("minItems", 0)):
        raise Impossible(path)
    if prefix:
        return _tuple(state, node, prefix, rest, path, depth)
    if rest is False:
        raise Unsayable(path, "only the empty list fits it")
    items = nodes.lower(state, rest, below(path, "items"), depth)
    schema = described(node, {"type": "array", "items": items.schema})
    schema |= {key: node[key] for key in ("minItems", "maxItems") if key in node}
    said = words.leftovers(state, node, ("minItems", "maxItems"), path)
    return Lowered(words.describe(schema, *said), {"kind": "list", "items": items.decoder})


def _split(node: JsonSchema) -> tuple[list[Any], Any]:
    """Items with a place of their own, and what holds for all others; draft 7 wrote a list under `items`."""
    items = node.get("items", True)
    if isinstance(items, list):
        return items, node.get("additionalItems", True)
    return list(node.get("prefixItems", ())), items


def _tuple(state: State, node: JsonSchema, prefix: list[Any], rest: Any, path: str, depth: int) -> Lowered:
    """A list of fixed places as a record with a field for each."""
    state.lose("encoded", path, "a list with fixed places has to be written as a record")
    if node.get("minItems", 0) > len(prefix) or node.get("maxItems", len(prefix)) < len(prefix):
        raise Unsayable(path, "places of the list are not all described, or not all allowed")
    exact = node.get("minItems", 0) == len(prefix) and (rest is False or node.get("maxItems") == len(prefix))
    if not exact:
        state.lose("narrowed", path, f"only lists of {len(prefix)} items can be given")
    schemas: dict[str, JsonSchema] = {}
    fields = []
    for place, each in enumerate(prefix):
        lowered = nodes.lower(state, each, below(path, "prefixItems", place), depth + 1)
        name = f"item_{place + 1}"
        schemas[name] = lowered.schema
        fields.append([name, lowered.decoder])
    schema = described(node, {"type": "object", "properties": schemas, "required": list(schemas)})
    said = ["A list, written as a record: a field for each place."]
    said += words.leftovers(state, node, ("minItems", "maxItems"), path)
    strict = words.describe({**schema, "additionalProperties": False}, *said)
    return Lowered(strict, {"kind": "tuple", "fields": fields})
