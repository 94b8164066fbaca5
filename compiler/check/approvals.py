"""Destructive steps that run without somebody's yes."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.arguments import Signature, path_place, written_path
from compiler.check.consent import (
    Said,
    absent_if_rejected,
    absent_without_yes,
    binds,
    can_be_absent,
    consent,
    passes_over,
)
from compiler.check.least import Target
from compiler.graph.references import all_steps, calls, references
from compiler.names.chain import ChainNames
from compiler.program import ChainGraph, ChainSignature
from compiler.project import Annotations
from dsl import tree


def unapproved(names: ChainNames, target: Target, graph: ChainGraph) -> bool:
    """Whether the chain does something destructive that does not wait for the yes of an `approve`.

    It is told as W0611, unless the chain admits it with `effects destructive`: then its clients can decide.
    """
    report, chain = names.file.report, names.chain
    search = _Approvals(names, graph)
    found = [
        (step, call)
        for step in all_steps(chain.members)
        if not isinstance(step.action, tree.EachBlock) and not search.approved(step.name.text)
        for call in calls((step,))
        if (meant := target(call)) is not None and _destroys(meant)
    ]
    admitted = any(
        name.text == "destructive"
        for m in chain.members
        if isinstance(m, tree.NamesClause) and m.keyword == "effects"
        for name in m.names
    )
    for step, call in found if not admitted else ():
        written = written_path(call.path)
        asked = search.asked(step.name.text)
        message = f"`{written}` is destructive and nobody approves it."
        hint = "Put an `approve` step before it, or say `effects destructive` in the chain: then clients can ask."
        if asked is not None:
            message = f"`{written}` is destructive, and it also runs where nobody approved `{asked.name.text}`."
            yes = "?.approved ?? false" if can_be_absent(asked) else ".approved"
            hint = f"Add `when {asked.name.text}{yes}` to the step."
        report("W0611", path_place(call.path), message, helps=hint)
    return bool(found)


def _destroys(meant: Signature) -> bool:
    """A tool that says so; of one that says nothing about its effects it is only assumed."""
    if isinstance(meant, ChainSignature):
        return meant.unapproved
    said = meant.tool.annotations is not None or meant.effects != Annotations()
    return said and meant.effects.destructive and not meant.effects.read_only


class _Approvals:
    """Which steps run only where somebody said yes."""

    def __init__(self, names: ChainNames, graph: ChainGraph) -> None:
        self._names = names
        self._needs = graph.needs
        requires = (m for m in names.chain.members if isinstance(m, tree.Require))
        self._requires = {f"require#{i}": m.condition for i, m in enumerate(requires, 1)}

    def approved(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a step waits for an `approve` that fails without a yes, or has a condition that needs the yes."""
        if name in seen:
            return False
        if any(self._binds(step, name) for step in self._waited_for(name)):
            return True
        return any(self._given(*said, seen | {name}) for said in self._conditions(name))

    def asked(self, name: str) -> tree.Step | None:
        """An `approve` step in sight that a step waits for, although it goes on without a yes."""
        symbols = self._names.symbols
        own = symbols[name].loops
        seen = (
            s for s in self._waited_for(name) if symbols[s.name.text].loops == own[: len(symbols[s.name.text].loops)]
        )
        return next(seen, None)

    def _given(self, name: str, what: str, seen: frozenset[str]) -> bool:
        """Whether a step that has a value, or is `approved`, has it because somebody said yes."""
        symbol = self._names.symbols[name]
        if not isinstance(symbol.node, tree.Step):
            return False
        if isinstance(symbol.node.action, tree.ApproveAction):
            if what == "never no":
                return not absent_without_yes(symbol.node)
            return what == "approved" or absent_if_rejected(symbol.node)
        return what == "there" and self.approved(name, seen)

    def _binds(self, step: tree.Step, waiting: str) -> bool:
        """An `approve` inside a loop binds those outside only where a rejected item ends the loop."""
        own = self._names.symbols[waiting].loops
        around = (self._names.symbols[loop].node for loop in self._names.symbols[step.name.text].loops)
        outside = (loop for loop in around if isinstance(loop, tree.Step) and loop.name.text not in own)
        return binds(step) and not any(passes_over(loop) for loop in outside)

    def _conditions(self, name: str) -> Said:
        """What the conditions say without which a step does not run: its own, those around it, and requires."""
        symbol = self._names.symbols[name]
        places: list[tree.Node] = [symbol.node, *(self._names.symbols[loop].node for loop in symbol.loops)]
        if symbol.section is not None:
            places.append(symbol.section)
        clauses = [c for at in places if isinstance(at, tree.Step | tree.Section) for c in at.clauses]
        conditions = [c.condition for c in clauses if isinstance(c, tree.When)]
        outermost = symbol.loops[0] if symbol.loops else name
        conditions += [self._requires[n] for n in self._needs.get(outermost, ()) if n in self._requires]
        return Said().union(*(consent(self._names, each) for each in conditions))

    def _waited_for(self, name: str) -> Iterator[tree.Step]:
        """The `approve` steps that a step refers to, itself or through what it refers to."""
        seen: set[str] = set()
        stack = [name]
        while stack:
            symbol = self._names.symbols.get(at := stack.pop())
            if symbol is None or at in seen:
                continue
            seen.add(at)
            if isinstance(symbol.node, tree.Step) and isinstance(symbol.node.action, tree.ApproveAction):
                yield symbol.node
            if isinstance(symbol.node, tree.Section):
                stack += (m.name.text for m in symbol.node.members)
                continue
            around = symbol.section.clauses if symbol.section is not None else ()
            own = symbol.node.clauses if isinstance(symbol.node, tree.Step) else ()
            stack += references(symbol.node, *around)
            stack += (after.text for c in (*own, *around) if isinstance(c, tree.After) for after in c.names)
            for loop in symbol.loops:
                stack += _before_block(self._names.symbols[loop].node)


def _before_block(node: tree.Node) -> list[str]:
    """The names that a loop waits for before its block begins."""
    if not isinstance(node, tree.Step) or not isinstance(node.action, tree.EachBlock):
        return []
    after = [name.text for c in node.clauses if isinstance(c, tree.After) for name in c.names]
    return [*references(node.action.items, *node.clauses), *after]
