"""From a document to lines of at most `WIDTH` columns, as far as there are places to break them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dsl.format.document import (
    TOO_WIDE,
    Bracket,
    Cat,
    Chain,
    Document,
    Flat,
    Gap,
    Lines,
    head_of,
    hugs,
    leads,
    one_line,
    tail_of,
    width_of,
)

WIDTH: Final = 120
INDENT: Final = 2


class _Break:
    """A line break; blank lines before the next word are kept where `kept` says so."""

    __slots__ = ("kept",)

    def __init__(self, kept: bool) -> None:
        self.kept = kept


class _TextBreak:
    """A line break within a text: written at once, because what stands before it belongs to the text."""

    __slots__ = ("empty",)

    def __init__(self, empty: bool) -> None:
        self.empty = empty


_LINE: Final = _Break(True)
_BENT: Final = _Break(False)
_TEXT_LINE: Final = _TextBreak(False)
_EMPTY_TEXT_LINE: Final = _TextBreak(True)

_Entry = tuple[Document | _Break | _TextBreak, int, bool]
"""What is to be printed, the indentation of its line, and whether it has to stay on the line."""


def printed(document: Document) -> str:
    """The text of a document, without the last line break."""
    return _Printer().run(document)


class _Printer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.column = 0
        self.waiting: list[_Entry] = []
        # A line break is written when the next word comes, so that comments can still go before it.
        self.newline = 0
        self.kept = True
        self.blank = False

    def run(self, document: Document) -> str:
        waiting = self.waiting
        waiting.append((document, 0, False))
        while waiting:
            part, indent, on_line = waiting.pop()
            if isinstance(part, str):
                self.text(part)
            elif isinstance(part, Cat):
                waiting += [(piece, indent, on_line) for piece in reversed(part.parts)]
            elif isinstance(part, Bracket | Chain):
                if on_line or self.fits(part, indent):
                    waiting += [(piece, indent, True) for piece in reversed(one_line(part))]
                elif isinstance(part, Bracket):
                    self.open_bracket(part, indent)
                elif self.stays_behind(part, indent):
                    waiting += [(piece, indent, False) for piece in reversed(one_line(part))]
                else:
                    self.bend(part, indent)
            elif isinstance(part, _Break):
                self.newline, self.kept = indent, part.kept
            elif isinstance(part, Gap):
                self.gap(part, indent)
            elif isinstance(part, Lines):
                for item in reversed(part.items):
                    waiting += [(item, indent, False), (_LINE, indent, False)]
            elif isinstance(part, _TextBreak):
                self.text_break(indent, part.empty)
            elif isinstance(part, Flat):
                waiting.append((part.inner, indent, True))
            else:
                inner = indent + INDENT
                for line in reversed(part.lines):
                    waiting += [(line, inner, True), (_EMPTY_TEXT_LINE if line == "" else _TEXT_LINE, inner, True)]
                waiting.append((part.first, inner, True))
        return "".join(self.out)

    def open_bracket(self, part: Bracket, indent: int) -> None:
        push = self.waiting.append
        inner = indent + INDENT
        push((part.closing, indent, False))
        gap = part.gap
        if gap is not None:
            push((Gap((), gap.blank), indent, False))
        push((_LINE, indent, False))
        if gap is not None and gap.remarks:
            push((replace(gap, blank=False), inner, False))
            push((_LINE, inner, False))
        for item in reversed(part.items):
            if part.comma:
                push((",", inner, False))
            push((item, inner, False))
            push((_LINE, inner, False))
        push((part.opening, indent, False))

    def bend(self, part: Chain, indent: int) -> None:
        """A chain over several lines. An operation that comes first is indented further: its parts stay apart."""
        inner = indent + INDENT
        for piece in reversed(part.rest):
            self.waiting += [(piece, inner, False), (_BENT, inner, False)]
        operation = isinstance(part.first, Chain) and part.level != "if"
        self.waiting.append((part.first, inner if operation else indent, False))

    def fits(self, part: Bracket | Chain, indent: int) -> bool:
        """Whether a part fits on the line, with all that follows up to the next place where the line may end."""
        return self.has_room(self.start(part, indent) + part.width)

    def stays_behind(self, part: Chain, indent: int) -> bool:
        """Whether the first part opens a bracket in any case, and all others fit behind the sign that closes it."""
        if not hugs(part.first) or self.start(part, indent) + width_of(part.first) <= WIDTH:
            return False
        rest = sum(TOO_WIDE if leads(piece) else 1 + width_of(piece) for piece in part.rest)
        return self.has_room(indent + tail_of(part.first) + rest)

    def start(self, part: Document, indent: int) -> int:
        """The column at which a part begins."""
        if self.newline >= 0:
            return self.newline
        return indent + INDENT if leads(part) else self.column

    def has_room(self, column: int) -> bool:
        """Whether what follows fits behind this column, up to the next place where the line may end."""
        room = WIDTH - column
        for following, _, _ in reversed(self.waiting):
            if room < 0 or isinstance(following, _Break | _TextBreak):
                break
            length, may_end = head_of(following)
            room -= length
            if may_end:
                break
        return room >= 0

    # -- words, comments, line breaks

    def text(self, text: str) -> None:
        if self.newline >= 0:
            text = text.lstrip(" ")
            if not text:
                return
            self.break_line()
        self.out.append(text)
        self.column += len(text)

    def gap(self, gap: Gap, indent: int) -> None:
        out = self.out
        for remark in gap.remarks:
            if remark.own_line or not out:
                if self.newline < 0:
                    self.newline, self.kept = indent + INDENT, False
                self.blank = remark.blank and self.kept
                at = self.newline
                self.break_line()
                out.append(remark.text)
                self.newline = at
            else:
                out[-1] = out[-1].rstrip(" ")
                out.append(" " + remark.text)
                if self.newline < 0:
                    self.newline, self.kept = indent + INDENT, False
        self.blank = gap.blank and self.kept and self.newline >= 0

    def break_line(self) -> None:
        at, out = self.newline, self.out
        if out:
            out[-1] = out[-1].rstrip(" ")
            out.append(("\n\n" if self.blank else "\n") + " " * at)
            self.column = at
        self.newline = -1
        self.blank = False

    def text_break(self, indent: int, empty: bool) -> None:
        self.out.append("\n" if empty else "\n" + " " * indent)
        self.column = 0 if empty else indent
