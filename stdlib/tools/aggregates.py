"""Many rows made into few: aggregates, and pivots."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, Final

from ..values.canonical import canonical_text
from . import ToolFault
from .rows import Row, bounded_cells, key, known_columns


def aggregate(rows: list[Row], by: list[str], columns: list[dict[str, Any]]) -> list[Row]:
    """One row for each combination of the columns `by`, in the order in which they first appear; without `by` one for
    all. Null counts for nothing but `count` without `of`."""
    known_columns(rows, [*by, *(each["of"] for each in columns if each.get("of") is not None)])
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row, by), []).append(row)
    if not by and not rows:
        groups[""] = []
    made = []
    for members in groups.values():
        row = {name: members[0].get(name) for name in by}
        for column in columns:
            row[column["name"]] = _calculated(members, column)
        made.append(row)
    return made


def pivot(rows: list[Row], by: list[str], column: str, value: str, how: str = "first") -> list[Row]:
    """One row for each combination of the columns `by`; each value of `column` becomes a column. Rows in which it is
    null make none."""
    known_columns(rows, [*by, column, value])
    groups: dict[str, tuple[Row, dict[str, list[Row]]]] = {}
    names: dict[str, None] = {}
    for row in rows:
        _, cells = groups.setdefault(key(row, by), ({name: row.get(name) for name in by}, {}))
        named = row.get(column)
        if named is not None:
            name = named if isinstance(named, str) else json.dumps(named, ensure_ascii=False)
            if name in by:
                raise ToolFault(f"`{name}` would be a column twice: it stands in `by`, too")
            names[name] = None
            cells.setdefault(name, []).append(row)
        bounded_cells(len(groups), len(names) + len(by))
    wanted = {"name": value, "of": value, "how": how}
    return [
        {**first, **{name: _calculated(cells[name], wanted) if name in cells else None for name in names}}
        for first, cells in groups.values()
    ]


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
