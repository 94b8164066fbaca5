"""Which steps write: they keep the order of the text."""

from __future__ import annotations

from dsl import tree
from tests.mutation.reference.faults import ShapeFault
from tests.mutation.reference.program import Module, Tool


def is_write(step: tree.Step, module: Module, depth: int = 0) -> bool:
    """Whether a step calls anything that is not only read."""
    match step.action:
        case tree.CallAction(call=call) | tree.EachCall(call=call):
            return _writes(call, module, depth)
        case tree.EachBlock(members=members):
            return any(is_write(each, module, depth) for each in members if isinstance(each, tree.Step))
    return False


def _writes(call: tree.Call, module: Module, depth: int) -> bool:
    if depth > 20:
        return False
    try:
        target = module.target(call)
    except ShapeFault:
        return False
    if isinstance(target, Tool):
        return not target.read_only
    other, chain = target
    steps = [
        step
        for member in chain.members
        for step in (member.members if isinstance(member, tree.Section) else (member,))
        if isinstance(step, tree.Step)
    ]
    return any(is_write(step, other, depth + 1) for step in steps)
