"""Source texts and places in them.

Offsets count Unicode code points of the text, from 0. Lines and columns count from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """One file: the path as the user knows it (relative, forward slashes) and its text."""

    path: str
    text: str = field(repr=False)
    _lines: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        object.__setattr__(self, "_lines", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset; an offset past the end is the end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line without its line break; empty past the end."""
        if not 1 <= number <= len(self._lines):
            return ""
        start = self._lines[number - 1]
        end = self._lines[number] - 1 if number < len(self._lines) else len(self.text)
        return self.text[start:end].rstrip("\r")

    @property
    def line_count(self) -> int:
        return len(self._lines)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source: `start` inclusive, `end` exclusive."""

    source: Source = field(repr=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]
