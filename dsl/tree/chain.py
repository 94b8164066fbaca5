"""Chains and what stands in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dsl.tree.clauses import Call, Clause
from dsl.tree.expr import Argument, Duration, Expr, Text
from dsl.tree.node import Name, Node
from dsl.tree.types import Setting, Type


@dataclass(frozen=True, slots=True)
class Let(Node):
    doc: str | None
    name: Name
    type: Type | None
    value: Expr


@dataclass(frozen=True, slots=True)
class CallAction(Node):
    call: Call


@dataclass(frozen=True, slots=True)
class EachCall(Node):
    """`for each variable in items do call`."""

    variable: Name
    items: Expr
    call: Call


@dataclass(frozen=True, slots=True)
class EachBlock(Node):
    """`for each variable in items { members return result }`; its clauses are the step's."""

    variable: Name
    items: Expr
    members: tuple[Let | Step, ...]
    result: Expr


@dataclass(frozen=True, slots=True)
class ApproveAction(Node):
    question: Text


@dataclass(frozen=True, slots=True)
class AskAction(Node):
    question: Text
    form: Type


@dataclass(frozen=True, slots=True)
class Step(Node):
    doc: str | None
    name: Name
    action: CallAction | EachCall | EachBlock | ApproveAction | AskAction
    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class Section(Node):
    doc: str | None
    name: Name
    clauses: tuple[Clause, ...]
    members: tuple[Let | Step, ...]


@dataclass(frozen=True, slots=True)
class TextClause(Node):
    keyword: Literal["title", "version", "use_when", "not_when", "owner", "empty"]
    text: Text


@dataclass(frozen=True, slots=True)
class NamesClause(Node):
    keyword: Literal["groups", "stages", "effects"]
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Scopes(Node):
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Example(Node):
    request: Text
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Fails(Node):
    fault: Name
    when: Text


@dataclass(frozen=True, slots=True)
class Deprecated(Node):
    message: Text
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget(Node):
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class Require(Node):
    condition: Expr
    message: Text


@dataclass(frozen=True, slots=True)
class Input(Node):
    doc: str | None
    name: Name
    type: Type
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class Output(Node):
    """`expires` in milliseconds."""

    doc: str | None
    type: Type | None
    value: Expr
    summary: Text | None = None
    expires: Duration | None = None


@dataclass(frozen=True, slots=True)
class Adapter(Node):
    doc: str | None
    version: Text
    inputs: tuple[Input, ...]
    lets: tuple[Let, ...]
    arguments: tuple[Argument, ...]
    output: Output | None


@dataclass(frozen=True, slots=True)
class Defaults(Node):
    clauses: tuple[Clause, ...]


ChainMember = (
    TextClause
    | NamesClause
    | Scopes
    | Example
    | Fails
    | Deprecated
    | Budget
    | Require
    | Input
    | Let
    | Step
    | Section
    | Output
    | Adapter
    | Defaults
)


@dataclass(frozen=True, slots=True)
class Chain(Node):
    doc: str | None
    private: bool
    name: Name
    members: tuple[ChainMember, ...]
