"""Calls and clauses."""

from __future__ import annotations

from dsl.format.document import Document
from dsl.format.expr import ExprRules
from dsl.format.layout import Layout
from dsl.tokens import Token


class ClauseRules(ExprRules):
    call = Layout.joined
    clauses = Layout.clause_block

    when_clause = timeout_clause = retry_clause = parallel_clause = Layout.spaced
    undo_clause = key_clause = receipt_clause = reconcile_clause = verify_clause = Layout.spaced
    any_order_clause = by_clause = show_clause = on_clause = Layout.spaced
    skip = use = fail = Layout.spaced

    def after_clause(self, word: Token, names: list[Document]) -> Document:
        return self.spaced(word, self.listed(names))

    names_clause = scopes_clause = after_clause
