"""The top level: imports with claims, types, kinds, tests."""

from __future__ import annotations

from dsl.format.chains import ChainRules
from dsl.format.document import Document
from dsl.format.layout import Layout
from dsl.tokens import Token


class FileRules(ChainRules):
    def start(self, items: list[Document]) -> list[Document]:
        return items

    def import_decl(
        self,
        word: Token,
        name: Document,
        from_: Token,
        kind: Document,
        where: Document,
        opening: Token | None,
        tools: list[Document] | None,
        closing: Token | None,
    ) -> Document:
        head = self.spaced(word, name, from_, kind, where)
        if opening is None or closing is None:
            return head
        return self.spaced(head, self.block(opening, tools or (), closing))

    def tool_decl(
        self,
        word: Token,
        name: Document,
        takes: Token | None,
        taken: Document | None,
        returns: Token | None,
        returned: Document | None,
        opening: Token | None,
        clauses: list[Document] | None,
        closing: Token | None,
    ) -> Document:
        """A shape opens where its line would be too long, that of `returns` first, so that `takes` stays in sight."""
        block = self.optional_clauses(opening, clauses, closing)
        return self.spaced(word, name, takes, taken, returns, returned, block)

    run_clause = stdin_clause = parse_clause = cost_clause = Layout.spaced
    type_decl = kind_decl = Layout.spaced

    # -- tests

    def test_decl(
        self, word: Token, name: Document, opening: Token, members: list[Document], closing: Token
    ) -> Document:
        return self.spaced(word, name, self.block(opening, members, closing))

    def given(self, word: Token, path: Document, args: Document | None, verb: Token, value: Document) -> Document:
        return self.spaced(word, self.joined(path, args), verb, value)

    def test_call(self, word: Token, path: Document, args: Document) -> Document:
        return self.spaced(word, self.joined(path, args))

    test_at = test_expect = Layout.spaced
