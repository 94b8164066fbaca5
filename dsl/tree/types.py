"""Types as written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dsl.tree.node import Name, Node

if TYPE_CHECKING:
    from dsl.tree.expr import Expr


@dataclass(frozen=True, slots=True)
class Setting(Node):
    """`name: value` in round brackets behind a type or clause."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """`string`, `Line`, `common.Region`, with settings such as `(min: 1)`."""

    path: tuple[Name, ...]
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class GenericType(Node):
    """`list<T>`, `map<T>`, `handle<kind>`."""

    name: Name
    arguments: tuple[Type, ...]
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class LiteralType(Node):
    value: str


@dataclass(frozen=True, slots=True)
class OptionalType(Node):
    inner: Type


@dataclass(frozen=True, slots=True)
class UnionType(Node):
    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class FieldType(Node):
    doc: str | None
    name: Name
    type: Type
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class RecordType(Node):
    fields: tuple[FieldType, ...]


@dataclass(frozen=True, slots=True)
class BadType(Node):
    """Stands where a type could not be read; already reported."""


Type = NamedType | GenericType | LiteralType | OptionalType | UnionType | RecordType | BadType
