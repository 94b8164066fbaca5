"""Constraints that strict mode cannot say, as sentences for a description."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from compiler.emit.strict.model import JsonSchema, State

_MOST = 1500  # characters of a schema that is quoted whole


def quoted(schema: Any) -> str:
    """A schema in compact JSON, cut where nobody would read on."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= _MOST else text[:_MOST] + "…"


def value(any_value: Any) -> str:
    return json.dumps(any_value, ensure_ascii=False)


def names(fields: Iterable[str]) -> str:
    """`a`, `b` and `c`."""
    listed = [f"`{name}`" for name in fields]
    return listed[0] if len(listed) == 1 else ", ".join(listed[:-1]) + " and " + listed[-1] if listed else "nothing"


def describe(schema: JsonSchema, *sentences: str) -> JsonSchema:
    """The schema with the sentences at the end of its description; a reference keeps no siblings, so it moves."""
    said = [text for text in (schema.get("description", "").strip(), *sentences) if text]
    if not said:
        return schema
    bare = {key: node for key, node in schema.items() if key != "description"}
    if "$ref" in bare:
        bare = {"anyOf": [bare]}
    described: JsonSchema = {}
    for key, node in bare.items():  # the description stands behind the type, before the details
        described[key] = node
        if key == "type":
            described["description"] = "\n".join(said)
    return {"description": "\n".join(said), **described} if "description" not in described else described


_SENTENCES: Mapping[str, str] = {
    "not": "Must not fit the JSON Schema {}.",
    "allOf": "Must also fit each JSON Schema of {}.",
    "contains": "At least one item must fit the JSON Schema {}.",
    "minContains": "That many items must fit: at least {}.",
    "maxContains": "That many items may fit: at most {}.",
    "minProperties": "At least {} entries.",
    "maxProperties": "At most {} entries.",
    "propertyNames": "Names of fields must fit the JSON Schema {}.",
    "patternProperties": "Fields whose names match must fit: {}.",
    "dependentSchemas": "Where a field is given, the whole must fit: {}.",
    "dependencies": "Where a field is given, what belongs to it is required: {}.",
    "unevaluatedItems": "Further items must fit the JSON Schema {}.",
    "contentEncoding": "The text is encoded as {}.",
    "contentMediaType": "The text holds {}.",
}
_WHOLE = {"then", "else", "uniqueItems", "dependentRequired", "if", "unevaluatedProperties", "contentSchema"}


def leftovers(state: State, node: JsonSchema, handled: Iterable[str], path: str) -> list[str]:
    """Sentences for the keywords of the node that the strict schema does not hold; each is noted as a loss."""
    said: list[str] = []
    for key, held in node.items():
        if key in handled or (key not in _SENTENCES and key not in _WHOLE):
            continue
        sentence = _sentence(node, key, held)
        if sentence:
            state.lose("prose", path, f"`{key}` can only stand in the description")
            said.append(sentence)
    return said


def _sentence(node: JsonSchema, key: str, held: Any) -> str:
    if key == "uniqueItems":
        return "All items must be different." if held else ""
    if key == "dependentRequired":
        return " ".join(f"With `{name}` also give {names(needed)}." for name, needed in held.items() if needed)
    if key == "if":
        then = f" it must also fit {quoted(node['then'])}." if "then" in node else " anything goes."
        otherwise = f" Else it must fit {quoted(node['else'])}." if "else" in node else ""
        return f"If it fits the JSON Schema {quoted(held)},{then}{otherwise}" if "then" in node or otherwise else ""
    if key == "minContains" and "contains" not in node:
        return ""
    sentence = _SENTENCES.get(key)
    return sentence.format(quoted(held)) if sentence else ""
