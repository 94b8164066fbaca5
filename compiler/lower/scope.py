"""What lowering knows while it walks a chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from compiler.program import CheckedChain, Program
from compiler.project import Module
from dsl import tree
from stdlib.plan.model import Origin


@dataclass(frozen=True, slots=True)
class Scope:
    """`names` are those the chain binds (inputs, lets, steps, loop variables); any other name is a file's `let`.
    `tool_keys` has the key of each tool in its source, by `id(signature)`."""

    program: Program
    module: Module
    names: frozenset[str]
    tool_keys: Mapping[int, str]

    def origin(self, node: tree.Node) -> Origin:
        line, column = self.module.file.source.position(node.start)
        return Origin(file=self.module.path, line=line, column=column)

    def text(self, node: tree.Node) -> str:
        return self.module.file.source.text[node.start : node.end]

    def within(self, module: Module) -> Scope:
        """The top level of a module: no chain's names."""
        return Scope(self.program, module, frozenset(), self.tool_keys)

    def bind(self, *names: str) -> Scope:
        return replace(self, names=self.names | set(names))

    def file_let(self, name: str) -> tree.Let | None:
        return next((i for i in self.module.file.items if isinstance(i, tree.Let) and i.name.text == name), None)

    def imported(self, alias: str) -> Module | None:
        path = self.module.chain_imports.get(alias)
        return self.program.project.modules[path] if path else None


def chain_scope(program: Program, chain: CheckedChain, tool_keys: Mapping[int, str]) -> Scope:
    """The names of a chain are flat: inputs, lets, steps and sections, inside sections too."""
    names: set[str] = set()
    for member in chain.node.members:
        if isinstance(member, tree.Input | tree.Let | tree.Step | tree.Section):
            names.add(member.name.text)
        if isinstance(member, tree.Section):
            names.update(m.name.text for m in member.members)
    return Scope(program, chain.module, frozenset(names), tool_keys)
