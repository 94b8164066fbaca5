"""The top level of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dsl.source import Source, Span
from dsl.tree.chain import Chain, Defaults, Let, NamesClause, Scopes
from dsl.tree.clauses import Call
from dsl.tree.expr import Argument, Expr, ListLiteral, Text
from dsl.tree.node import Name, Node
from dsl.tree.types import RecordType, Setting, Type


@dataclass(frozen=True, slots=True)
class Run(Node):
    argv: ListLiteral


@dataclass(frozen=True, slots=True)
class Stdin(Node):
    value: Expr


@dataclass(frozen=True, slots=True)
class Parse(Node):
    mode: Name
    pattern: Text | None


@dataclass(frozen=True, slots=True)
class Cost(Node):
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class ToolDecl(Node):
    """What an import claims about a tool; `clauses` in the order written."""

    doc: str | None
    name: Name
    takes: RecordType | None
    returns: Type | None
    clauses: tuple[NamesClause | Scopes | Run | Stdin | Parse | Cost, ...] = ()


@dataclass(frozen=True, slots=True)
class Import(Node):
    doc: str | None
    name: Name
    kind: Name
    where: Text
    tools: tuple[ToolDecl, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeDecl(Node):
    doc: str | None
    name: Name
    type: Type


@dataclass(frozen=True, slots=True)
class KindDecl(Node):
    doc: str | None
    name: Name
    type: Type


@dataclass(frozen=True, slots=True)
class Given(Node):
    """`given path(arguments) returns|fails|answers value`; `arguments` is None where none are written."""

    path: tuple[Name, ...]
    arguments: tuple[Argument, ...] | None
    reaction: Literal["returns", "fails", "answers"]
    value: Expr


@dataclass(frozen=True, slots=True)
class TestAt(Node):
    timestamp: Text


@dataclass(frozen=True, slots=True)
class TestCall(Node):
    call: Call


@dataclass(frozen=True, slots=True)
class Expect(Node):
    condition: Expr


@dataclass(frozen=True, slots=True)
class Test(Node):
    name: Text
    members: tuple[Let | Given | TestAt | TestCall | Expect, ...]
    doc: str | None = None


Item = Import | TypeDecl | KindDecl | Let | Defaults | Chain | Test


@dataclass(frozen=True, slots=True)
class Comment(Node):
    """An ordinary `//` comment, the slashes included; the formatter puts it back."""

    text: str


@dataclass(frozen=True, slots=True)
class File(Node):
    """One source file. `complete` is false where parts were skipped because of syntax mistakes."""

    source: Source = field(repr=False)
    items: tuple[Item, ...]
    comments: tuple[Comment, ...] = ()
    complete: bool = True

    def span(self, node: Node) -> Span:
        return Span(self.source, node.start, node.end)
