"""Chains and what stands in them."""

from __future__ import annotations

from typing import Literal

from dsl.tree.clauses import Call, Clause
from dsl.tree.expr import Argument, Duration, Expr, Text
from dsl.tree.node import Name, Node
from dsl.tree.types import Setting, Type


class Let(Node):
    doc: str | None
    name: Name
    type: Type | None
    value: Expr


class CallAction(Node):
    call: Call


class EachCall(Node):
    """`for each variable in items do call`."""

    variable: Name
    items: Expr
    call: Call


class EachBlock(Node):
    """`for each variable in items { members return result }`; its clauses are the step's."""

    variable: Name
    items: Expr
    members: tuple[Let | Step, ...]
    result: Expr


class ApproveAction(Node):
    question: Text


class AskAction(Node):
    question: Text
    form: Type


class Step(Node):
    doc: str | None
    name: Name
    action: CallAction | EachCall | EachBlock | ApproveAction | AskAction
    clauses: tuple[Clause, ...] = ()


class Section(Node):
    doc: str | None
    name: Name
    clauses: tuple[Clause, ...]
    members: tuple[Let | Step, ...]


class TextClause(Node):
    keyword: Literal["title", "version", "use_when", "not_when", "owner", "empty"]
    text: Text


class NamesClause(Node):
    keyword: Literal["groups", "stages", "effects"]
    names: tuple[Name, ...]


class Scopes(Node):
    texts: tuple[Text, ...]


class Example(Node):
    request: Text
    arguments: tuple[Argument, ...]


class Fails(Node):
    fault: Name
    when: Text


class Deprecated(Node):
    message: Text
    settings: tuple[Setting, ...] = ()


class Budget(Node):
    settings: tuple[Setting, ...]


class Require(Node):
    condition: Expr
    message: Text


class Input(Node):
    doc: str | None
    name: Name
    type: Type
    default: Expr | None = None


class Output(Node):
    """`expires` in milliseconds."""

    doc: str | None
    type: Type | None
    value: Expr
    summary: Text | None = None
    expires: Duration | None = None


class Adapter(Node):
    doc: str | None
    version: Text
    inputs: tuple[Input, ...]
    lets: tuple[Let, ...]
    arguments: tuple[Argument, ...]
    output: Output | None


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


class Chain(Node):
    doc: str | None
    private: bool
    name: Name
    members: tuple[ChainMember, ...]
