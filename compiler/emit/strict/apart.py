"""Forms of one value that a model and the decoder can tell apart: by type, by first key, or by a record around."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compiler.emit.strict import nodes
from compiler.emit.strict.merge import json_key
from compiler.emit.strict.model import JsonSchema, Lowered, State


def told_apart(
    state: State, branches: list[tuple[str, Any]], forms: list[Lowered], path: str, depth: int
) -> list[Lowered]:
    """Forms that start alike, or are decoded differently, get other first keys or a record with one field around."""
    forms = list(forms)
    for place in _alike(state, forms):
        moved = _own_key_first(forms, place)
        if moved is not None:
            forms[place] = moved
    for place in _alike(state, forms):
        state.lose("encoded", path, "forms that look alike need a record with one field around them")
        at, branch = branches[place]
        name = f"option_{place + 1}"
        inner = nodes.lower(state, branch, at, depth + 1)
        strict = {
            "type": "object",
            "properties": {name: inner.schema},
            "required": [name],
            "additionalProperties": False,
        }
        forms[place] = Lowered(strict, {"kind": "unwrap", "name": name, "value": inner.decoder})
    return forms


def _alike(state: State, forms: list[Lowered]) -> list[int]:
    """Places of the forms that cannot be told from another one by their type or first key."""
    found: set[int] = set()
    for one, left in enumerate(forms):
        for other in range(one + 1, len(forms)):
            right = forms[other]
            if left != right and _confusable(state, left, right):
                found |= {one, other}
    return sorted(found)


def _confusable(state: State, left: Lowered, right: Lowered) -> bool:
    ours, theirs = list(_heads(state, left)), list(_heads(state, right))
    for one in ours:
        for other in theirs:
            if one["type"] != other["type"]:
                continue
            if one["type"] == "object":
                if _same_first_key(one, other):
                    return True
            elif one["type"] != "null" and _is_encoded(left, right):
                return True
    return False


def _is_encoded(*forms: Lowered) -> bool:
    return any(_has_encoding(form.decoder) for form in forms)


def _has_encoding(decoder: Any) -> bool:
    """Whether a list or text of this decoder stands for something else; inside records forms are known by keys."""
    kind: str = decoder["kind"]
    if kind == "list":
        return bool(decoder["items"]["kind"] != "keep")
    if kind == "choose":
        return any(_has_encoding(each) for each in decoder["branches"])
    return kind in ("json", "pairs", "tuple", "ref")


def _heads(state: State, form: Lowered) -> Iterator[JsonSchema]:
    """What a form starts with: its type, and for records the fields; a definition in the making counts as a record."""
    pending = [form.schema]
    seen: set[str] = set()
    while pending:
        schema = pending.pop()
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            if name not in seen and name in state.definitions:
                seen.add(name)
                pending.append(state.definitions[name].schema)
            elif name not in seen:
                yield {"type": "object", "properties": {}}
        elif "anyOf" in schema:
            pending += schema["anyOf"]
        else:
            kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
            yield from ({**schema, "type": kind} for kind in kinds)


def _same_first_key(one: JsonSchema, other: JsonSchema) -> bool:
    """Both records start with the same key and its values do not tell them apart; also where one has no fields."""
    if not one["properties"] or not other["properties"]:
        return bool(one["properties"]) == bool(other["properties"])
    first = next(iter(one["properties"]))
    if first != next(iter(other["properties"])):
        return False
    ours, theirs = _literals(one["properties"][first]), _literals(other["properties"][first])
    return ours is None or theirs is None or bool(ours & theirs)


def _literals(schema: JsonSchema) -> set[str] | None:
    if "const" in schema:
        return {json_key(schema["const"])}
    return {json_key(each) for each in schema["enum"]} if "enum" in schema else None


def _own_key_first(forms: list[Lowered], place: int) -> Lowered | None:
    """The record with a field first that no other form has; None where there is none."""
    form = forms[place]
    properties = form.schema.get("properties")
    if not properties:
        return None
    others = {name for each in forms if each is not form for name in each.schema.get("properties", ())}
    own = next((name for name in properties if name not in others), None)
    if own is None:
        return None
    order = [own, *(name for name in properties if name != own)]
    moved = {**form.schema, "properties": {name: properties[name] for name in order}, "required": order}
    return Lowered(moved, form.decoder)
