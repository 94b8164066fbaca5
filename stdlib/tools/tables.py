"""Tables: rows as objects, read and written as CSV and JSON Lines, joined, aggregated."""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from typing import Any, Final

from ..values.canonical import JsonError, read_json
from . import ToolFault
from .aggregates import aggregate, pivot
from .columns import sort, typed
from .rows import MOST_ROWS, Row, bounded, bounded_cells, key, known_columns, twice


def read_csv(text: str, separator: str = ",", columns: list[str] | None = None) -> dict[str, Any]:
    """RFC 4180. Without `columns` the first line names them. A field that a short row lacks is null."""
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        lines = list(islice((line for line in reader if line), MOST_ROWS + 2))
    except csv.Error as problem:
        raise ToolFault(f"this is no CSV: {problem}") from None
    names = columns if columns is not None else lines.pop(0) if lines else []
    again = twice(names)
    if again is not None:
        raise ToolFault(f"two columns are called `{again}`")
    bounded_cells(len(bounded(lines)), len(names))
    rows = []
    for number, line in enumerate(lines, start=1):
        if len(line) > len(names):
            raise ToolFault(f"row {number} has {len(line)} fields, and there are {len(names)} columns")
        rows.append(dict(zip(names, [*line, *[None] * (len(names) - len(line))], strict=True)))
    return {"columns": names, "rows": rows}


def write_csv(rows: list[Row], separator: str = ",", columns: list[str] | None = None) -> str:
    """With a line of names; lines end with CRLF. Texts as they are, null as nothing, other values as JSON."""
    names = columns if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    if names:
        writer.writerow(names)
    bounded_cells(len(rows), len(names))
    for row in rows if names else ():
        writer.writerow([_cell(row.get(name)) for name in names])
    return out.getvalue()


def write_markdown(rows: list[Row], columns: list[str] | None = None) -> str:
    """A table as GitHub's Markdown has it; cells as `write_csv` writes them, on one line each."""
    names = columns if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    bounded_cells(len(rows), len(names))
    if not names:
        return ""
    lines = [names, ["---"] * len(names), *([_cell(row.get(name)) for name in names] for row in rows)]
    return "".join(f"| {' | '.join(map(_markdown, line))} |\n" for line in lines)


def _markdown(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


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
    return bounded(found)


def write_jsonl(rows: list[Any]) -> str:
    return "".join(f"{_json(row)}\n" for row in rows)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def join(left: list[Row], right: list[Row], on: list[str], how: str = "inner") -> list[Row]:
    """Rows of both sides whose columns `on` are equal (null is equal to nothing), in the order of `left`, then `right`.

    Other columns of `right` that `left` has, too, get `_right` at their end. `left` keeps rows without a partner.
    """
    known_columns(left, on, "left")
    known_columns(right, on, "right")
    partners: dict[str, list[Row]] = {}
    for row in right:
        if _whole(row, on):
            partners.setdefault(key(row, on), []).append(row)
    taken = {name for row in left for name in row}
    names = {name for row in right for name in row if name not in on}
    renamed = {name: f"{name}_right" if name in taken else name for name in names}
    made: list[Row] = []
    for row in left:
        found = partners.get(key(row, on), []) if _whole(row, on) else []
        for other in found:
            made.append({**row, **{renamed[name]: value for name, value in other.items() if name in renamed}})
        if not found and how == "left":
            made.append(dict(row))
        bounded(made)
        bounded_cells(len(made), len(taken) + len(names))
    return made


def _whole(row: Row, names: list[str]) -> bool:
    """Whether no column is null, which is equal to nothing."""
    return all(row.get(name) is not None for name in names)


TOOLS: Final[dict[str, Any]] = {
    "read_csv": read_csv,
    "write_csv": write_csv,
    "write_markdown": write_markdown,
    "read_jsonl": read_jsonl,
    "write_jsonl": write_jsonl,
    "join": join,
    "aggregate": aggregate,
    "pivot": pivot,
    "sort": sort,
    "typed": typed,
}
