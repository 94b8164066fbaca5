"""Calls and the clauses of steps, sections and defaults."""

from __future__ import annotations

from dataclasses import dataclass

from dsl.tree.expr import Argument, Duration, Expr, Text
from dsl.tree.node import Name, Node
from dsl.tree.types import Setting


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`path(arguments)`: one name is a chain of this file, two are `import.tool` or `import.chain`."""

    path: tuple[Name, ...]
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class When(Node):
    condition: Expr


@dataclass(frozen=True, slots=True)
class After(Node):
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Timeout(Node):
    duration: Duration


@dataclass(frozen=True, slots=True)
class Retry(Node):
    count: int
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Parallel(Node):
    count: int


@dataclass(frozen=True, slots=True)
class Undo(Node):
    call: Call


@dataclass(frozen=True, slots=True)
class Key(Node):
    parameter: Name


@dataclass(frozen=True, slots=True)
class Receipt(Node):
    value: Expr


@dataclass(frozen=True, slots=True)
class Reconcile(Node):
    call: Call


@dataclass(frozen=True, slots=True)
class Verify(Node):
    call: Call
    condition: Expr


@dataclass(frozen=True, slots=True)
class AnyOrder(Node):
    pass


@dataclass(frozen=True, slots=True)
class By(Node):
    group: Text


@dataclass(frozen=True, slots=True)
class Show(Node):
    value: Expr


@dataclass(frozen=True, slots=True)
class Skip(Node):
    pass


@dataclass(frozen=True, slots=True)
class Use(Node):
    value: Expr


@dataclass(frozen=True, slots=True)
class Fail(Node):
    message: Text | None


@dataclass(frozen=True, slots=True)
class On(Node):
    """`on error|item_error|reject|decline|expiry` and a reaction."""

    event: Name
    reaction: Skip | Use | Fail


Clause = (
    When | After | Timeout | Retry | Parallel | Undo | Key | Receipt | Reconcile | Verify | AnyOrder | By | Show | On
)
