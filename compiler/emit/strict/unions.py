"""`anyOf` and `oneOf` in the strict subset: alternatives that a reader and the decoder can tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compiler.emit.strict import nodes, words
from compiler.emit.strict.apart import told_apart
from compiler.emit.strict.disjoint import disjoint
from compiler.emit.strict.merge import inlined, is_annotation, is_constraining, merge
from compiler.emit.strict.model import Impossible, JsonSchema, Lowered, State, Unsayable, below
from compiler.emit.strict.nulls import nullable
from compiler.emit.strict.scalars import described

_NULL: JsonSchema = {"type": "null"}


def lower_union(state: State, node: JsonSchema, path: str, depth: int) -> Lowered:
    if "anyOf" in node and "oneOf" in node:
        raise Unsayable(path, "`anyOf` and `oneOf` must hold at once")
    keyword = "anyOf" if "anyOf" in node else "oneOf"
    base = {key: value for key, value in node.items() if key != keyword}
    choices = [each for each in node[keyword] if each is not False]
    if all(isinstance(each, dict) and set(each) - {"description", "title"} == {"required"} for each in choices):
        return _required_alternatives(state, base, choices, keyword, path, depth)
    branches = list(_branches(state, base, choices, below(path, keyword)))
    if not branches:
        raise Impossible(path)
    if any(each is True or not is_constraining(each) for _, each in branches):
        raise Unsayable(path, "every JSON value is allowed")
    branches, forms = _lowered(state, branches, depth)
    if not forms:
        raise Impossible(path)
    forms = told_apart(state, branches, forms, path, depth)
    whole = joined(state, node, forms, path)
    if keyword == "oneOf" and not _exclusive(state, [each for _, each in branches], path):
        state.lose("prose", path, "that exactly one form fits can only stand in the description")
        return Lowered(words.describe(whole.schema, "Exactly one of the forms must fit."), whole.decoder)
    return whole


def joined(state: State, node: JsonSchema, forms: list[Lowered], path: str) -> Lowered:
    """The forms as one schema; equal ones once, null last."""
    schemas: list[JsonSchema] = []
    decoders = []
    with_null = False
    for form in forms:
        inner = _flat(form)
        for schema, decoder in inner:
            if schema == _NULL:
                with_null = True
            elif schema not in schemas:
                schemas.append(schema)
                decoders.append(decoder)
    if not schemas:
        return Lowered(described(node, dict(_NULL)), {"kind": "keep", "schema": _NULL})
    if len(schemas) == 1:
        whole = Lowered(_led(node, schemas[0]), decoders[0])
    else:
        whole = Lowered(described(node, {"anyOf": schemas}), {"kind": "choose", "branches": decoders})
    return nullable(whole) if with_null else whole


def _led(node: JsonSchema, schema: JsonSchema) -> JsonSchema:
    """The only form left, with the description of the whole where it has one."""
    said = node.get("description")
    own = schema.get("description", "")
    if not isinstance(said, str) or said == own or own.startswith(said):
        return schema
    bare = {key: value for key, value in schema.items() if key != "description"}
    return words.describe({**bare, "description": said}, own)


def _flat(form: Lowered) -> list[tuple[JsonSchema, Any]]:
    """A form that is itself a bare choice stands for its own forms."""
    if set(form.schema) == {"anyOf"} and form.decoder["kind"] == "choose":
        branches = form.decoder["branches"]
        schemas = form.schema["anyOf"]
        if len(branches) == len(schemas):
            ordered = branches if schemas[-1] != _NULL else [*branches[1:], branches[0]]
            return list(zip(schemas, ordered, strict=True))
    return [(form.schema, form.decoder)]


def _branches(state: State, base: JsonSchema, choices: list[Any], path: str) -> Iterator[tuple[str, Any]]:
    """The alternatives, each with what holds for all of them; those that no value can fit are left out."""
    shared = {key: value for key, value in base.items() if not is_annotation(key)}
    for place, each in enumerate(choices):
        at = below(path, place)
        if not shared:
            yield at, each
            continue
        try:
            yield at, merge(inlined(state, each, at), shared, at)
        except Impossible:
            continue


def _lowered(state: State, branches: list[tuple[str, Any]], depth: int) -> tuple[list[tuple[str, Any]], list[Lowered]]:
    """The alternatives that some value fits, and their forms."""
    possible, forms = [], []
    for place, each in branches:
        try:
            forms.append(nodes.lower(state, each, place, depth))
            possible.append((place, each))
        except Impossible:
            continue
    return possible, forms


def _required_alternatives(
    state: State, base: JsonSchema, choices: list[Any], keyword: str, path: str, depth: int
) -> Lowered:
    """Alternatives that only say which fields are needed go into words; the record itself stays one."""
    how = "at least one" if keyword == "anyOf" else "exactly one"
    state.lose("prose", path, f"that {how} of several fields is needed can only stand in the description")
    whole = nodes.lower(state, base, path, depth)
    groups = "; ".join(words.names(each["required"]) for each in choices)
    return Lowered(words.describe(whole.schema, f"Give {how} of: {groups}."), whole.decoder)


def _exclusive(state: State, branches: list[Any], path: str) -> bool:
    pairs = [(one, other) for place, one in enumerate(branches) for other in branches[place + 1 :]]
    return all(disjoint(state, one, other, path) for one, other in pairs)
