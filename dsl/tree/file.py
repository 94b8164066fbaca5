"""The top level of a file."""

from __future__ import annotations

from typing import Literal

from dsl.source import Source, Span
from dsl.tree.chain import Chain, Defaults, Let, NamesClause, Scopes
from dsl.tree.clauses import Call
from dsl.tree.expr import Argument, Expr, ListLiteral, Text
from dsl.tree.node import Name, Node
from dsl.tree.types import RecordType, Setting, Type


class Run(Node):
    argv: ListLiteral


class Stdin(Node):
    value: Expr


class Parse(Node):
    mode: Name
    pattern: Text | None


class Cost(Node):
    settings: tuple[Setting, ...]


class ToolDecl(Node):
    """What an import claims about a tool; `clauses` in the order written."""

    doc: str | None
    name: Name
    takes: RecordType | None
    returns: Type | None
    clauses: tuple[NamesClause | Scopes | Run | Stdin | Parse | Cost, ...] = ()


class Import(Node):
    doc: str | None
    name: Name
    kind: Name
    where: Text
    tools: tuple[ToolDecl, ...] = ()


class TypeDecl(Node):
    doc: str | None
    name: Name
    type: Type


class KindDecl(Node):
    doc: str | None
    name: Name
    type: Type


class Given(Node):
    """`given path(arguments) returns|fails|answers value`; `arguments` is None where none are written."""

    path: tuple[Name, ...]
    arguments: tuple[Argument, ...] | None
    reaction: Literal["returns", "fails", "answers"]
    value: Expr


class TestAt(Node):
    timestamp: Text


class TestCall(Node):
    call: Call


class Expect(Node):
    condition: Expr


class Test(Node):
    name: Text
    members: tuple[Let | Given | TestAt | TestCall | Expect, ...]
    doc: str | None = None


Item = Import | TypeDecl | KindDecl | Let | Defaults | Chain | Test


class Comment(Node):
    """An ordinary `//` comment, the slashes included; the formatter puts it back."""

    text: str


class File(Node):
    """One source file. `complete` is false where parts were skipped because of syntax mistakes."""

    source: Source
    items: tuple[Item, ...]
    comments: tuple[Comment, ...] = ()
    complete: bool = True

    def span(self, node: Node) -> Span:
        return Span(self.source, node.start, node.end)
