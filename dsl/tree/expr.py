"""Expressions as written."""

from __future__ import annotations

from typing import Literal

from dsl.tree.node import Name, Node
from dsl.tree.types import Type


class Text(Node):
    """A text: pieces are plain text (escapes resolved) and interpolated expressions. `block` for triple quotes."""

    parts: tuple[str | Expr, ...]
    block: bool = False

    @property
    def plain(self) -> str | None:
        """The text where nothing is interpolated, else None."""
        if all(isinstance(part, str) for part in self.parts):
            return "".join(part for part in self.parts if isinstance(part, str))
        return None


class Integer(Node):
    value: int


class Number(Node):
    value: float


class Duration(Node):
    """Milliseconds."""

    value: int


class Size(Node):
    """Bytes (KB = 1000)."""

    value: int


class Constant(Node):
    """`true`, `false`, `null`."""

    value: bool | None


class Ref(Node):
    """A name in value position."""

    name: str


class Member(Node):
    """`base.name`, `base?.name` (optional)."""

    base: Expr
    name: Name
    optional: bool = False


class Index(Node):
    """`base[index]`, `base?[index]` (optional)."""

    base: Expr
    index: Expr
    optional: bool = False


class Present(Node):
    """`base!`."""

    base: Expr


class Unary(Node):
    op: Literal["-", "not"]
    operand: Expr


class Binary(Node):
    """`op` as written: + - * / % == != < <= > >= in `not in` ?? and or. `op_start` is where it stands."""

    op: str
    left: Expr
    right: Expr
    op_start: int


class Cast(Node):
    """`value as type`."""

    value: Expr
    type: Type


class If(Node):
    condition: Expr
    then: Expr
    otherwise: Expr


class Argument(Node):
    """Named (`name` set), spread (`spread`), or positional (neither)."""

    name: Name | None
    value: Expr
    spread: bool = False


class Function(Node):
    """A built-in function called in an expression."""

    name: Name
    arguments: tuple[Argument, ...]


class ForeignCall(Node):
    """`a.b(…)` inside an expression: no such thing in the language; the checker says what to write."""

    base: Expr
    name: Name
    arguments: tuple[Argument, ...]


class Spread(Node):
    value: Expr


class ListLiteral(Node):
    items: tuple[Expr | Spread, ...]


class Field(Node):
    """`name: value`."""

    name: Name
    value: Expr


class ComputedField(Node):
    """`[key]: value`."""

    key: Expr
    value: Expr


class RecordLiteral(Node):
    fields: tuple[Field | ComputedField | Spread, ...]


class ListComprehension(Node):
    """`[value for variable in items if condition]`."""

    value: Expr
    variable: Name
    items: Expr
    condition: Expr | None


class MapComprehension(Node):
    """`{[key]: value for variable in items if condition}`."""

    key: Expr
    value: Expr
    variable: Name
    items: Expr
    condition: Expr | None


class BadExpr(Node):
    """Stands where an expression could not be read; already reported."""


Expr = (
    Text
    | Integer
    | Number
    | Duration
    | Size
    | Constant
    | Ref
    | Member
    | Index
    | Present
    | Unary
    | Binary
    | Cast
    | If
    | Function
    | ForeignCall
    | ListLiteral
    | RecordLiteral
    | ListComprehension
    | MapComprehension
    | BadExpr
)
