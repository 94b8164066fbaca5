"""The part of a source that a diagnostic talks about: lines, carets and labels, as rows of styled text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dsl.diagnostics import Label
from dsl.glyphs import Glyph, glyphs, printable
from dsl.source import Source

Row = list[tuple[str, str]]
"""Runs of (text, style); the styles are those of `dsl.render`."""

_LONGEST_FULL = 5  # A span of more lines shows its first two and its last.
_NARROWEST = 20


@dataclass(frozen=True, slots=True)
class Mark:
    """A label on its source. Lines and columns count from 1; `end`, a column of the line `last`, is exclusive."""

    first: int
    start: int
    last: int
    end: int
    text: str
    primary: bool

    @property
    def style(self) -> str:
        return "primary" if self.primary else "secondary"

    @property
    def sign(self) -> str:
        return "^" if self.primary else "-"


def mark_of(label: Label, primary: bool) -> Mark:
    """Where a label is. An empty span gets one column; a span that ends behind a line break ends before it."""
    source, end = label.span.source, max(label.span.start, label.span.end)
    first, start = source.position(label.span.start)
    last, stop = source.position(end)
    if last > first and stop == 1:
        last -= 1
        stop = len(source.line(last)) + 1
    if last == first:
        stop = max(stop, start + 1)
    return Mark(first, start, last, max(stop, 2), " ".join(printable(label.text, lines=True).split("\n")), primary)


def shown_lines(marks: Iterable[Mark]) -> list[int]:
    """The numbers of the lines to show, sorted; a gap of one line is filled."""
    wanted: set[int] = set()
    for mark in marks:
        if mark.last - mark.first < _LONGEST_FULL:
            wanted.update(range(mark.first, mark.last + 1))
        else:
            wanted.update((mark.first, mark.first + 1, mark.last))
    wanted.update(number + 1 for number in tuple(wanted) if number + 2 in wanted)
    return sorted(wanted)


def snippet(source: Source, marks: Sequence[Mark], gutter: int, width: int) -> Iterator[Row]:
    """The rows below the line with the place. `gutter` is the width of the line numbers, `width` that of the terminal.

    Spans of several lines run in lanes left of the text, the outer ones further left.
    """
    lanes = _Lanes(marks)
    room = max(width - gutter - 3 - lanes.width, _NARROWEST)
    blank = (" " * gutter + " | ", "gutter")
    previous = 0
    for number in shown_lines(marks):
        if previous and number > previous + 1:
            yield [("...".ljust(gutter + 3), "gutter"), *lanes.bars()]
        previous = number
        touching = [mark for mark in marks if number in (mark.first, mark.last)]
        strip = Strip(source.line(number), _focus(touching, number), room)
        yield [(f"{number:>{gutter}} | ", "gutter"), *lanes.beside(number, strip.indent), (strip.text, "")]
        for row in _underlines([mark for mark in touching if mark.first == mark.last], strip):
            yield [blank, *lanes.bars(), *row]
        for row in lanes.bends(number, strip):
            yield [blank, *row]


def _focus(marks: Sequence[Mark], number: int) -> tuple[int, int]:
    """The characters (from, to; counted from 0) of a line that must be seen."""
    best = max(marks, key=lambda mark: (mark.primary, -mark.start), default=None)
    if best is None:
        return 0, 0
    if best.first == best.last:
        return best.start - 1, best.end - 1
    at = best.start - 1 if best.first == number else best.end - 2
    return at, at + 1


class Strip:
    """A source line as shown: cut to `room` columns around the `focus` (characters from, to), with `…` for the rest."""

    __slots__ = ("_at", "_base", "_left", "_room", "indent", "text")

    def __init__(self, line: str, focus: tuple[int, int], room: int) -> None:
        self.indent = len(line) - len(line.lstrip()) + 1
        self._base = 0
        if len(line) > 8 * room:  # Far from the focus nothing can be seen: it is not even measured.
            low, high = max(focus[0] - 2 * room, 0), focus[0] + 4 * room
            line = ("…" if low else "") + line[low:high] + ("…" if high < len(line) else "")
            self._base = low - (1 if low else 0)
        shown = glyphs(line)
        self._at = [0]
        for _, columns in shown:
            self._at.append(self._at[-1] + columns)
        self._room = room
        self._left = self._scroll(focus)
        self.text = self._cut(shown)

    def column(self, index: int) -> int:
        """Where (from 0) the character with this index (from 0) of the line starts; clamped to what is shown."""
        index = max(index - self._base, 0)
        at = self._at[index] if index < len(self._at) else self._at[-1] + index - len(self._at) + 1
        return min(max(at - self._left, 0), self._room)

    def _scroll(self, focus: tuple[int, int]) -> int:
        total = self._at[-1]
        if total <= self._room:
            return 0
        count = len(self._at) - 1
        start, end = (self._at[min(max(index - self._base, 0), count)] for index in focus)
        if end < self._room * 3 // 4:
            return 0
        spare = self._room - min(end - start, self._room * 3 // 4)
        return min(max(start - spare // 2, 0), total - self._room + 1)

    def _cut(self, shown: list[Glyph]) -> str:
        left, right = self._left, self._left + self._room
        low = left + (1 if left else 0)
        high = right - (1 if right < self._at[-1] else 0)
        inside = [n for n in range(len(shown)) if self._at[n] >= low and self._at[n + 1] <= high]
        if not inside:
            return ""
        head = "…" + " " * (self._at[inside[0]] - low) if left else ""
        tail = "…" if right < self._at[-1] else ""
        return head + "".join(shown[n][0] for n in inside) + tail


class _Canvas:
    """One row that is written to by column."""

    __slots__ = ("_cells",)

    def __init__(self) -> None:
        self._cells: list[tuple[str, str]] = []

    def write(self, column: int, text: str, style: str) -> None:
        cells: list[tuple[str, str]] = []
        for shown, columns in glyphs(text):
            cells += [(shown, style)] + [("", style)] * (columns - 1) if columns else []
            if not columns and cells:
                cells[-1] = (cells[-1][0] + shown, style)
        self._cells += [(" ", "")] * (column + len(cells) - len(self._cells))
        self._cells[column : column + len(cells)] = cells

    def row(self) -> Row:
        return list(self._cells)


def _underlines(marks: Sequence[Mark], strip: Strip) -> Iterator[Row]:
    """Carets below a line, the text of the last mark beside it, the texts of the others hung below."""
    if not marks:
        return
    places = []
    signs = _Canvas()
    for mark in sorted(marks, key=lambda each: (each.primary, each.start - each.end)):
        start = strip.column(mark.start - 1)
        end = max(strip.column(mark.end - 1), start + 1)
        places.append((start, end, mark))
        signs.write(start, mark.sign * (end - start), mark.style)
    places.sort(key=lambda place: (place[0], place[1]))
    start, end, mark = places[-1]
    hung = [place for place in places if place[2].text]
    if mark.text and all(other[1] <= end for other in places):
        signs.write(end + 1, mark.text, mark.style)
        hung.remove(places[-1])
    yield signs.row()
    if hung:
        yield _stems(hung)
    while hung:
        start, _, mark = hung.pop()
        line = _Canvas()
        for column, _, other in hung:
            if column < start:
                line.write(column, "|", other.style)
        line.write(start, mark.text, mark.style)
        yield line.row()


def _stems(places: Sequence[tuple[int, int, Mark]]) -> Row:
    line = _Canvas()
    for column, _, mark in places:
        line.write(column, "|", mark.style)
    return line.row()


class _Lanes:
    """The spans of several lines, outermost first; each has two columns left of the text, and is open or not."""

    __slots__ = ("_marks", "_open")

    def __init__(self, marks: Sequence[Mark]) -> None:
        long = [mark for mark in marks if mark.last > mark.first]
        self._marks = sorted(long, key=lambda mark: (mark.first, -mark.last, mark.start))
        self._open = [False] * len(self._marks)

    @property
    def width(self) -> int:
        return 2 * len(self._marks)

    def bars(self) -> Row:
        return self._canvas().row()

    def beside(self, number: int, indent: int) -> Row:
        """The lanes beside a line of the source. A span that starts with the line's first word opens its lane here."""
        line = self._canvas()
        for index, mark in enumerate(self._marks):
            if mark.first == number and mark.start == indent:
                line.write(2 * index, "/", mark.style)
                self._open[index] = True
        return line.row()

    def bends(self, number: int, strip: Strip) -> Iterator[Row]:
        """Rows that lead lanes to where their spans start and end in a line."""
        for index, mark in reversed(tuple(enumerate(self._marks))):
            if mark.last == number:
                yield self._bend(index, strip.column(mark.end - 2), mark.text)
                self._open[index] = False
        for index, mark in enumerate(self._marks):
            if mark.first == number and not self._open[index]:
                yield self._bend(index, strip.column(mark.start - 1), "")
                self._open[index] = True

    def _bend(self, index: int, column: int, text: str) -> Row:
        mark = self._marks[index]
        line = self._canvas()
        for at in range(2 * index + 1, self.width + column):
            lane, between = divmod(at, 2)
            if between or lane >= len(self._open) or not self._open[lane]:
                line.write(at, "_", mark.style)
        line.write(self.width + column, mark.sign, mark.style)
        if text:
            line.write(self.width + column + 2, text, mark.style)
        return line.row()

    def _canvas(self) -> _Canvas:
        line = _Canvas()
        line.write(0, " " * self.width, "")
        for index, mark in enumerate(self._marks):
            if self._open[index]:
                line.write(2 * index, "|", mark.style)
        return line
