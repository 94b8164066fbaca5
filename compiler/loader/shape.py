"""What a manifest or a lock file may hold: one table each, which checks a file and is published as its JSON Schema.

Reading them is on the way of every `chainc check`, so there is no library in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from compiler.loader.near import did_you_mean

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as its table says: where, what, and what to write. `kind` decides about the code."""

    kind: Literal["unknown", "missing", "wrong"]
    path: Path
    message: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text. `pattern` must match the whole of it; `example` is what a person is told to write."""

    pattern: str = ""
    example: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[str, ...]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `least`."""

    least: int = 0
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number above zero, whole or not."""

    doc: str = ""


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value, or any object where `table`."""

    table: bool = False
    doc: str = ""


@dataclass(frozen=True, slots=True)
class ListOf:
    """`of_keys`: what a person is told who wrote a table, for `str.format` with its first key and the list of all."""

    item: Shape
    doc: str = ""
    of_keys: str = ""


@dataclass(frozen=True, slots=True)
class MapOf:
    """Any names that match the pattern."""

    name: Text
    value: Shape
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Either:
    """One of several tables, told apart by the key that each must have."""

    tables: Mapping[str, Table]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Kinds:
    """One of several tables, told apart by what their `kind` is, which stands beside their own fields."""

    tables: Mapping[str, Table]
    doc: str = ""


Shape = Text | Choice | Flag | Whole | Amount | Anything | ListOf | MapOf | Table | Either | Kinds


def problems(shape: Shape, value: object, path: Path = ()) -> Iterator[Problem]:
    """Everything in which `value` differs from its shape."""
    match shape:
        case Anything(table=table):
            if table and not isinstance(value, dict):
                yield _wrong(path, value, "a table")
        case Flag():
            if not isinstance(value, bool):
                yield _wrong(path, value, "true or false")
        case Whole(least=least):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                yield _wrong(path, value, f"a whole number from {least}")
        case Amount():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
                yield _wrong(path, value, "a number above 0")
        case Choice(options=options):
            if value not in options:
                listed = " or ".join(f'"{option}"' for option in options)
                hint = did_you_mean(value, options) if isinstance(value, str) else ""
                yield _wrong(path, value, listed, hint)
        case Text():
            yield from _text(shape, value, path)
        case ListOf(item=item, of_keys=of_keys):
            if not isinstance(value, list):
                keys = list(value) if isinstance(value, dict) else []
                usable = of_keys and keys and not any(problem for key in keys for problem in problems(item, key))
                hint = of_keys.format(keys[0], ", ".join(f'"{key}"' for key in keys)) if usable else ""
                yield _wrong(path, value, "a list", hint)
                return
            for i, each in enumerate(value):
                yield from problems(item, each, (*path, i))
        case MapOf(name=name, value=inner):
            if not isinstance(value, dict):
                yield _wrong(path, value, "a table")
                return
            for key, each in value.items():
                yield from _text(name, key, (*path, key), "is no name")
                yield from problems(inner, each, (*path, key))
        case Table():
            yield from _table(shape, value, path)
        case Either(tables=tables):
            yield from _either(tables, value, path)
        case Kinds():
            yield from _kinds(shape, value, path)


def _text(shape: Text, value: object, path: Path, wrong: str = "") -> Iterator[Problem]:
    if not isinstance(value, str):
        yield _wrong(path, value, "a text", f"Write {shape.example}." if shape.example else "")
    elif shape.pattern and not re.fullmatch(shape.pattern, value):
        what = f"`{dotted(path)}` {wrong}." if wrong else f"`{dotted(path)}` cannot be {_shown(value)}."
        yield Problem("wrong", path, what, f"Write something like {shape.example}." if shape.example else "")


def _table(shape: Table, value: object, path: Path) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield _wrong(path, value, "a table")
        return
    for key, each in value.items():
        inner = shape.fields.get(key)
        if inner is not None:
            yield from problems(inner, each, (*path, key))
            continue
        where = f"`{dotted(path)}`" if path else "the file"
        known = did_you_mean(key, shape.fields) or f"It has: {', '.join(shape.fields)}."
        yield Problem("unknown", (*path, key), f"There is no `{key}` in {where}.", known)
    for key in shape.required:
        if key not in value:
            yield Problem("missing", path, f"`{dotted((*path, key))}` is missing.", _to_write(key, shape.fields[key]))


def _either(tables: Mapping[str, Table], value: object, path: Path) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield _wrong(path, value, "a table")
        return
    given = [key for key in tables if key in value]
    keys = " or ".join(f"`{key}`" for key in tables)
    if len(given) > 1:
        yield Problem("wrong", path, f"`{dotted(path)}` has {' and '.join(f'`{k}`' for k in given)}; only one can be.")
    elif given:
        yield from _table(tables[given[0]], value, path)
    else:
        fields = {name: shape for table in tables.values() for name, shape in table.fields.items()}
        yield from _table(Table(fields), value, path)
        yield Problem("missing", path, f"`{dotted(path)}` needs {keys}.")


def _kinds(shape: Kinds, value: object, path: Path) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield _wrong(path, value, "a table")
        return
    kind = value.get("kind")
    if isinstance(kind, str) and kind in shape.tables:
        yield from _table(_of_kind(kind, shape.tables[kind]), value, path)
    else:
        yield from _table(Table({"kind": Choice(tuple(shape.tables))}, ("kind",)), {"kind": kind}, path)


def _of_kind(kind: str, table: Table) -> Table:
    return Table({"kind": Choice((kind,)), **table.fields}, ("kind", *table.required), table.doc)


def _wrong(path: Path, value: object, wanted: str, hint: str = "") -> Problem:
    what = f"`{dotted(path)}`" if path else "it"
    return Problem("wrong", path, f"{what} must be {wanted}, not {_shown(value)}.", hint)


def _to_write(key: str, shape: Shape) -> str:
    example = shape.example if isinstance(shape, Text) else f'"{shape.options[0]}"' if isinstance(shape, Choice) else ""
    return f"Write `{key} = {example}`." if example else ""


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    text = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def dotted(path: Path) -> str:
    """`sources.github.mcp.args[0]`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out


def json_schema(shape: Shape) -> dict[str, Any]:
    """The same as JSON Schema 2020-12."""
    schema = _schema(shape)
    return {"description": shape.doc, **schema} if shape.doc else schema


def _schema(shape: Shape) -> dict[str, Any]:
    match shape:
        case Anything(table=table):
            return {"type": "object"} if table else {}
        case Flag():
            return {"type": "boolean"}
        case Whole(least=least):
            return {"type": "integer", "minimum": least}
        case Amount():
            return {"type": "number", "exclusiveMinimum": 0}
        case Choice(options=options):
            return {"type": "string", "enum": list(options)}
        case Text(pattern=pattern):
            return {"type": "string", "pattern": f"^(?:{pattern})$"} if pattern else {"type": "string"}
        case ListOf(item=item):
            return {"type": "array", "items": json_schema(item)}
        case MapOf(name=name, value=value):
            return {"type": "object", "propertyNames": _schema(name), "additionalProperties": json_schema(value)}
        case Either(tables=tables):
            return {"oneOf": [json_schema(table) for table in tables.values()]}
        case Kinds(tables=tables):
            return {"oneOf": [json_schema(_of_kind(kind, table)) for kind, table in tables.items()]}
        case Table(fields=fields, required=required):
            return {
                "type": "object",
                "properties": {name: json_schema(field) for name, field in fields.items()},
                "required": list(required),
                "additionalProperties": False,
            }
