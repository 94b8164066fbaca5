"""Values from the command line: `--arg name=text`, read as the input's schema says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from math import isfinite
from typing import Any

from compiler.cli.arguments import nearest
from compiler.cli.exits import Usage
from stdlib.values.time import TimeError, parse_duration

Schema = Mapping[str, Any]

_MOST_SHOWN = 60
"""Characters of a value that does not fit."""
_WANTED = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a JSON list",
    "object": "a JSON object",
}


def read_arguments(pairs: Sequence[str], schema: Schema, whose: str = "the chain") -> dict[str, Any]:
    """`name=text` pairs as a record for this input schema; raises Usage, which calls what has the inputs `whose`."""
    inputs: Mapping[str, Schema] = schema.get("properties", {})
    arguments: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise Usage(f"--arg wants NAME=VALUE, not `{pair}`.")
        if name not in inputs:
            raise _unknown(name, list(inputs), whose)
        if name in arguments:
            raise Usage(f"the input `{name}` is given twice.", f"A list is JSON: --arg '{name}=[1, 2]'")
        arguments[name] = read_value(name, text, inputs[name], schema)
    return arguments


def read_json(text: str, where: str) -> dict[str, Any]:
    """A JSON object with arguments; raises Usage."""
    try:
        value = _parse(text, where)
    except ValueError as error:
        raise Usage(f"{where} is no JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Usage(f"{where} must hold one JSON object: a field for each input.")
    return value


def read_value(name: str, text: str, schema: Schema, root: Schema) -> Any:
    """The text as the schema wants it. A text goes as it is, anything else is JSON, and a duration may be `4h`."""
    alternatives = _alternatives(schema, root, ())
    types = {kind for each in alternatives for kind in _types(each)}
    if "string" not in types:
        try:
            value = _parse(text, f"the input `{name}`")
        except ValueError:
            raise _misfit(name, text, types) from None
        if not _fits(value, types):
            raise _misfit(name, text, types)
        return value
    if types - {"string", "null"}:
        with suppress(ValueError):
            value = _parse(text, f"the input `{name}`")
            if _fits(value, types - {"string", "null"}):
                return value
    if all(each.get("format") == "duration" for each in alternatives if "string" in _types(each)):
        try:
            return parse_duration(text)
        except TimeError as error:
            raise Usage(f"the input `{name}` does not fit: {error}") from None
    return text


def _fits(value: Any, types: Set[str]) -> bool:
    kind = _type_of(value)
    return not types or kind in types or (kind == "integer" and "number" in types)


def _misfit(name: str, text: str, types: Set[str]) -> Usage:
    text = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    wanted = [told for kind, told in _WANTED.items() if kind in types]
    if not wanted:
        return Usage(f"the input `{name}` wants JSON, not `{text}`.", f"A text is written --arg '{name}=\"…\"'.")
    return Usage(f"the input `{name}` wants {' or '.join(wanted)}, not `{text}`.")


def _unknown(name: str, known: list[str], whose: str) -> Usage:
    meant = nearest(name, known)
    hint = f"Did you mean `{meant}`?" if meant else f"It has: {', '.join(known)}." if known else "It has no inputs."
    return Usage(f"{whose} has no input `{name}`.", hint)


def _alternatives(schema: Schema, root: Schema, seen: tuple[str, ...]) -> list[Schema]:
    """The schema without references and unions."""
    target = schema.get("$ref")
    if isinstance(target, str) and target.startswith("#/") and target not in seen:
        found: Any = root
        for part in target[2:].split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, dict) else {}
        return _alternatives(found, root, (*seen, target)) if isinstance(found, dict) else []
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return [inner for each in schema[union] for inner in _alternatives(each, root, seen)]
    return [schema]


def _types(schema: Schema) -> list[str]:
    """The types that a schema without unions accepts; none where it does not say."""
    named = schema.get("type")
    if named is not None:
        return [named] if isinstance(named, str) else list(named)
    values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else []
    return list(dict.fromkeys(_type_of(value) for value in values))


def _type_of(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    names = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return names[type(value)]


def _parse(text: str, what: str) -> Any:
    """A JSON value; raises ValueError, also for a number beyond a double and for what is nested too deeply; Usage for a
    field that stands there twice, because RFC 8259 leaves open which one counts."""

    def number(digits: str) -> float:
        value = float(digits)
        if not isfinite(value):
            raise ValueError(f"{digits} is no number that can be held")
        return value

    def record(fields: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in fields:
            if key in made:
                raise Usage(f"{what} has the field `{key}` twice.", "Keep one of them.")
            made[key] = value
        return made

    text = text.removeprefix("\ufeff")  # some editors write one; RFC 8259 lets readers ignore it
    try:
        return json.loads(text, parse_constant=number, parse_float=number, object_pairs_hook=record)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
