"""Texts: escapes stay as they are written, the lines of blocks are indented anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dsl.format.document import Block, Document, begins_with, cat, flat
from dsl.format.layout import Layout
from dsl.text import block_lines
from dsl.tokens import Token

_QUOTES: Final = '"""'
_HOLE: Final = "\x00"


class TextRules(Layout):
    def plain_text(self, word: Token) -> Document:
        if word.text.startswith(_QUOTES) and "\n" in word.text:
            return self._block(word.start, [word._replace(text=word.text[3:-3])])
        return self.word(word)

    quoted_name = plain_text

    def mixed_text(self, opening: Token, pieces: list[Token | Document], closing: Token) -> Document:
        if any(isinstance(piece, Token) and "\n" in piece.text for piece in pieces):
            return self._block(opening.start, pieces)
        return self.joined(opening, *pieces, closing)

    def interpolation(self, opening: Token, value: Document, closing: Token) -> Document:
        """On one line. A space keeps `${` and `{` apart, which together are another language's sign."""
        if begins_with(value, "{"):
            return flat(self.spaced(opening, value, closing))
        return flat(self.joined(opening, value, closing))

    def _block(self, start: int, pieces: Sequence[Token | Document]) -> Document:
        # As where its meaning is read: an expression is one sign that no text holds, so that lines can be seen whole.
        raw = "".join(piece.text if isinstance(piece, Token) else _HOLE for piece in pieces)
        beside, below = block_lines(raw.replace("\r\n", "\n"))
        below[-1] += _QUOTES
        holes = iter([piece for piece in pieces if not isinstance(piece, Token)])
        first, *lines = [_filled(line, holes) for line in (_QUOTES + beside, *below)]
        block = Block(first, tuple(lines))
        gap = self.gaps.before.get(start)
        return block if gap is None else cat((gap, block))


def _filled(line: str, holes: Iterator[Document]) -> Document:
    """A line with its expressions back in their places."""
    first, *others = line.split(_HOLE)
    parts: list[Document] = [first]
    for text in others:
        parts += (next(holes), text)
    return cat(parts)
