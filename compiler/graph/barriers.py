"""What a `require` holds back: which ones come first of all, and which names each of them is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiler.graph.afterwards import settled
from dsl import tree


def rest_on_inputs(requires: Sequence[str], needs: Mapping[str, Sequence[str]], steps: set[str]) -> set[str]:
    """The requires that no step has to run for."""
    return {name for name in requires if not settled(needs, name) & steps}


def tested(condition: tree.Expr) -> set[str]:
    """The names that a condition may prove to be there (`x != null`, `x.y in […]`, `not failed(s)`).

    What stands below a `require` and refers to one of them waits for it, because it relies on the proof.
    """
    found: set[str] = set()
    stack = [condition]
    while stack:
        match stack.pop():
            case tree.Unary(op="not", operand=operand):
                stack.append(operand)
            case tree.Binary(op="and" | "or", left=left, right=right):
                stack += (left, right)
            case tree.Binary(op="!=", left=left, right=right) if not (_is_null(left) or _is_null(right)):
                pass  # that it differs from a value proves nothing
            case tree.Binary(op="==" | "!=" | "in", left=left, right=right):
                found.update(name for side in (left, right) if (name := _root(side)) is not None)
            case tree.Function(name=tree.Name(text="succeeded" | "skipped" | "failed"), arguments=arguments):
                found.update(name for a in arguments if (name := _root(a.value)) is not None)
            case _:
                pass
    return found


def _is_null(node: tree.Expr) -> bool:
    return isinstance(node, tree.Constant) and node.value is None


def _root(node: tree.Expr) -> str | None:
    """`a` of `a.b?.c`."""
    while isinstance(node, tree.Member):
        node = node.base
    return node.name if isinstance(node, tree.Ref) else None
