"""Types and their settings."""

from __future__ import annotations

from dsl.format.document import Document, cat, chain
from dsl.format.texts import TextRules
from dsl.tokens import Token


class TypeRules(TextRules):
    def name(self, word: Token) -> Document:
        return self.word(word)

    path = TextRules.joined
    word_path = TextRules.joined
    longer_path = TextRules.joined

    def union_type(self, members: list[Document]) -> Document:
        return chain(members[0], members[1:], "|")

    optional_type = TextRules.joined
    named_type = TextRules.joined
    literal_type = TextRules.joined

    def generic_type(
        self, name: Document, opening: Token, arguments: list[Document], closing: Token, settings: Document | None
    ) -> Document:
        pieces: list[Document] = [arguments[0]]
        for argument in arguments[1:]:
            pieces += (", ", argument)
        return self.joined(name, opening, cat(pieces), closing, settings)

    def paren(self, opening: Token, inner: Document, closing: Token) -> Document:
        return self.bracket(opening, [inner], closing, comma=False)

    record_type = TextRules.padded_list

    def field_type(
        self, label: Document, colon: Token, type_: Document, equal: Token | None, default: Document | None
    ) -> Document:
        return self.spaced(self.joined(label, colon), type_, equal, default)

    settings = TextRules.comma_list
    setting = TextRules.pair
