"""Expressions. Where one is too long for a line, its loosest operators begin new lines."""

from __future__ import annotations

from typing import Final

from dsl.format.document import Block, Bracket, Chain, Document, bare, chain
from dsl.format.layout import Layout
from dsl.format.types import TypeRules
from dsl.tokens import Token

_LEVELS: Final = {
    **{"OR": "or", "AND": "and", "QQ": "??"},
    **{"PLUS": "sum", "MINUS": "sum", "STAR": "product", "SLASH": "product", "PERCENT": "product"},
}
"""The operators of which several in a row read from left to right."""


class ExprRules(TypeRules):
    # -- literals and names

    integer = number = duration = size = constant = ref = Layout.joined

    # -- what follows a value

    member = opt_member = index = opt_index = present = function = foreign_call = Layout.joined

    # -- operators

    def unary(self, sign: Token, operand: Document) -> Document:
        return self.joined(sign, operand) if sign.kind == "MINUS" else self.spaced(sign, operand)

    def binary(self, left: Document, sign: Token, right: Document) -> Document:
        return self._operation(left, self.word(sign), right, _LEVELS.get(sign.kind, "comparison"))

    def not_in(self, left: Document, word: Token, in_: Token, right: Document) -> Document:
        return self._operation(left, self.spaced(word, in_), right, "comparison")

    def _operation(self, left: Document, sign: Document, right: Document, level: str) -> Document:
        right = bare(right)
        if isinstance(left, Chain) and left.level == level:
            return chain(left.first, [*left.rest, self.spaced(sign, right)], level)
        if isinstance(right, Block) or (isinstance(right, Bracket) and right.opening != "("):
            return self.spaced(left, sign, right)
        return chain(left, [self.spaced(sign, right)], level)

    cast = Layout.spaced

    def if_expr(
        self, word: Token, condition: Document, then: Token, value: Document, otherwise: Token, other: Document
    ) -> Document:
        """`if … then …`, and every `else` a part of its own."""
        first = chain(self.spaced(word, condition), [self.spaced(then, value)], "then")
        if isinstance(other, Chain) and other.level == "if":
            return chain(first, [self.spaced(otherwise, other.first), *other.rest], "if")
        return chain(first, [self.spaced(otherwise, other)], "if")

    # -- lists and records

    list_literal = Layout.comma_list
    record_literal = Layout.padded_list
    spread = spread_argument = Layout.joined
    field = named_argument = Layout.pair

    def computed_field(self, opening: Token, key: Document, closing: Token, colon: Token, value: Document) -> Document:
        return self.spaced(self.joined(opening, key, closing, colon), value)

    def loop(
        self, word: Token, name: Document, in_: Token, items: Document, if_: Token | None, condition: Document | None
    ) -> Document:
        rest = [] if if_ is None else [self.spaced(if_, condition)]
        return chain(self.spaced(word, name, in_, items), rest, "loop")

    def list_comprehension(self, opening: Token, value: Document, loop: Document, closing: Token) -> Document:
        return self.bracket(opening, [value, loop], closing, comma=False)

    def map_comprehension(
        self,
        opening: Token,
        key_opening: Token,
        key: Document,
        key_closing: Token,
        colon: Token,
        value: Document,
        loop: Document,
        closing: Token,
    ) -> Document:
        field = self.computed_field(key_opening, key, key_closing, colon, value)
        return self.bracket(opening, [field, loop], closing, pad=" ", comma=False)

    # -- arguments

    args = Layout.comma_list
    positional_argument = Layout.joined
