"""How many calls a chain makes at least, held against its budget; whether repeating it does harm."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from compiler.check.arguments import Signature
from compiler.check.steps import declared_safe
from compiler.graph.references import calls
from compiler.program import ChainSignature
from compiler.types.report import Report
from dsl import tree

Target = Callable[[tree.Call], Signature | None]


def minimal_calls(members: Iterable[tree.Node], target: Target) -> dict[str, int]:
    """Calls of tools by step that are made when all goes well, whatever conditions and lists turn out to be."""
    found: dict[str, int] = {}
    for member in members:
        if isinstance(member, tree.Section) and not _guarded(member.clauses):
            found |= minimal_calls(member.members, target)
        elif isinstance(member, tree.Step) and not _guarded(member.clauses) and (least := _of_step(member, target)):
            found[member.name.text] = least
    return found


def _guarded(clauses: Iterable[tree.Clause]) -> bool:
    return any(isinstance(c, tree.When) for c in clauses)


def _of_step(step: tree.Step, target: Target) -> int:
    proofs = sum(_of_call(c.call, target) for c in step.clauses if isinstance(c, tree.Verify))
    match step.action:
        case tree.CallAction(call=call):
            return _of_call(call, target) + proofs
        case tree.EachCall(items=items, call=call):
            return _items(items) * (_of_call(call, target) + proofs)
        case tree.EachBlock(items=items, members=members):
            return _items(items) * sum(minimal_calls(members, target).values())
        case _:
            return 0


def _of_call(call: tree.Call, target: Target) -> int:
    meant = target(call)
    return meant.minimal_calls if isinstance(meant, ChainSignature) else int(meant is not None)


def _items(node: tree.Expr) -> int:
    """Items that a list has for certain: those written down."""
    if not isinstance(node, tree.ListLiteral):
        return 0
    return sum(not isinstance(item, tree.Spread) for item in node.items)


def within_budget(report: Report, chain: tree.Chain, least: dict[str, int]) -> None:
    """E0604 where the budget stops every run."""
    needed = sum(least.values())
    for member in chain.members:
        for setting in member.settings if isinstance(member, tree.Budget) else ():
            allowed = setting.value
            if setting.name.text == "calls" and isinstance(allowed, tree.Integer) and 0 < allowed.value < needed:
                counted = ", ".join(f"`{name}` {count}" for name, count in least.items())
                report(
                    "E0604",
                    setting,
                    f"At least {needed} calls are needed, but the budget allows {allowed.value}.",
                    helps=f"Write `calls: {needed}` or more, or make fewer calls.",
                    notes=f"Calls by step: {counted}.",
                )


def retry_safe(members: Iterable[tree.Node], target: Target) -> bool:
    """Whether each step reads, is idempotent, has a key, or says itself that it is safe."""
    for member in members:
        if isinstance(member, tree.Section):
            if not retry_safe(member.members, target):
                return False
        elif isinstance(member, tree.Step) and not declared_safe(member):
            if isinstance(member.action, tree.EachBlock):
                if not retry_safe(member.action.members, target):
                    return False
            elif any((meant := target(call)) is not None and not meant.retry_safe for call in calls((member,))):
                return False
    return True
