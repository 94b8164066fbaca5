"""Expressions of a plan: small typed JSON trees, one node kind a construct, evaluated by `stdlib.runtime.evaluate`.

Values are JSON values. Timestamps, dates and durations are texts (RFC 3339, ISO 8601), so an operator that must
read them as such says so: `on` is the scalar type that the checker proved for its operands.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from .model import JsonSchema, Model, Origin

Comparable = Literal["number", "text", "boolean", "timestamp", "date", "duration", "json"]
"""How values are compared or calculated; `json` compares whole values structurally (only == and !=, in)."""


class Const(Model):
    """A JSON value as it stands; durations are ISO 8601 texts, sizes are integers of bytes."""

    kind: Literal["const"] = "const"
    value: Any


class Ref(Model):
    """The value of an input, let, step, guard or loop variable; `run` is the record { id, started_at }."""

    kind: Literal["ref"] = "ref"
    name: str


class Member(Model):
    """A field; absent reads as null. Of null: null where `optional`, else the fault `internal`."""

    kind: Literal["member"] = "member"
    base: Expression
    name: str
    optional: bool = False


class Index(Model):
    """List item by position (negative counts from the end) or map value by key; outside: null."""

    kind: Literal["index"] = "index"
    base: Expression
    index: Expression
    optional: bool = False


class Present(Model):
    """`base!`: the fault `shape_mismatch` at `origin` where it is null; `text` is how the author wrote the base."""

    kind: Literal["present"] = "present"
    base: Expression
    text: str
    origin: Origin


class Not(Model):
    kind: Literal["not"] = "not"
    operand: Expression


class Negate(Model):
    kind: Literal["negate"] = "negate"
    operand: Expression
    on: Literal["number", "duration"] = "number"


class Logic(Model):
    """`and`, `or`, and `??` (`else`: the right side where the left one is null); the right side only if needed."""

    kind: Literal["logic"] = "logic"
    op: Literal["and", "or", "else"]
    left: Expression
    right: Expression


class Compare(Model):
    """`==` and `!=` accept null on both sides; the order operators never see it."""

    kind: Literal["compare"] = "compare"
    op: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Expression
    right: Expression
    on: Comparable


class Contains(Model):
    """`item in container`: a list (compared by `on`), a map (key) or a text (part of it)."""

    kind: Literal["contains"] = "contains"
    item: Expression
    container: Expression
    on: Comparable
    negated: bool = False


class Arithmetic(Model):
    """What is calculated, by the types of both sides:

    number + - * / % number (`/` gives a number, `%` floors) ·
    timestamp ± duration, date ± duration (whole days), either with the duration first for `+` ·
    timestamp - timestamp, date - date, duration ± duration, duration * number (or the other way round),
    duration / number: a duration.
    """

    kind: Literal["arithmetic"] = "arithmetic"
    op: Literal["+", "-", "*", "/", "%"]
    left: Expression
    right: Expression
    left_type: Literal["number", "timestamp", "date", "duration"] = "number"
    right_type: Literal["number", "timestamp", "date", "duration"] = "number"
    origin: Origin | None = None


class Cast(Model):
    """`value as T`: checked against the schema, the fault `shape_mismatch` with the path where it does not fit."""

    kind: Literal["cast"] = "cast"
    value: Expression
    json_schema: JsonSchema = Field(alias="schema")
    type: str
    origin: Origin


class If(Model):
    kind: Literal["if"] = "if"
    condition: Expression
    then: Expression
    otherwise: Expression


class Call(Model):
    """A function of the table; `arguments` by parameter name, left-out parameters absent.

    `on` is how a function that orders or compares (sort, min, max, unique, group, …) reads its keys.
    """

    kind: Literal["call"] = "call"
    function: str
    arguments: dict[str, Expression]
    on: Comparable | None = None
    origin: Origin | None = None


class Text(Model):
    """Joined parts; a part that is an expression gives a text, number, boolean, timestamp."""

    kind: Literal["text"] = "text"
    parts: tuple[str | Expression, ...]


class Spread(Model):
    """Inside a list: all items; inside a record: the fields of a record (of null: nothing).

    `fields` are those of a record that the checker saw: a value may have more, which stay behind. None: all of them,
    as a map has them.
    """

    kind: Literal["spread"] = "spread"
    value: Expression
    fields: tuple[str, ...] | None = None


class ListOf(Model):
    kind: Literal["list"] = "list"
    items: tuple[Item, ...]


class FieldOf(Model):
    """A field with a fixed name or, where `key` is set, a computed one. Later fields win."""

    kind: Literal["field"] = "field"
    name: str | None = None
    key: Expression | None = None
    value: Expression


class RecordOf(Model):
    kind: Literal["record"] = "record"
    fields: tuple[FieldOf | Spread, ...]


class ListComprehension(Model):
    kind: Literal["list_comprehension"] = "list_comprehension"
    value: Expression
    variable: str
    items: Expression
    condition: Expression | None = None


class MapComprehension(Model):
    kind: Literal["map_comprehension"] = "map_comprehension"
    key: Expression
    value: Expression
    variable: str
    items: Expression
    condition: Expression | None = None


class Outcome(Model):
    """`succeeded(step)`, `skipped(step)`, `failed(step)`."""

    kind: Literal["outcome"] = "outcome"
    step: str
    is_: Literal["succeeded", "skipped", "failed"] = Field(alias="is")


Expression = TypeAliasType(
    "Expression",
    Annotated[
        Const
        | Ref
        | Member
        | Index
        | Present
        | Not
        | Negate
        | Logic
        | Compare
        | Contains
        | Arithmetic
        | Cast
        | If
        | Call
        | Text
        | ListOf
        | RecordOf
        | ListComprehension
        | MapComprehension
        | Outcome,
        Field(discriminator="kind"),
    ],
)
"""Any of them. A named alias, so that the published schema says it once."""
Item = TypeAliasType("Item", Expression | Spread)
"""What stands in a list."""
