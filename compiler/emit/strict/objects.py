"""Records, maps and free-form objects in the strict subset."""

from __future__ import annotations

from typing import Any

from compiler.emit.strict import nodes, words
from compiler.emit.strict.merge import is_constraining
from compiler.emit.strict.model import Decoder, Impossible, JsonSchema, Lowered, State, Unsayable, below
from compiler.emit.strict.nulls import admits_null, with_null
from compiler.emit.strict.scalars import described

MAX_DEPTH = 10
"""Objects within objects; a definition starts anew."""


def lower_object(state: State, node: JsonSchema, path: str, depth: int) -> Lowered:
    """An object below the root. Without named fields it is a map or free-form, never the empty record."""
    if depth > MAX_DEPTH:
        raise Unsayable(path, f"objects are nested more than {MAX_DEPTH} levels deep")
    properties, further = fields_of(node, path)
    if properties or (further is False and "patternProperties" not in node):
        return lower_record(state, node, properties, further, path, depth)
    if "patternProperties" in node:
        return _map_of_pattern(state, node, further, path, depth)
    if is_constraining(further) or "propertyNames" in node:
        return lower_map(state, node, further, path, depth)
    raise Unsayable(path, "the schema names no fields of the object")


def fields_of(node: JsonSchema, path: str) -> tuple[dict[str, Any], Any]:
    """Named fields (required ones that are described nowhere included) and what holds for further ones.

    Silence about further fields is told from `true` by None: authors who name fields mean those.
    """
    further = node.get("additionalProperties")
    if further is None and node.get("unevaluatedProperties") is False:
        further = False
    properties = dict(node.get("properties", {}))
    for name in node.get("required", ()):
        if name not in properties:
            if further is False and "patternProperties" not in node:
                raise Impossible(path)
            properties[name] = further if isinstance(further, dict) else True
    return properties, further


def lower_record(
    state: State, node: JsonSchema, properties: dict[str, Any], further: Any, path: str, depth: int
) -> Lowered:
    """Every field is required; null stands for one that may be left out."""
    schemas: dict[str, JsonSchema] = {}
    fields: dict[str, Decoder] = {}
    required = node.get("required", ())
    for name, each in properties.items():
        place = below(path, "properties", name)
        try:
            lowered = nodes.lower(state, each, place, depth + 1)
        except Impossible:
            if name in required:
                raise
            continue
        schemas[name], fields[name] = lowered.schema, {"value": lowered.decoder}
        if name not in required:
            if lowered.decoder["kind"] != "json":  # where JSON is written as text, "null" is a text
                _check_null(state, each, place)
            schemas[name] = _with_default(with_null(lowered.schema), each)
            fields[name]["optional"] = True
    decoder: Decoder = {"kind": "record", "fields": fields}
    if is_constraining(further):
        decoder["rest"] = _further_fields(state, schemas, further, path, depth)
        decoder["rest"]["except"] = [name for name in properties if name not in fields]
    elif further is True:
        state.lose("narrowed", path, "fields that the schema does not name cannot be given")
    said = words.leftovers(state, _without_met_counts(node, schemas, required), (), path)
    # A fixed value first: it tells alternatives apart, and providers decide by the first key.
    order = sorted(schemas, key=lambda name: "const" not in schemas[name])
    schema = described(node, {"type": "object", "properties": {name: schemas[name] for name in order}})
    return Lowered(words.describe({**schema, "required": order, "additionalProperties": False}, *said), decoder)


def lower_map(
    state: State, node: JsonSchema, further: Any, path: str, depth: int, pattern: str | None = None
) -> Lowered:
    """A map as a list of pairs of key and value."""
    state.lose("encoded", path, "a map has to be written as a list of pairs of key and value")
    names = node.get("propertyNames", True)
    key_node = {"type": "string"} if names is True else {"type": "string", **names}
    if pattern is not None:
        key_node["pattern"] = pattern
    key = nodes.lower(state, key_node, below(path, "propertyNames"), depth + 1)
    if key.decoder["kind"] != "keep":
        raise Unsayable(path, "its keys are described in a way that strict mode cannot say")
    value = nodes.lower(state, True if further is None else further, below(path, "additionalProperties"), depth + 1)
    pair: JsonSchema = {"type": "object", "properties": {"key": key.schema, "value": value.schema}}
    schema: JsonSchema = {
        "type": "array",
        "items": {**pair, "required": ["key", "value"], "additionalProperties": False},
    }
    for count, items in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
        if count in node:
            schema[items] = node[count]
    said = ["A map, written as a list of pairs of key and value; every key once."]
    handled = ("propertyNames", "patternProperties", "maxProperties")
    said += words.leftovers(state, node, handled, path)
    return Lowered(words.describe(described(node, schema), *said), {"kind": "pairs", "value": value.decoder})


def _map_of_pattern(state: State, node: JsonSchema, further: Any, path: str, depth: int) -> Lowered:
    patterns: dict[str, Any] = node["patternProperties"]
    if len(patterns) != 1 or further is not False:
        raise Unsayable(path, "its fields are described by several patterns")
    ((pattern, value),) = patterns.items()
    return lower_map(state, node, value, path, depth, pattern)


def _further_fields(state: State, schemas: dict[str, JsonSchema], further: Any, path: str, depth: int) -> Decoder:
    """One more field, a list of pairs, for what the record does not name."""
    name = "other_fields"
    while name in schemas:
        name += "_"
    pairs = lower_map(state, {}, further, path, depth + 1)
    schemas[name] = {
        **pairs.schema,
        "description": "Further fields, as a list of pairs of key and value; may be empty.",
    }
    return {"name": name, "value": pairs.decoder["value"]}


def _check_null(state: State, node: Any, path: str) -> None:
    """Null stands for a field that is left out, so null itself can be said only where it means the same."""
    default = node.get("default", ...) if isinstance(node, dict) else ...
    if default is None or (default is ... and state.absent_is_null) or not admits_null(state, node, path):
        return
    state.lose("narrowed", path, "null means that the field is left out; null itself cannot be given")


def _with_default(schema: JsonSchema, node: Any) -> JsonSchema:
    """Strict mode ignores `default`, so it is said in words."""
    default = node.get("default") if isinstance(node, dict) else None
    if default is None or "default" in str(node.get("description", "")).lower():
        return schema
    return words.describe(schema, f"Default: {words.value(default)}.")


def _without_met_counts(node: JsonSchema, schemas: dict[str, JsonSchema], required: Any) -> JsonSchema:
    """Counts of fields that the record meets anyhow need no words."""
    kept = dict(node)
    if kept.get("minProperties", 1) <= len(set(required)):
        kept.pop("minProperties", None)
    if kept.get("maxProperties", 0) >= len(schemas):
        kept.pop("maxProperties", None)
    if kept.get("unevaluatedProperties") is False:
        kept.pop("unevaluatedProperties")
    return kept
