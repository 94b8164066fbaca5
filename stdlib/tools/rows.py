"""Rows of tables: what they are, and how many of them and of their cells there may be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..values.canonical import canonical_text
from . import ToolFault

Row = dict[str, Any]
MOST_ROWS: Final = 200_000
"""Of what is made."""
MOST_COLUMNS: Final = 2_000
MOST_CELLS: Final = 2_000_000
_MOST_SHOWN: Final = 20
"""Columns that a message names."""


def bounded(rows: list[Any]) -> list[Any]:
    if len(rows) > MOST_ROWS:
        raise ToolFault(f"it would give more than {MOST_ROWS} rows")
    return rows


def bounded_cells(rows: int, columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise ToolFault(f"it would give more than {MOST_COLUMNS} columns")
    if rows * columns > MOST_CELLS:
        raise ToolFault(f"it would give more than {MOST_CELLS} cells")


def known_columns(rows: list[Row], names: Iterable[str], whose: str = "rows") -> None:
    """Raises where there are rows, and none of them has one of these columns. `whose`: the parameter that has them."""
    for name in names:
        if rows and not any(name in row for row in rows):
            there = list(dict.fromkeys(each for row in rows for each in row))
            shown = ", ".join(f"`{each[:80]}`" for each in there[:_MOST_SHOWN])
            more = f" and {len(there) - _MOST_SHOWN} more" if len(there) > _MOST_SHOWN else ""
            raise ToolFault(f"no row of `{whose}` has the column `{name[:80]}`; there are: {shown or 'none'}{more}")


def twice(names: list[str]) -> str | None:
    """The first name that is there already."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def key(row: Row, names: list[str]) -> str:
    """Equal for rows whose columns are equal."""
    return canonical_text([row.get(name) for name in names])
