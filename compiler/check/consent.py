"""What a condition says about `approve` steps: where it holds, who has said yes."""

from __future__ import annotations

from typing import Literal

from compiler.names.chain import ChainNames
from dsl import tree

Said = frozenset[tuple[str, Literal["there", "approved", "never no"]]]
"""The steps that have a value where a condition holds, those whose `approved` is true, and those of which one of
both holds: it is true, or there is no value (nobody had to be asked)."""

_NOTHING: Said = frozenset()


def consent(names: ChainNames, node: tree.Expr, holds: bool = True, seen: frozenset[str] = frozenset()) -> Said:
    """What is known where `node` is true, or with `holds` false where it is false. `seen`: the lets followed so far."""
    match node:
        case tree.Unary(op="not", operand=operand):
            return consent(names, operand, not holds, seen)
        case tree.Binary(op="and" | "or" as op, left=left, right=right):
            a, b = consent(names, left, holds, seen), consent(names, right, holds, seen)
            return a | b if (op == "and") == holds else a & b
        case tree.Binary(op="??", left=left, right=tree.Constant(value=bool(instead))) if instead is not holds:
            return consent(names, left, holds, seen)
        case tree.Binary(op="??", left=left, right=tree.Constant(value=True)) if holds:
            return frozenset(said for said in consent(names, left, True, seen) if said[1] == "never no")
        case tree.Binary(op="==" | "!=" as op, left=left, right=tree.Constant(value=value)):
            same = (op == "==") == holds
            if value is None:
                there = _there(names, left)
                whole = isinstance(left, tree.Ref)
                return there if not same else frozenset((step, "never no") for step, _ in there if whole)
            return consent(names, left, value, seen) if same else _NOTHING
        case tree.Function(name=name, arguments=(tree.Argument(value=value),)):
            if (name.text, holds) in (("succeeded", True), ("skipped", False)):
                return _there(names, value)
        case tree.Member(base=base, name=name) if holds and name.text == "approved":
            there = _there(names, base)
            yes: Said = frozenset((step, "approved") for step, _ in there)
            return there | yes | frozenset((step, "never no") for step, _ in there)
        case tree.Ref(name=name) if name not in seen:
            symbol = names.symbols.get(name)
            if symbol is not None and isinstance(symbol.node, tree.Let):
                return consent(names, symbol.node.value, holds, seen | {name})
    return _NOTHING


def _there(names: ChainNames, node: tree.Expr) -> Said:
    """The step that a path begins with, which has a value where the path has one."""
    seen: set[str] = set()
    while True:
        while isinstance(node, tree.Member | tree.Present):
            node = node.base
        if not isinstance(node, tree.Ref) or node.name in seen:
            return _NOTHING
        seen.add(node.name)
        symbol = names.symbols.get(node.name)
        if symbol is None:
            return _NOTHING
        if not isinstance(symbol.node, tree.Let):
            return frozenset({(node.name, "there")})
        node = symbol.node.value


def binds(step: tree.Step) -> bool:
    """Whether an `approve` step fails where nobody says yes, so that what waits for it does not run."""
    return not any(_milder(c, ("reject", "expiry")) for c in step.clauses)


def absent_if_rejected(step: tree.Step) -> bool:
    """Whether an `approve` step has a value only where somebody said yes."""
    return not any(isinstance(c, tree.On) and isinstance(c.reaction, tree.Use) for c in step.clauses)


def absent_without_yes(step: tree.Step) -> bool:
    """Whether an `approve` step has no value where somebody was asked and nobody said yes."""
    return any(isinstance(c, tree.On) and isinstance(c.reaction, tree.Skip) for c in step.clauses)


def can_be_absent(step: tree.Step) -> bool:
    """Whether an `approve` step may have no value: nobody had to be asked, or it is skipped."""
    return absent_without_yes(step) or any(isinstance(c, tree.When) for c in step.clauses)


def passes_over(step: tree.Step) -> bool:
    """Whether a loop goes on where one of its items fails."""
    return any(_milder(c, ("item_error", "error")) for c in step.clauses)


def _milder(clause: tree.Clause, events: tuple[str, ...]) -> bool:
    return isinstance(clause, tree.On) and clause.event.text in events and not isinstance(clause.reaction, tree.Fail)
