"""Where a value comes from, to say why nothing is known of it."""

from __future__ import annotations

from compiler.check.scope import Scope
from dsl import tree
from stdlib.values.types import Type, members, present


def why_json(scope: Scope, node: tree.Expr) -> str:
    """Why the tool's schema makes a place json; nothing where that is not known."""
    chain, step, place = scope.chain, source(scope, node), _field(node)
    if chain is None or step is None:
        return ""
    unsaid = chain.unsaid.get(step, ())
    here = [u for u in unsaid if place is not None and _last_field(u.pointer) == place]
    told = here or [u for u in unsaid if u.why == "refers to itself"]
    if not told:
        return ""
    return f"No type can say what the schema of the tool has at `{told[0].pointer or '/'}`: {told[0].why}."


def blamed(scope: Scope, node: tree.Node, found: Type) -> bool:
    """Whether `node` is of several forms because `on … use` puts another form in place of a step's result.

    Then that is the mistake: it is told there, once, and the place that stumbles over it says nothing.
    """
    chain = scope.chain
    if chain is None or not chain.blames or len(members(present(found))) < 2:
        return False
    blame = chain.blames.get(source(scope, node) or "")
    return blame is not None and blame(node)


def source(scope: Scope, node: tree.Node) -> str | None:
    """The name that a value is read from, through fields, items, loops, and functions that choose among items."""
    while True:
        match node:
            case tree.Member(base=base) | tree.Index(base=base) | tree.Present(base=base):
                node = base
            case tree.Function(arguments=arguments) if arguments:
                node = arguments[0].value
            case tree.Binary(op="??", left=left):
                node = left
            case tree.ListComprehension(value=tree.Ref(name=name), variable=variable, items=items) if (
                name == variable.text
            ):
                node = items
            case tree.Ref(name=name):
                return scope.sources.get(name, name)
            case _:
                return None


def _field(node: tree.Expr) -> str | None:
    """`b` of `a.b`, of `a.b[0]` and of `first(a.b)`."""
    match node:
        case tree.Member(name=name):
            return name.text
        case tree.Index(base=base) | tree.Present(base=base):
            return _field(base)
        case tree.Function(arguments=arguments) if arguments:
            return _field(arguments[0].value)
        case _:
            return None


def _last_field(pointer: str) -> str | None:
    """`b` of `/properties/a/items/properties/b/anyOf`."""
    parts = pointer.split("/")
    found = [parts[i + 1] for i in range(len(parts) - 1) if parts[i] == "properties"]
    return found[-1].replace("~1", "/").replace("~0", "~") if found else None
