"""Types as written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.tree.node import Name, Node

if TYPE_CHECKING:
    from dsl.tree.expr import Expr


class Setting(Node):
    """`name: value` in round brackets behind a type or clause."""

    name: Name
    value: Expr


class NamedType(Node):
    """`string`, `Line`, `common.Region`, with settings such as `(min: 1)`."""

    path: tuple[Name, ...]
    settings: tuple[Setting, ...] = ()


class GenericType(Node):
    """`list<T>`, `map<T>`, `handle<kind>`."""

    name: Name
    arguments: tuple[Type, ...]
    settings: tuple[Setting, ...] = ()


class LiteralType(Node):
    value: str


class OptionalType(Node):
    inner: Type


class UnionType(Node):
    members: tuple[Type, ...]


class FieldType(Node):
    doc: str | None
    name: Name
    type: Type
    default: Expr | None = None


class RecordType(Node):
    fields: tuple[FieldType, ...]


class BadType(Node):
    """Stands where a type could not be read; already reported."""


Type = NamedType | GenericType | LiteralType | OptionalType | UnionType | RecordType | BadType
