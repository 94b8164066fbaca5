"""Fitting a value to a JSON Schema: checks the shape, and marks what may be read afterwards.

Understands what types of the language become, and what the sample sources use. Refinements (lengths, bounds,
patterns, numbers of items) are left alone: they are checked when a program runs, not ruled out by types.
"""

from __future__ import annotations

from typing import Any, Final

from stdlib.values.formats import valid_format
from tests.mutation.reference.values import Opaque, Record, Stored, Text, is_number, kind

FORMATS: Final = {
    "date-time": "timestamp",
    "date": "date",
    "duration": "duration",
    "uri": "url",
    "email": "email",
    "uuid": "uuid",
    "byte": "bytes",
}
"""JSON Schema format → type of the language."""


class Misfit(Exception):
    """`path` leads to what does not fit, `why` says what it is."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path or 'it'} {why}")
        self.path = path


def resolved(schema: Any, root: Any) -> dict[str, Any]:
    """The schema behind references; `{}` for true."""
    while isinstance(schema, dict) and "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = target
    return schema if isinstance(schema, dict) else {}


def options(schema: dict[str, Any]) -> list[Any] | None:
    """The alternatives of a union."""
    found = schema.get("anyOf") or schema.get("oneOf")
    return found if isinstance(found, list) else None


def kinds(schema: dict[str, Any]) -> list[str]:
    """The JSON types that a schema without alternatives allows; empty for every one."""
    given = schema.get("type")
    if given is None:
        if "properties" in schema:
            return ["object"]
        return []
    return [given] if isinstance(given, str) else list(given)


def nullable(schema: Any, root: Any) -> bool:
    """Whether null fits, also where everything does."""
    schema = resolved(schema, root)
    if (alternatives := options(schema)) is not None:
        return any(nullable(each, root) for each in alternatives)
    if "const" in schema:
        return schema["const"] is None
    if "enum" in schema:
        return None in schema["enum"]
    allowed = kinds(schema)
    return not allowed or "null" in allowed


def view(value: Any, schema: Any, root: Any = None, path: str = "") -> Any:
    """The value marked with what the schema declares. Raises Misfit."""
    root = schema if root is None else root
    schema = resolved(schema, root)
    if (alternatives := options(schema)) is not None:
        first: Misfit | None = None
        for each in alternatives:
            try:
                return view(value, each, root, path)
            except Misfit as misfit:
                # The alternative that goes deepest says most.
                first = misfit if first is None or len(misfit.path) > len(first.path) else first
        raise first or Misfit(path, "fits nothing")
    if "x-handle" in schema:
        if isinstance(value, Stored) and value.kind == schema["x-handle"]:
            return value
        raise Misfit(path, f"is {kind(value)}, not a handle of {schema['x-handle']}")
    if "const" in schema or "enum" in schema:
        return _choice(value, [schema["const"]] if "const" in schema else schema["enum"], path)
    allowed = kinds(schema)
    if not allowed:
        return value if value is None or isinstance(value, Opaque) else Opaque(value)
    if value is None:
        if "null" in allowed:
            return None
        raise Misfit(path, "is null")
    if isinstance(value, str) and "string" in allowed:
        return _text(value, schema, path)
    if isinstance(value, bool) and "boolean" in allowed:
        return value
    if is_number(value) and ("number" in allowed or ("integer" in allowed and value == int(value))):
        return value
    if isinstance(value, list) and "array" in allowed:
        return [view(item, schema.get("items", {}), root, f"{path}[]") for item in value]
    if isinstance(value, dict) and "object" in allowed:
        return _record(value, schema, root, path)
    raise Misfit(path, f"is {kind(value)}, not {' or '.join(allowed)}")


def _choice(value: Any, choices: list[Any], path: str) -> Any:
    if not any(value == each and type(value == each) is bool and kind(value) == kind(each) for each in choices):
        raise Misfit(path, f"is {str(value)[:40]!r}, none of {choices}")
    return Text(value, choices=frozenset(filter(_is_text, choices))) if isinstance(value, str) else value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _text(value: str, schema: dict[str, Any], path: str) -> str:
    name = FORMATS.get(schema.get("format", ""))
    if name is None:
        return Text(value)
    if not valid_format(name, value):
        raise Misfit(path, f"is no {name}")
    return Text(value, form=name)


def _record(value: dict[str, Any], schema: dict[str, Any], root: Any, path: str) -> Record:
    properties: dict[str, Any] = schema.get("properties", {})
    more = schema.get("additionalProperties", True)
    if not properties and more is not False:
        rest = more if isinstance(more, dict) else {}
        items = {key: view(item, rest, root, f"{path}[{key!r}]") for key, item in value.items()}
        return Record(items, None)
    made: dict[str, Any] = dict(value)
    required = schema.get("required", ())
    for name, wanted in properties.items():
        at = f"{path}.{name}" if path else name
        given = value.get(name)
        if given is not None:
            made[name] = view(given, wanted, root, at)
        elif name in required and not nullable(wanted, root):
            raise Misfit(at, "is null" if name in value else "is missing")
    if more is False and (extra := sorted(value.keys() - properties.keys())):
        raise Misfit(f"{path}.{extra[0]}" if path else extra[0], "is not expected")
    return Record(made, frozenset(properties))
