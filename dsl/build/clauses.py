"""Calls and clauses."""

from __future__ import annotations

from typing import Any

from dsl.build.expr import ExprRules
from dsl.build.state import Group
from dsl.build.types import TypeRules
from dsl.tokens import Token
from dsl.tree import (
    After,
    AnyOrder,
    By,
    Call,
    Clause,
    Expr,
    Fail,
    Key,
    Name,
    Node,
    On,
    Parallel,
    Receipt,
    Reconcile,
    Retry,
    Show,
    Skip,
    Text,
    Timeout,
    Undo,
    Use,
    Verify,
    When,
)

_WORDS: dict[type[Node], str] = {
    When: "when",
    After: "after",
    Timeout: "timeout",
    Retry: "retry",
    Parallel: "parallel",
    Undo: "undo",
    Key: "key",
    Receipt: "receipt",
    Reconcile: "reconcile",
    Verify: "verify",
    AnyOrder: "any_order",
    By: "by",
    Show: "show",
}


def clause_word(clause: Node) -> tuple[str, Node] | None:
    """For `once`: how a clause begins."""
    if isinstance(clause, On):
        return f"on {clause.event.text}", clause
    word = _WORDS.get(type(clause))
    return None if word is None else (word, clause)


class ClauseRules(TypeRules, ExprRules):
    def call(self, path: tuple[Name, ...], args: Group) -> Call:
        return Call(path[0].start, args.end, path, self.arguments(args))

    def clauses(self, opening: Token, items: list[Clause], closing: Token) -> Group:
        return Group(tuple(items), opening.start, closing.end)

    def clauses_once(self, clauses: tuple[Any, ...], whose: str) -> None:
        if len(clauses) > 1:
            self.once(clauses, clause_word, whose)

    def when_clause(self, word: Token, condition: Expr) -> When:
        return When(word.start, condition.end, condition)

    def after_clause(self, word: Token, names: list[Name]) -> After:
        return After(word.start, names[-1].end, tuple(names))

    def timeout_clause(self, word: Token, time: Token) -> Timeout:
        return Timeout(word.start, time.end, self.duration(time))

    def retry_clause(self, word: Token, count: Token, settings: Group | None) -> Retry:
        end = count.end if settings is None else settings.end
        return Retry(word.start, end, self.whole(count), () if settings is None else settings.items)

    def parallel_clause(self, word: Token, count: Token) -> Parallel:
        return Parallel(word.start, count.end, self.whole(count))

    def undo_clause(self, word: Token, call: Call) -> Undo:
        return Undo(word.start, call.end, call)

    def key_clause(self, word: Token, parameter: Name) -> Key:
        return Key(word.start, parameter.end, parameter)

    def receipt_clause(self, word: Token, value: Expr) -> Receipt:
        return Receipt(word.start, value.end, value)

    def reconcile_clause(self, word: Token, call: Call) -> Reconcile:
        return Reconcile(word.start, call.end, call)

    def verify_clause(self, word: Token, call: Call, _expect: Token, condition: Expr) -> Verify:
        return Verify(word.start, condition.end, call, condition)

    def any_order_clause(self, word: Token) -> AnyOrder:
        return AnyOrder(word.start, word.end)

    def by_clause(self, word: Token, group: Text) -> By:
        return By(word.start, group.end, self.fixed(group, "The name of a group"))

    def show_clause(self, word: Token, value: Expr) -> Show:
        return Show(word.start, value.end, value)

    def on_clause(self, word: Token, event: Name, reaction: Skip | Use | Fail) -> On:
        return On(word.start, reaction.end, event, reaction)

    def skip(self, word: Token) -> Skip:
        return Skip(word.start, word.end)

    def use(self, word: Token, value: Expr) -> Use:
        return Use(word.start, value.end, value)

    def fail(self, word: Token, message: Text | None) -> Fail:
        return Fail(word.start, word.end if message is None else message.end, message)
