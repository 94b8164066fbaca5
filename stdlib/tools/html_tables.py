"""Tables of an HTML page as rows of columns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final

from . import ToolFault
from .markup import line, readable
from .rows import MOST_COLUMNS

MOST_CELLS: Final = 200_000
"""Of all tables of a page, those included that a cell stands for beside its own place."""
_NUMBER: Final = re.compile(r"[0-9]{1,4}")


@dataclass(slots=True)
class _Cell:
    heads: bool
    columns: int
    rows: int
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return line("".join(self.parts))


@dataclass(slots=True)
class _Table:
    rows: list[list[_Cell]] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    in_caption: bool = False
    cell: _Cell | None = None


class _Tables(HTMLParser):
    """`found` has the tables in the order in which they begin; what stands in an inner one is not in the outer."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Table] = []
        self._open: list[_Table] = []
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._open.append(_Table())
            self.found.append(self._open[-1])
            return
        if not self._open:
            return
        table = self._open[-1]
        if tag in ("tr", "td", "th"):
            table.in_caption = False
            table.cell = None
            if tag == "tr" or not table.rows:
                table.rows.append([])
        if tag in ("td", "th"):
            given = dict(attrs)
            table.cell = _Cell(tag == "th", _span(given.get("colspan")), _span(given.get("rowspan")))
            table.rows[-1].append(table.cell)
            self._cells += table.cell.columns
            if self._cells > MOST_CELLS:
                raise ToolFault(f"the tables have more than {MOST_CELLS} cells")
        elif tag == "caption":
            table.in_caption = True
        elif tag in ("br", "p", "li", "div"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if not self._open:
            return
        table = self._open[-1]
        if tag == "table":
            self._open.pop()
        elif tag == "caption":
            table.in_caption = False
        elif tag in ("td", "th", "tr"):
            table.cell = None

    def handle_data(self, data: str) -> None:
        if self._open:
            table = self._open[-1]
            if table.in_caption:
                table.caption.append(data)
            elif table.cell is not None:
                table.cell.parts.append(data)


def html_tables(html: str) -> list[dict[str, Any]]:
    """Tables without a cell are left out. A first row of `th` alone names the columns, else they are `column_1` …"""
    page = _Tables()
    page.feed(readable(html))
    page.close()
    made, left = [], MOST_CELLS
    for table in page.found:
        grid = _grid(table, left)
        left -= sum(map(len, grid))
        if any(grid):
            made.append(_named(table, grid))
    return made


def _span(text: str | None) -> int:
    """How many places a cell takes: 1 where that is no number."""
    return max(1, int(text)) if text is not None and _NUMBER.fullmatch(text) else 1


def _grid(table: _Table, most: int) -> list[list[str]]:
    """The texts by their places; a cell that takes several stands in each of them."""
    grid: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}  # columns that a cell above takes: for how many rows yet, and its text
    for row in table.rows:
        texts: list[str] = []
        cells = iter(row)
        cell = next(cells, None)
        while cell is not None or len(texts) in below:
            if len(texts) in below:
                rest, text = below.pop(len(texts))
                if rest > 1:
                    below[len(texts)] = rest - 1, text
                texts.append(text)
            elif cell is not None:
                text = cell.text
                for _ in range(cell.columns):
                    if cell.rows > 1:
                        below[len(texts)] = cell.rows - 1, text
                    texts.append(text)
                cell = next(cells, None)
            most -= 1
            if most < 0 or len(texts) > MOST_COLUMNS:
                raise ToolFault(f"the tables have more than {MOST_CELLS} cells, or {MOST_COLUMNS} columns")
        grid.append(texts)
    return grid


def _named(table: _Table, grid: list[list[str]]) -> dict[str, Any]:
    first = next(n for n, texts in enumerate(grid) if texts)
    width = max(map(len, grid))
    heads = all(cell.heads for cell in table.rows[first]) and len(grid) > first + 1
    names = _unique(grid[first] if heads else [], width)
    rows = [texts for texts in grid[first + heads :] if texts]
    return {
        "caption": line("".join(table.caption)) or None,
        "columns": names,
        "rows": [dict(zip(names, [*texts, *[None] * (width - len(texts))], strict=True)) for texts in rows],
    }


def _unique(written: list[str], width: int) -> list[str]:
    names: dict[str, None] = {}
    for place in range(width):
        name = (written[place] if place < len(written) else "") or f"column_{place + 1}"
        again, number = name, 2
        while again in names:
            again, number = f"{name}_{number}", number + 1
        names[again] = None
    return list(names)
