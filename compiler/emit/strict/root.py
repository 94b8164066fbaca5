"""The root of a strict schema: always a record, never a choice, a reference or a map."""

from __future__ import annotations

from compiler.emit.strict import nodes, objects
from compiler.emit.strict.merge import inlined
from compiler.emit.strict.model import JsonSchema, Lowered, State, Unsayable


def lower_root(state: State) -> Lowered:
    """What is no record of named fields gets a record with one field around it, which the decoder takes off."""
    node = inlined(state, state.root, "")
    if "object" not in (nodes.types_of(node) or ["object"]):
        raise Unsayable("", "arguments are always an object, and the schema does not allow one")
    node = {**node, "type": "object"}
    if "anyOf" not in node and "oneOf" not in node and not _is_map(node):
        return _record(state, node)
    try:
        whole = nodes.lower_node(state, node, "", 1)
    except Unsayable:
        if not state.may_encode:
            raise
    else:
        if whole.decoder["kind"] == "record":  # alternatives that only asked for fields
            return whole
    state.losses.clear()
    whole = nodes.lower(state, node, "", 2)
    state.lose("encoded", "", "all arguments need a record with one field around them")
    schema: JsonSchema = {"type": "object", "properties": {"arguments": whole.schema}, "required": ["arguments"]}
    decoder = {"kind": "unwrap", "name": "arguments", "value": whole.decoder}
    return Lowered({**schema, "additionalProperties": False}, decoder)


def _is_map(node: JsonSchema) -> bool:
    """Whether the arguments have names that the schema does not know; silence means that there are none."""
    if node.get("properties") or node.get("required"):
        return False
    return bool(node.get("additionalProperties")) or "patternProperties" in node or "propertyNames" in node


def _record(state: State, node: JsonSchema) -> Lowered:
    properties, further = objects.fields_of(node, "")
    return objects.lower_record(state, node, properties, further, "", 1)
