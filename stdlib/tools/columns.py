"""Columns: what type their texts have, and rows in the order of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

from ..values.formats import valid_format
from ..values.numbers import is_number
from . import ToolFault
from .rows import Row, bounded, bounded_cells, known_columns

_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,999})")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,4})?")
_TRUTH: Final = {"true": True, "false": False}


class _Unfit(Exception):
    """A value is not of the type."""


def typed(rows: list[Row], columns: dict[str, str] | None = None) -> dict[str, Any]:
    """Texts become values. Without `columns` each column gets the first of integer, number, boolean, date and timestamp
    that all its texts have, else string; `0042` is a string, because it has zeros to lose. An empty text is null where
    the type is not string."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    bounded_cells(len(bounded(rows)), len(names))
    types = columns if columns is not None else {name: _type_of([row.get(name) for row in rows]) for name in names}
    made = []
    for number, row in enumerate(rows, start=1):
        new = dict(row)
        for name in types:
            try:
                new[name] = _read(row.get(name), types[name])
            except _Unfit:
                shown = str(row[name])[:80]
                raise ToolFault(f"`{name}` of row {number} is `{shown}`, which is no {types[name]}") from None
        made.append(new)
    return {"columns": types, "rows": made}


def _type_of(values: list[Any]) -> str:
    """Of values that are texts; others keep what they are."""
    texts = [value.strip() for value in values if isinstance(value, str)]
    texts = [text for text in texts if text]
    if not texts or any(value is not None and not isinstance(value, str) for value in values):
        return "string" if all(value is None or isinstance(value, str) for value in values) else "json"
    for kind in ("integer", "number", "boolean", "date", "timestamp"):
        if all(_fits(text, kind) for text in texts):
            return kind
    return "string"


def _fits(text: str, kind: str) -> bool:
    try:
        _READ[kind](text)
    except _Unfit:
        return False
    return True


def _read(value: Any, kind: str) -> Any:
    if kind == "json" or value is None:
        return value
    if isinstance(value, str):
        return value if kind == "string" else _READ[kind](value.strip()) if value.strip() else None
    fits = {
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": is_number(value),
        "boolean": isinstance(value, bool),
    }
    if not fits.get(kind):
        raise _Unfit
    return value


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise _Unfit
    return int(text)


def _number(text: str) -> int | float:
    if _INTEGER.fullmatch(text):
        return int(text)
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise _Unfit
    return float(text)


def _boolean(text: str) -> bool:
    found = _TRUTH.get(text.lower())
    if found is None:
        raise _Unfit
    return found


def _formatted(kind: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not valid_format(kind, text):
            raise _Unfit
        return text

    return read


_READ: Final[dict[str, Callable[[str], Any]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _formatted("date"),
    "timestamp": _formatted("timestamp"),
}


def sort(rows: list[Row], by: list[dict[str, Any]]) -> list[Row]:
    """By several columns, the first counts most. Equal rows keep their order; null comes last in either order."""
    made = list(rows)
    known_columns(rows, (each["column"] for each in by))
    for each in reversed(by):
        column, down = each["column"], each.get("order", "asc") == "desc"
        there = [row for row in made if row.get(column) is not None]
        kinds = {_kind(row[column]) for row in there}
        if len(kinds) > 1 or kinds & {"list", "record"}:
            raise ToolFault(f"`{column}` has values that have no order: {', '.join(sorted(kinds))}")
        there.sort(key=lambda row, name=column: row[name], reverse=down)  # type: ignore[misc]
        made = [*there, *(row for row in made if row.get(column) is None)]
    return made


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, list | dict):
        return "list" if isinstance(value, list) else "record"
    return "text" if isinstance(value, str) else "number"
