"""Chains: head clauses, inputs, steps, sections, output, adapters."""

from __future__ import annotations

from dsl.format.clauses import ClauseRules
from dsl.format.document import Document, chain
from dsl.format.layout import Layout
from dsl.tokens import Token


class ChainRules(ClauseRules):
    def chain_decl(
        self,
        private: Token | None,
        word: Token,
        name: Document,
        opening: Token,
        members: list[Document],
        closing: Token,
    ) -> Document:
        return self.spaced(private, word, name, self.block(opening, members, closing))

    text_clause = example_clause = fails_clause = deprecated_clause = budget_clause = Layout.spaced

    def require_clause(self, word: Token, condition: Document, else_: Token, message: Document) -> Document:
        return chain(self.spaced(word, condition), [self.spaced(else_, message)], "require")

    def defaults_decl(self, word: Token, opening: Token, clauses: list[Document], closing: Token) -> Document:
        return self.spaced(word, self.clause_block(opening, clauses, closing))

    # -- inputs and values

    def input_decl(
        self,
        word: Token,
        name: Document,
        colon: Token | None,
        type_: Document | None,
        equal: Token | None,
        value: Document | None,
    ) -> Document:
        return self.spaced(word, self.joined(name, colon), type_, equal, value)

    let_decl = input_decl

    # -- steps

    step_decl = Layout.spaced

    def block_step(
        self,
        word: Token,
        name: Document,
        equal: Token,
        for_: Token,
        each: Token,
        variable: Document,
        in_: Token,
        items: Document,
        opening: Token,
        members: list[Document],
        return_: Token,
        result: Document,
        closing: Token,
    ) -> Document:
        block = self.block(opening, [*members, self.spaced(return_, result)], closing)
        return self.spaced(word, name, equal, for_, each, variable, in_, items, block)

    call_action = each_call = approve_action = ask_action = Layout.spaced

    def section_decl(
        self, word: Token, name: Document, opening: Token, members: list[Document], closing: Token
    ) -> Document:
        return self.spaced(word, name, self.block(opening, members, closing))

    # -- output and adapters

    def output_decl(
        self,
        word: Token,
        type_: Document | None,
        equal: Token,
        value: Document,
        opening: Token | None,
        clauses: list[Document] | None,
        closing: Token | None,
    ) -> Document:
        block = self.optional_clauses(opening, clauses, closing)
        return self.spaced(word, type_, equal, value, block)

    summary_clause = expires_clause = Layout.spaced

    def adapter_decl(
        self,
        word: Token,
        version: Document,
        opening: Token,
        inputs: list[Document],
        lets: list[Document],
        call: Token,
        args: Document,
        output: Document | None,
        closing: Token,
    ) -> Document:
        members = [*inputs, *lets, self.spaced(call, args)]
        if output is not None:
            members.append(output)
        return self.spaced(word, version, self.block(opening, members, closing))
