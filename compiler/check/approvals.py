"""Destructive steps that nobody approves."""

from __future__ import annotations

from compiler.check.arguments import Signature, path_place, written_path
from compiler.check.least import Target
from compiler.graph.references import all_steps, calls, references
from compiler.names.chain import ChainNames
from compiler.program import ChainSignature
from compiler.project import Annotations
from dsl import tree


def unapproved(names: ChainNames, target: Target) -> bool:
    """Whether the chain does something destructive that does not wait for an `approve`.

    It is told as W0611, unless the chain admits it with `effects destructive`: then its clients can decide.
    """
    report, chain = names.file.report, names.chain
    found = [
        call
        for step in all_steps(chain.members)
        if not isinstance(step.action, tree.EachBlock) and not _approved(names, step.name.text)
        for call in calls((step,))
        if (meant := target(call)) is not None and _destroys(meant)
    ]
    admitted = any(
        name.text == "destructive"
        for m in chain.members
        if isinstance(m, tree.NamesClause) and m.keyword == "effects"
        for name in m.names
    )
    for call in found if not admitted else ():
        report(
            "W0611",
            path_place(call.path),
            f"`{written_path(call.path)}` is destructive and nobody approves it.",
            helps="Put an `approve` step before it, or say `effects destructive` in the chain: then clients can ask.",
        )
    return bool(found)


def _destroys(meant: Signature) -> bool:
    """A tool that says so; of one that says nothing about its effects it is only assumed."""
    if isinstance(meant, ChainSignature):
        return meant.unapproved
    said = meant.tool.annotations is not None or meant.effects != Annotations()
    return said and meant.effects.destructive and not meant.effects.read_only


def _approved(names: ChainNames, name: str) -> bool:
    """Whether a step refers to an `approve` step, itself or through what it refers to."""
    seen: set[str] = set()
    stack = [name]
    while stack:
        symbol = names.symbols.get(at := stack.pop())
        if symbol is None or at in seen:
            continue
        seen.add(at)
        if isinstance(symbol.node, tree.Step) and isinstance(symbol.node.action, tree.ApproveAction):
            return True
        if isinstance(symbol.node, tree.Section):
            stack += (m.name.text for m in symbol.node.members)
            continue
        around = symbol.section.clauses if symbol.section is not None else ()
        own = symbol.node.clauses if isinstance(symbol.node, tree.Step) else ()
        stack += references(symbol.node, *around)
        stack += (after.text for c in (*own, *around) if isinstance(c, tree.After) for after in c.names)
        for loop in symbol.loops:
            stack += _before_block(names.symbols[loop].node)
    return False


def _before_block(node: tree.Node) -> list[str]:
    """The names that a loop waits for before its block begins."""
    if not isinstance(node, tree.Step) or not isinstance(node.action, tree.EachBlock):
        return []
    after = [name.text for c in node.clauses if isinstance(c, tree.After) for name in c.names]
    return [*references(node.action.items, *node.clauses), *after]
