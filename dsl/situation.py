"""The place of a syntax mistake: what was read, what stands there, what could."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dsl.automaton import acceptable, closed, fits, run_ahead
from dsl.source import Source, Span
from dsl.table import Table
from dsl.tokens import BRACKETS, CLOSER_OF, END, SPELLING, Token


@dataclass(slots=True)
class Situation:
    """`tokens[at]` does not fit after `states`, to which `values` belong (`values[i]` led to `states[i + 1]`)."""

    source: Source
    grammar: Table
    states: list[int]
    values: list[Any]
    tokens: Sequence[Token]
    at: int
    allowed: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.allowed = acceptable(self.grammar, self.states)

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    @property
    def previous(self) -> Token:
        """The token before; the first one stands for itself."""
        return self.tokens[max(self.at - 1, 0)]

    @property
    def next(self) -> Token:
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def first_on_line(self, at: int) -> bool:
        return at == 0 or "\n" in self.source.text[self.tokens[at - 1].end : self.tokens[at].start]

    def fits(self, *kinds: str) -> bool:
        return fits(self.grammar, self.states, *kinds)

    def ahead(self, instead: Sequence[str], skip: int = 0) -> int:
        """How well the text goes on with `instead` in place of the next `skip` tokens."""
        return run_ahead(self.grammar, self.states, instead, self.tokens, self.at + skip)

    def entered(self, count: int = 1) -> str:
        """The symbol on top of the stack, or further down."""
        return self.grammar.entered[self.states[-count]] if len(self.states) >= count else ""

    def block(self) -> str:
        """The list of members that the place belongs to, `many{chain_member}` and the like; '' within an expression.

        What was begun is thought finished.
        """
        states = closed(self.grammar, self.states, ("RBRACE", "RETURN", "CALL", END))
        if states is None:
            return ""
        if states[-1] == self.grammar.end:
            return "many{item}"
        symbol = self.grammar.entered[states[-2]]
        return symbol if symbol.startswith("many{") else ""

    def opener(self, closer: str) -> Token | None:
        """The innermost open bracket that `closer` would close."""
        depth = 0
        for value in reversed(self.values):
            if isinstance(value, Token):
                if value.kind == closer:
                    depth += 1
                elif CLOSER_OF.get(value.kind) == closer:
                    if not depth:
                        return value
                    depth -= 1
        return None

    def closer(self) -> int | None:
        """Where the bracket that stands here is closed: an index of `tokens`; None where it is not."""
        depth = 0
        for at in range(self.at, len(self.tokens)):
            kind = self.tokens[at].kind
            if kind in BRACKETS:
                depth += 1
            elif kind in BRACKETS.values():
                depth -= 1
                if not depth:
                    return at
        return None

    def last_on_line(self) -> int:
        """The last token of what stands here: up to the end of the line, a comma or a bracket that closes before it."""
        depth, last = 0, self.at
        for at in range(self.at, len(self.tokens)):
            kind = self.tokens[at].kind
            if kind == END or (at > self.at and self.first_on_line(at)):
                break
            depth += (kind in BRACKETS) - (kind in BRACKETS.values())
            if depth < 0 or (not depth and kind == "COMMA"):
                break
            last = at
        return last

    def gap(self) -> Span:
        """Where something should stand: the token that stands there, or behind the last one if the line ends."""
        if self.token.kind == END or (self.at and self.first_on_line(self.at)):
            return Span(self.source, self.previous.end, self.previous.end)
        return self.span(self.token)

    def span(self, token: Token, last: Token | None = None) -> Span:
        """The place of a token, or of a stretch of tokens; the end of the file is the end of the last line."""
        if token.kind == END and self.at:
            return Span(self.source, self.previous.end, self.previous.end)
        return Span(self.source, token.start, (last or token).end)


def said(token: Token) -> str:
    """A token in the author's words."""
    if token.kind == END:
        return "the end of the file"
    if token.kind in ("STRING", "TEXT_CLOSE"):
        return f"`{token.text}`" if token.kind == "STRING" and len(token.text) <= 24 else "this text"
    if token.kind in ("TEXT_OPEN", "TEXT_PART"):
        return "this text"
    return f"`{token.text}`" if token.text else "this"


_SORTS = {
    "NAME": "a name",
    "INT": "a whole number",
    "FLOAT": "a number",
    "DURATION": "a time such as `30s`",
    "SIZE": "a size such as `5MB`",
    "STRING": 'a text such as `"open"`',
    "TEXT_CLOSE": 'a `"`',
    "INTERP_END": "a `}`",
    "BAD_EXPR": "a value",
    "BAD_TYPE": "a type",
    END: "the end of the file",
}


def wanted(kind: str) -> str:
    """A kind in words."""
    known = _SORTS.get(kind)
    if known is not None:
        return known
    word = SPELLING[kind]
    return f"`{word}`" if word.isalpha() else f"a `{word}`"
