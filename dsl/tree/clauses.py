"""Calls and the clauses of steps, sections and defaults."""

from __future__ import annotations

from dsl.tree.expr import Argument, Duration, Expr, Text
from dsl.tree.node import Name, Node
from dsl.tree.types import Setting


class Call(Node):
    """`path(arguments)`: one name is a chain of this file, two are `import.tool` or `import.chain`."""

    path: tuple[Name, ...]
    arguments: tuple[Argument, ...]


class When(Node):
    condition: Expr


class After(Node):
    names: tuple[Name, ...]


class Timeout(Node):
    duration: Duration


class Retry(Node):
    count: int
    settings: tuple[Setting, ...] = ()


class Parallel(Node):
    count: int


class Undo(Node):
    call: Call


class Key(Node):
    parameter: Name


class Receipt(Node):
    value: Expr


class Reconcile(Node):
    call: Call


class Verify(Node):
    call: Call
    condition: Expr


class AnyOrder(Node):
    pass


class By(Node):
    group: Text


class Show(Node):
    value: Expr


class Skip(Node):
    pass


class Use(Node):
    value: Expr


class Fail(Node):
    message: Text | None


class On(Node):
    """`on error|item_error|reject|decline|expiry` and a reaction."""

    event: Name
    reaction: Skip | Use | Fail


Clause = (
    When | After | Timeout | Retry | Parallel | Undo | Key | Receipt | Reconcile | Verify | AnyOrder | By | Show | On
)
