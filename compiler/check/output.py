"""The output of a chain: its value against its type, its summary."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.check.fit import expect
from compiler.check.misfit import Slot
from compiler.check.scope import Scope
from compiler.check.settings import check_wait
from compiler.types.report import shown
from dsl import tree
from stdlib.values.types import ERROR, Handle, Type


def output(scope: Scope, chain: tree.Chain, kinds: Mapping[str, Type]) -> Type:
    """The type of the chain's result: declared, else that of the value. A chain without output is reported."""
    outputs = [m for m in chain.members if isinstance(m, tree.Output)]
    name = chain.name.text
    if not outputs:
        scope.report(
            "E0304",
            chain.name,
            f"`{name}` has no output.",
            helps="Add `output = …` as its last member: it is what callers get.",
        )
        return ERROR
    return _output(scope, outputs[0], name, kinds)


def _output(scope: Scope, node: tree.Output, name: str, kinds: Mapping[str, Type]) -> Type:
    declared: Type | None = None
    if node.type is None:
        found = scope.infer(node.value)
    else:
        found = declared = scope.file.declared.border(scope.file.module, node.type, optional_too=False)
        if isinstance(declared, Handle) and declared.kind in kinds:
            stored = kinds[declared.kind]
            whole = f"{shown(declared)} holds {shown(stored)}"
            expect(scope, node.value, stored, Slot("E0705", whole, f"This does not fit {shown(declared)}"))
        else:
            whole = f"The output of `{name}` does not fit its type"
            slot = Slot("E0410", whole, whole, joint=": ")
            expect(scope, node.value, declared, slot)
    if node.summary is not None:
        scope.infer(node.summary)
    if node.expires is not None and not isinstance(declared, Handle) and not _meant_handle(node.type):
        scope.report(
            "E0503",
            node.expires,
            "`expires` only makes sense where the output is a handle.",
            helps="A value that is returned at once does not expire.",
        )
    elif node.expires is not None:
        check_wait(scope.report, "`expires`", node.expires)
    return found


def _meant_handle(node: tree.Type | None) -> bool:
    """Whether a handle is written there, be it one of no kind (reported with the types)."""
    return isinstance(node, tree.GenericType) and node.name.text == "handle"
