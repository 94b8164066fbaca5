"""A table for people: columns as wide as what stands in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dsl.glyphs import glyphs


def columns(rows: Sequence[Sequence[str]], *, width: int | None = None, right: Collection[int] = ()) -> str:
    """One line a row, cut where the terminal ends, if there is one. `right`: the columns that are set right."""
    if not rows:
        return ""
    widest = [max(_width(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for at, cell in enumerate(row):
            space = " " * (widest[at] - _width(cell))
            cells.append(space + _shown(cell) if at in right else _shown(cell) + space)
        lines.append(_cut("  ".join(cells).rstrip(), width))
    return "".join(f"{line}\n" for line in lines)


def _shown(text: str) -> str:
    return "".join(shown for shown, _ in glyphs(text))


def _width(text: str) -> int:
    return sum(width for _, width in glyphs(text))


def _cut(line: str, room: int | None) -> str:
    if room is None or _width(line) <= room:
        return line
    shown, used = "", 1
    for glyph, width in glyphs(line):
        if used + width > room:
            break
        shown, used = shown + glyph, used + width
    return f"{shown}…"
