"""Arguments made from a schema: some that it admits, and from those some that it does not.

Knows nothing of the compiler; `jsonschema` decides what is admitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import jsonschema

Path = tuple[str | int, ...]

_FORMATS = {
    "date-time": "2026-01-02T03:04:05Z",
    "date": "2026-01-02",
    "uri": "https://example.org/a",
    "email": "ada@example.org",
    "uuid": "0b9ef1c8-6c3f-4d7a-9f7e-1f2a3b4c5d6e",
    "duration": "PT4H",
}
_TEXTS = ("text", "a", "us", "1", "aB3", "AS7", "2026-01-02", "10:30", "https://example.org/a", "#a1b2c3", "x" * 64)
_NUMBERS = (1, 0, 5, 10, 100, 0.5, -1, 1000)
_MOST_DEEP = 4
_KINDS = {str: "text", int: "integer", float: "number", bool: "truth", list: "list", dict: "object", type(None): "null"}
WRONG: tuple[Any, ...] = ("a text", 7, 7.5, True, ["a text"], {"a": 7})
"""Values of every type, for places that want another one."""


@dataclass(frozen=True, slots=True)
class Faulty:
    """Arguments that the tool does not take. `kind`: what is wrong, at `path`."""

    kind: str
    path: Path
    arguments: dict[str, Any]


class NoSample(Exception):
    """No value was found that the schema admits."""


class Schema:
    """The input schema of a tool."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.root = schema
        kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        self._validator = kind(schema)

    def admits(self, arguments: Any) -> bool:
        return bool(self._validator.is_valid(arguments))

    def sample(self, *, full: bool) -> dict[str, Any]:
        """Arguments that are admitted: all of them, or only what must be there."""
        made = self._value(self.root, full, 0)
        if not isinstance(made, dict) or not self.admits(made):
            raise NoSample
        return made

    def faulty(self, arguments: dict[str, Any]) -> Iterator[Faulty]:
        """Everything that one change makes of admitted arguments and that is not admitted any more. A parameter that
        the schema does not name is always wrong, however open the schema is."""
        yield Faulty("unknown name", ("surely_no_parameter",), arguments | {"surely_no_parameter": 1})
        for path, value in _places(arguments, ()):
            for kind, changed in _changes(value):
                if not path and not isinstance(changed, dict):
                    continue  # arguments are fields
                made = deepcopy(arguments)
                at: Any = made
                for part in path[:-1]:
                    at = at[part]
                if path:
                    at[path[-1]] = changed
                else:
                    made = changed
                if not self.admits(made):
                    yield Faulty(kind, path, made)

    def _admitted(self, schema: Any, value: Any) -> bool:
        return bool(self._validator.evolve(schema=schema).is_valid(value))

    def _value(self, schema: Any, full: bool, deep: int) -> Any:
        if not isinstance(schema, dict) or not schema:
            return "text"
        schema = self._flat(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return next((each for each in schema["enum"] if each is not None), None)
        for union in ("anyOf", "oneOf"):
            if union in schema:
                rest = {key: value for key, value in schema.items() if key != union}
                return self._one_of([_both(rest, self._flat(each)) for each in schema[union]], schema, full, deep)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), "null")
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object(schema, full, deep)
        if kind == "array":
            count = max(schema.get("minItems", 0), 1 if full and deep < _MOST_DEEP else 0)
            return [self._value(schema.get("items", {}), full, deep + 1) for _ in range(count)]
        if kind == "boolean":
            return False
        if kind == "null":
            return None
        return self._scalar(schema, kind)

    def _one_of(self, branches: list[dict[str, Any]], schema: Any, full: bool, deep: int) -> Any:
        made = [self._value(each, full, deep) for each in branches if each.get("type") != "null"]
        return next((each for each in made if self._admitted(schema, each)), made[0] if made else None)

    def _object(self, schema: dict[str, Any], full: bool, deep: int) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", [])
        names = list(properties) if full and deep < _MOST_DEEP else list(required)
        made = {name: self._value(properties.get(name, {}), full, deep + 1) for name in names}
        rest = schema.get("additionalProperties")
        if full and not properties and isinstance(rest, dict) and deep < _MOST_DEEP:
            made["key"] = self._value(rest, full, deep + 1)
        return made

    def _scalar(self, schema: dict[str, Any], kind: str | None) -> Any:
        bounds = [schema[key] for key in ("minimum", "maximum", "default") if key in schema]
        bounds += [schema[key] + 1 for key in ("exclusiveMinimum",) if key in schema]
        candidates: Sequence[Any] = (*bounds, *_NUMBERS) if kind in ("integer", "number") else (*bounds, *_TEXTS)
        if schema.get("format") in _FORMATS:
            candidates = (_FORMATS[schema["format"]],)
        found = [each for each in candidates if self._admitted(schema, each)]
        if not found:
            raise NoSample
        return found[0]

    def _flat(self, schema: Any) -> dict[str, Any]:
        """Without references and `allOf`."""
        if not isinstance(schema, dict):
            return {}
        found = dict(schema)
        while "$ref" in found:
            target: Any = self.root
            for part in found.pop("$ref").removeprefix("#").split("/")[1:]:
                part = part.replace("~1", "/").replace("~0", "~")
                target = target[int(part)] if isinstance(target, list) else target[part]
            found = _both(dict(target), found)
        for part in found.pop("allOf", []):
            found = _both(found, self._flat(part))
        return found


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    made = {**one, **other}
    if "properties" in one and "properties" in other:
        made["properties"] = {**one["properties"], **other["properties"]}
    if "required" in one and "required" in other:
        made["required"] = list(dict.fromkeys([*one["required"], *other["required"]]))
    return made


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _places(each, (*path, name))
    elif isinstance(value, list):
        for at, each in enumerate(value[:2]):
            yield from _places(each, (*path, at))


def _changes(value: Any) -> Iterator[tuple[str, Any]]:
    """(what is wrong, another value). At the top only fields change."""
    if isinstance(value, dict):
        for name in value:
            yield "missing required", {key: each for key, each in value.items() if key != name}
        yield "unknown name", {**value, "surely_no_field": 1}
    kind = _KINDS[type(value)]
    yield from (("wrong type", wrong) for wrong in WRONG if _KINDS[type(wrong)] != kind)
    if isinstance(value, str):
        yield "out of enum", "surely no choice"
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield "out of bounds", -987654321
        yield "out of bounds", 987654321
