"""The names that a piece of text refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dsl import tree

_PARTS: dict[type, tuple[str, ...]] = {
    tree.Member: ("base",),
    tree.Index: ("base", "index"),
    tree.Present: ("base",),
    tree.Unary: ("operand",),
    tree.Binary: ("left", "right"),
    tree.Cast: ("value",),
    tree.If: ("condition", "then", "otherwise"),
    tree.Argument: ("value",),
    tree.Spread: ("value",),
    tree.Field: ("value",),
    tree.ComputedField: ("key", "value"),
    tree.ListComprehension: ("value", "items", "condition"),
    tree.MapComprehension: ("key", "value", "items", "condition"),
    tree.When: ("condition",),
    tree.Undo: ("call",),
    tree.Receipt: ("value",),
    tree.Reconcile: ("call",),
    tree.Verify: ("call", "condition"),
    tree.Show: ("value",),
    tree.On: ("reaction",),
    tree.Use: ("value",),
    tree.Fail: ("message",),
    tree.Let: ("value",),
    tree.CallAction: ("call",),
    tree.EachCall: ("items", "call"),
    tree.ApproveAction: ("question",),
    tree.AskAction: ("question",),
    tree.Require: ("condition", "message"),
    tree.Output: ("value", "summary"),
}
_MANY: dict[type, tuple[str, ...]] = {
    tree.Text: ("parts",),
    tree.Function: ("arguments",),
    tree.ForeignCall: ("arguments",),
    tree.ListLiteral: ("items",),
    tree.RecordLiteral: ("fields",),
    tree.Call: ("arguments",),
    tree.EachBlock: ("members",),
    tree.Step: ("clauses",),
}
_AND_ONE: dict[type, tuple[str, ...]] = {
    tree.ForeignCall: ("base",),
    tree.EachBlock: ("items", "result"),
    tree.Step: ("action",),
}


def references(*roots: tree.Node | None) -> dict[str, tree.Ref]:
    """Every name in value position below the roots with its first place, in no particular order.

    Loop variables are among them: they are never names of the chain, so they can be told apart.
    """
    found: dict[str, tree.Ref] = {}
    stack: list[object] = [root for root in roots if root is not None]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is tree.Ref:
            assert isinstance(node, tree.Ref)
            found.setdefault(node.name, node)
            continue
        for part in _PARTS.get(kind, ()):
            value = getattr(node, part)
            if value is not None:
                stack.append(value)
        many = _MANY.get(kind)
        if many:
            stack.extend(reversed(getattr(node, many[0])))
            stack.extend(getattr(node, part) for part in _AND_ONE.get(kind, ()))
    return found


def calls(members: Iterable[tree.Node]) -> Iterator[tree.Call]:
    """The calls that steps make when all goes well: those of `do`, of blocks, not of `undo` or `verify`."""
    for member in members:
        if isinstance(member, tree.Section):
            yield from calls(member.members)
        elif isinstance(member, tree.Step):
            action = member.action
            if isinstance(action, tree.CallAction | tree.EachCall):
                yield action.call
            elif isinstance(action, tree.EachBlock):
                yield from calls(action.members)


def all_steps(members: Iterable[tree.Node]) -> Iterator[tree.Step]:
    """Every step, those of sections and blocks included."""
    for member in members:
        if isinstance(member, tree.Section):
            yield from all_steps(member.members)
        elif isinstance(member, tree.Step):
            yield member
            if isinstance(member.action, tree.EachBlock):
                yield from all_steps(member.action.members)


def all_calls(members: Iterable[tree.Node]) -> Iterator[tree.Call]:
    """Every call in steps, those of their clauses included."""
    for member in members:
        if isinstance(member, tree.Section):
            yield from all_calls(member.members)
        elif isinstance(member, tree.Step):
            yield from calls_of_clauses(member.clauses)
            action = member.action
            if isinstance(action, tree.CallAction | tree.EachCall):
                yield action.call
            elif isinstance(action, tree.EachBlock):
                yield from all_calls(action.members)


def calls_of_clauses(clauses: Iterable[tree.Clause]) -> Iterator[tree.Call]:
    """The calls of `undo`, `reconcile` and `verify`."""
    for clause in clauses:
        if isinstance(clause, tree.Undo | tree.Reconcile | tree.Verify):
            yield clause.call
