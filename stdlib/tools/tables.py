"""Tables: rows as objects, read and written as CSV and JSON Lines, joined, aggregated."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from typing import Any, Final

from ..values.canonical import JsonError, canonical_text, read_json
from . import ToolFault

Row = dict[str, Any]
MOST_ROWS: Final = 200_000
"""Of what is made."""


def read_csv(text: str, separator: str = ",", columns: list[str] | None = None) -> dict[str, Any]:
    """RFC 4180. Without `columns` the first line names them. A field that a short row lacks is null."""
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if line]
    except csv.Error as problem:
        raise ToolFault(f"this is no CSV: {problem}") from None
    names = columns if columns is not None else lines.pop(0) if lines else []
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ToolFault(f"two columns are called `{twice}`")
    rows = []
    for number, line in enumerate(lines, start=1):
        if len(line) > len(names):
            raise ToolFault(f"row {number} has {len(line)} fields, and there are {len(names)} columns")
        rows.append(dict(zip(names, [*line, *[None] * (len(names) - len(line))], strict=True)))
    return {"columns": names, "rows": _bounded(rows)}


def write_csv(rows: list[Row], separator: str = ",", columns: list[str] | None = None) -> str:
    """With a line of names; lines end with CRLF. Texts as they are, null as nothing, other values as JSON."""
    names = columns if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    if names:
        writer.writerow(names)
    for row in rows if names else ():
        writer.writerow([_cell(row.get(name)) for name in names])
    return out.getvalue()


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else _json(value)


def read_jsonl(text: str) -> list[Any]:
    """A value a line; empty lines are skipped."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                found.append(read_json(line))
            except JsonError as problem:
                raise ToolFault(f"line {number} is no JSON: {str(problem).rstrip('.')}") from None
    return _bounded(found)


def write_jsonl(rows: list[Any]) -> str:
    return "".join(f"{_json(row)}\n" for row in rows)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def join(left: list[Row], right: list[Row], on: list[str], how: str = "inner") -> list[Row]:
    """Rows of both sides whose columns `on` are equal (null is equal to nothing), in the order of `left`, then `right`.

    Other columns of `right` that `left` has, too, get `_right` at their end. `left` keeps rows without a partner.
    """
    partners: dict[str, list[Row]] = {}
    for row in right:
        key = _key(row, on)
        if key is not None:
            partners.setdefault(key, []).append(row)
    taken = {name for row in left for name in row}
    names = {name for row in right for name in row if name not in on}
    renamed = {name: f"{name}_right" if name in taken else name for name in names}
    made: list[Row] = []
    for row in left:
        key = _key(row, on)
        found = partners.get(key, []) if key is not None else []
        for other in found:
            made.append({**row, **{renamed[name]: value for name, value in other.items() if name in renamed}})
        if not found and how == "left":
            made.append(dict(row))
        _bounded(made)
    return made


def _key(row: Row, names: list[str]) -> str | None:
    values = [row.get(name) for name in names]
    return None if None in values else canonical_text(values)


def aggregate(rows: list[Row], by: list[str], columns: list[dict[str, Any]]) -> list[Row]:
    """One row for each combination of the columns `by`, in the order in which they first appear; without `by` one for
    all. Null counts for nothing but `count` without `of`."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(canonical_text([row.get(name) for name in by]), []).append(row)
    if not by and not rows:
        groups[""] = []
    made = []
    for members in groups.values():
        row = {name: members[0].get(name) for name in by}
        for column in columns:
            row[column["name"]] = _calculated(members, column)
        made.append(row)
    return made


def _calculated(rows: list[Row], column: dict[str, Any]) -> Any:
    of, how = column.get("of"), column["how"]
    if of is None:
        if how != "count":
            raise ToolFault(f"`{column['name']}` needs `of`: the column that it is made from")
        return len(rows)
    values = [row[of] for row in rows if row.get(of) is not None]
    try:
        return _HOW[how](values)
    except TypeError:
        raise ToolFault(f"`{of}` has values of which no {how} can be made") from None
    except OverflowError:
        raise ToolFault(f"the {how} of `{of}` is too large") from None


def _numbers(values: list[Any]) -> list[int | float]:
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise TypeError
    return values


def _sum(values: list[Any]) -> int | float:
    numbers = _numbers(values)
    return math.fsum(numbers) if any(isinstance(each, float) for each in numbers) else sum(numbers)


def _mean(values: list[Any]) -> float | None:
    return _sum(values) / len(values) if values else None


def _least(values: list[Any]) -> Any:
    return min(_ordered(values), default=None)


def _most(values: list[Any]) -> Any:
    return max(_ordered(values), default=None)


def _ordered(values: list[Any]) -> list[Any]:
    """Numbers or texts, not both."""
    return values if all(isinstance(value, str) for value in values) else _numbers(values)


def _distinct(values: list[Any]) -> list[Any]:
    first: dict[str, Any] = {}
    for value in values:
        first.setdefault(canonical_text(value), value)
    return list(first.values())


_HOW: Final[dict[str, Callable[[list[Any]], Any]]] = {
    "count": len,
    "sum": _sum,
    "mean": _mean,
    "min": _least,
    "max": _most,
    "first": lambda values: values[0] if values else None,
    "last": lambda values: values[-1] if values else None,
    "list": list,
    "distinct": _distinct,
}


def _bounded(rows: list[Any]) -> list[Any]:
    if len(rows) > MOST_ROWS:
        raise ToolFault(f"it would give more than {MOST_ROWS} rows")
    return rows


TOOLS: Final[dict[str, Any]] = {
    "read_csv": read_csv,
    "write_csv": write_csv,
    "read_jsonl": read_jsonl,
    "write_jsonl": write_jsonl,
    "join": join,
    "aggregate": aggregate,
}
