"""What all rules share: words with the comments before them, brackets, blocks, lists."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.format.document import Document, bracket, cat, chain
from dsl.format.gaps import Gaps
from dsl.tokens import Token

Part = Token | Document | None
"""What a rule is given: a word as it was read, a part that is made already, nothing for an optional part left out."""


class Layout:
    def __init__(self, gaps: Gaps) -> None:
        self.gaps = gaps

    # -- words

    def word(self, token: Token) -> Document:
        gap = self.gaps.before.get(token.start)
        return token.text if gap is None else cat((gap, token.text))

    def part(self, part: Token | Document) -> Document:
        return self.word(part) if isinstance(part, Token) else part

    def joined(self, *parts: Part) -> Document:
        """Without anything between the parts."""
        return cat([self.part(part) for part in parts if part is not None])

    def spaced(self, *parts: Part) -> Document:
        """With a space between the parts."""
        pieces: list[Document] = []
        for part in parts:
            if part is not None:
                pieces += (" ", self.part(part))
        return cat(pieces[1:])

    # -- lists: they grow in place

    def none(self) -> list[Document]:
        return []

    def one(self, item: Document) -> list[Document]:
        return [item]

    def two(self, first: Document, sign: Token, second: Document) -> list[Document]:
        return self.one_more([first], sign, second)

    def more(self, items: list[Document], item: Document) -> list[Document]:
        items.append(item)
        return items

    def one_more(self, items: list[Document], sign: Token, item: Document) -> list[Document]:
        """A comma belongs to the list, any other sign to the item behind it."""
        items.append(item if sign.kind == "COMMA" else self.spaced(sign, item))
        return items

    def listed(self, items: Sequence[Document]) -> Document:
        """`a, b, c` without brackets."""
        pieces = [cat((item, ",")) for item in items[:-1]]
        pieces.append(items[-1])
        return chain(pieces[0], pieces[1:], "list")

    # -- brackets

    def bracket(
        self, opening: Token, items: Sequence[Document], closing: Token, *, pad: str = "", comma: bool = True
    ) -> Document:
        opened = opening.start in self.gaps.opened
        return self._bracket(opening, items, closing, pad, comma, opened)

    def block(self, opening: Token, members: Sequence[Document], closing: Token) -> Document:
        """Declarations: each on its own line."""
        return self._bracket(opening, members, closing, " ", False, True)

    def clause_block(self, opening: Token, clauses: Sequence[Document], closing: Token) -> Document:
        """Clauses: each on its own line; one alone may stay on the line of the brackets."""
        opened = len(clauses) > 1 or opening.start in self.gaps.opened
        return self._bracket(opening, clauses, closing, " ", False, opened)

    def optional_clauses(
        self, opening: Token | None, clauses: list[Document] | None, closing: Token | None
    ) -> Document | None:
        """A clause block that may be left out."""
        return None if opening is None or closing is None else self.clause_block(opening, clauses or (), closing)

    def _bracket(
        self, opening: Token, items: Sequence[Document], closing: Token, pad: str, comma: bool, opened: bool
    ) -> Document:
        before, end = self.gaps.before.get(opening.start), self.gaps.before.get(closing.start)
        made = bracket(opening.text, items, closing.text, pad=pad, comma=comma, gap=end, opened=opened)
        return made if before is None else cat((before, made))

    # -- what many rules are

    def comma_list(
        self, opening: Token, items: list[Document] | None, _comma: Token | None, closing: Token
    ) -> Document:
        return self.bracket(opening, items or (), closing)

    def padded_list(
        self, opening: Token, items: list[Document] | None, _comma: Token | None, closing: Token
    ) -> Document:
        return self.bracket(opening, items or (), closing, pad=" ")

    def pair(self, label: Document, colon: Token, value: Document) -> Document:
        return self.spaced(self.joined(label, colon), value)
