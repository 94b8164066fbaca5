"""Expressions."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from dsl.build.foreign import ForeignLambda, ForeignRules
from dsl.build.state import NOTHING, Group, named
from dsl.tokens import BYTES, MILLISECONDS, Token
from dsl.tree import (
    Argument,
    BadExpr,
    Binary,
    Cast,
    ComputedField,
    Constant,
    Duration,
    Expr,
    Field,
    ForeignCall,
    Function,
    If,
    Index,
    Integer,
    ListComprehension,
    ListLiteral,
    MapComprehension,
    Member,
    Name,
    Node,
    Number,
    Present,
    RecordLiteral,
    Ref,
    Size,
    Spread,
    Type,
    Unary,
)

_CONSTANTS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_FOREIGN_CONSTANTS: Final = {
    **{"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"},
    **{"None": "null", "NULL": "null", "nil": "null", "undefined": "null"},
}
MOST_DIGITS: Final = 4000
"""More than any number needs, and fewer than Python refuses to read."""

LONGEST: Final = 3_652_059 * MILLISECONDS["d"]
"""Milliseconds from the first day that a timestamp can name to the last, which every time must fit in."""

_N = TypeVar("_N", bound=Node)


class ExprRules(ForeignRules):
    # -- literals

    def integer(self, word: Token) -> Integer:
        return Integer(word.start, word.end, self.whole(word))

    def number(self, word: Token) -> Number:
        value = float(word.text or "0")
        if value == float("inf"):
            self.report("E0010", "This number is too large for `number`.", word)
            value = 0.0
        return Number(word.start, word.end, value)

    def duration(self, word: Token) -> Duration:
        digits = word.text.rstrip("mshd")
        unit = MILLISECONDS.get(word.text[len(digits) :], 1)
        value = self.whole(word, digits) * unit
        if value > LONGEST:
            self.report("E0010", "This time is longer than 10000 years.", word)
            value = 0
        return Duration(word.start, word.end, value)

    def size(self, word: Token) -> Size:
        digits = word.text.rstrip("BKMG")
        return Size(word.start, word.end, self.whole(word, digits) * BYTES.get(word.text[len(digits) :], 1))

    def whole(self, word: Token, digits: str | None = None) -> int:
        digits = word.text if digits is None else digits
        if len(digits) > MOST_DIGITS:
            self.report("E0010", f"This number has more than {MOST_DIGITS} digits.", word)
            return 0
        return int(digits or "0")

    def constant(self, word: Token) -> Constant:
        return Constant(word.start, word.end, _CONSTANTS.get(word.text))

    def bad_expr(self, word: Token) -> BadExpr:
        return BadExpr(word.start, word.end)

    # -- names and what follows them

    def ref(self, name: Name) -> Ref | Constant | BadExpr:
        if not name.text:
            return BadExpr(name.start, name.end)
        ours = _FOREIGN_CONSTANTS.get(name.text)
        if ours is not None:
            self.report("E0110", f"`{name.text}` is written `{ours}` here.", name, f"Write `{ours}`.", fix=ours)
            return Constant(name.start, name.end, _CONSTANTS[ours])
        return Ref(name.start, name.end, name.text)

    def member(self, base: Expr, _dot: Token, name: Name) -> Member:
        return Member(base.start, name.end, base, name)

    def opt_member(self, base: Expr, _dot: Token, name: Name) -> Member:
        return Member(base.start, name.end, base, name, True)

    def index(self, base: Expr, _open: Token, index: Expr, close: Token) -> Index:
        return Index(base.start, close.end, base, index)

    def opt_index(self, base: Expr, _open: Token, index: Expr, close: Token) -> Index:
        return Index(base.start, close.end, base, index, True)

    def present(self, base: Expr, bang: Token) -> Present:
        return Present(base.start, bang.end, base)

    def function(self, name: Name, args: Group) -> Function:
        return Function(name.start, args.end, name, self.arguments(args))

    def foreign_call(self, base: Expr, _dot: Token, name: Name, args: Group) -> ForeignCall | ListComprehension:
        only = args.items[0] if len(args.items) == 1 else None
        if isinstance(only, ForeignLambda) and name.text in ("map", "filter"):
            return self.comprehension(base, name, only, args.end)
        return ForeignCall(base.start, args.end, base, name, self.arguments(args))

    # -- operators

    def unary(self, op: Token, operand: Expr) -> Unary:
        return Unary(op.start, operand.end, "-" if op.kind == "MINUS" else "not", operand)

    def binary(self, left: Expr, op: Token, right: Expr) -> Binary | BadExpr:
        if not op.text:
            # Recovery put it in to read both sides; what it says is not what the author meant.
            return BadExpr(left.start, right.end)
        return Binary(left.start, right.end, op.text, left, right, op.start)

    def not_in(self, left: Expr, word: Token, _in: Token, right: Expr) -> Binary:
        return Binary(left.start, right.end, "not in", left, right, word.start)

    def cast(self, value: Expr, _as: Token, type_: Type) -> Cast:
        return Cast(value.start, type_.end, value, type_)

    def if_expr(self, word: Token, condition: Expr, _then: Token, then: Expr, _else: Token, otherwise: Expr) -> If:
        return If(word.start, otherwise.end, condition, then, otherwise)

    def paren(self, opening: Token, inner: _N, closing: Token) -> _N:
        """Brackets leave no node; what is in them reaches as far as they do."""
        return inner.moved(opening.start, closing.end)

    # -- lists and records

    def spread(self, dots: Token, value: Expr) -> Spread:
        return Spread(dots.start, value.end, value)

    def list_literal(
        self, opening: Token, items: list[Expr | Spread] | None, _comma: Token | None, closing: Token
    ) -> ListLiteral:
        return ListLiteral(opening.start, closing.end, tuple(items or NOTHING))

    def loop(
        self, word: Token, name: Name, _in: Token, items: Expr, _if: Token | None, condition: Expr | None
    ) -> tuple[Name, Expr, Expr | None]:
        return self.declare(name), items, condition

    def list_comprehension(
        self, opening: Token, value: Expr, loop: tuple[Name, Expr, Expr | None], closing: Token
    ) -> ListComprehension:
        return ListComprehension(opening.start, closing.end, value, *loop)

    def field(self, name: Name, _colon: Token, value: Expr) -> Field:
        return Field(name.start, value.end, name, value)

    def computed_field(self, opening: Token, key: Expr, _close: Token, _colon: Token, value: Expr) -> ComputedField:
        return ComputedField(opening.start, value.end, key, value)

    def record_literal(
        self,
        opening: Token,
        fields: list[Field | ComputedField | Spread] | None,
        _comma: Token | None,
        closing: Token,
    ) -> RecordLiteral:
        items = tuple(fields or NOTHING)
        if len(items) > 1:
            self.once(items, named, " in this record")
        return RecordLiteral(opening.start, closing.end, items)

    def map_comprehension(
        self,
        opening: Token,
        _open: Token,
        key: Expr,
        _close: Token,
        _colon: Token,
        value: Expr,
        loop: tuple[Name, Expr, Expr | None],
        closing: Token,
    ) -> MapComprehension:
        return MapComprehension(opening.start, closing.end, key, value, *loop)

    # -- arguments

    def named_argument(self, name: Name, _colon: Token, value: Expr) -> Argument:
        return Argument(name.start, value.end, name, value)

    def spread_argument(self, dots: Token, value: Expr) -> Argument:
        return Argument(dots.start, value.end, None, value, True)

    def positional_argument(self, value: Expr) -> Argument:
        return Argument(value.start, value.end, None, value)

    def foreign_lambda(self, name: Name, _arrow: Token, body: Expr) -> ForeignLambda:
        return ForeignLambda(name.start, body.end, name, body)

    def args(self, opening: Token, items: list[Any] | None, _comma: Token | None, closing: Token) -> Group:
        found = tuple(items or NOTHING)
        if len(found) > 1:
            self.once(found, named, "")
        return Group(found, opening.start, closing.end)
