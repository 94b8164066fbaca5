"""What stands between the words: comments, `///` lines, blank lines, and brackets that begin with a line break."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from dsl.format.document import Gap, Remark
from dsl.lexer import Lexed

_OPENING: Final = frozenset(("LPAR", "LBRACE", "LSQB"))


@dataclass(slots=True)
class Gaps:
    """`before` has the gaps that say something, by the offset of the word behind them.

    `opened` has the offsets of the brackets whose author began a new line in them.
    """

    before: dict[int, Gap] = field(default_factory=dict)
    opened: set[int] = field(default_factory=set)


def gaps(lexed: Lexed, text: str) -> Gaps:
    """The gaps of a source. What stands before a comma is told behind it, so that no comma begins a line."""
    found = Gaps()
    marks = [(mark.start, mark.end, mark.text) for mark in lexed.comments]
    marks += [(line.start, line.end, line.text) for lines in lexed.docs.values() for line in lines]
    marks.sort(reverse=True)
    next_mark = marks[-1][0] if marks else len(text) + 1
    carried: list[Remark] = []
    at, opening = 0, -1
    for kind, _, start, end in lexed.tokens:
        if opening >= 0:
            if "\n" in text[at : min(start, next_mark)]:
                found.opened.add(opening)
            opening = -1
        if kind in _OPENING:
            opening = start
        remarks = carried
        while next_mark < start:
            begin, stop, words = marks.pop()
            breaks = text.count("\n", at, begin)
            remarks.append(Remark(words, breaks > 0 or bool(remarks), breaks > 1))
            at = stop
            next_mark = marks[-1][0] if marks else len(text) + 1
        if kind == "COMMA":
            carried = remarks
        else:
            blank = start - at > 1 and text.count("\n", at, start) > 1
            if blank or remarks:
                found.before[start] = Gap(tuple(remarks), blank)
                carried = []
        at = end
    return found
