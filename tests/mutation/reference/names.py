"""A look at the names of a file before it runs: declared once, and every use means something.

Runs alone would not see names in branches that they do not take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dsl import tree
from dsl.tree.walk import children
from stdlib.functions import find
from tests.mutation.reference.faults import ShapeFault
from tests.mutation.reference.functions import OUTCOMES, assigned, step_of
from tests.mutation.reference.program import Module, Tool
from tests.mutation.reference.types import schema_of

TYPES: Final = (
    tree.NamedType,
    tree.GenericType,
    tree.RecordType,
    tree.OptionalType,
    tree.UnionType,
    tree.LiteralType,
    tree.BadType,
)


def faults(module: Module) -> Iterator[ShapeFault]:
    """What is wrong with the names of a file."""
    named = (tree.Import, tree.TypeDecl, tree.Let, tree.Chain)
    yield from _twice(item.name for item in module.file.items if isinstance(item, named))
    yield from _twice(item.name for item in module.file.items if isinstance(item, tree.KindDecl))
    for item in module.file.items:
        try:
            _item(item, module)
        except ShapeFault as fault:
            yield fault
    for chain in module.chains.values():
        yield from _Names(module, chain).faults()
        if _recursive(module, chain):
            yield ShapeFault(chain.name, "the chain calls itself")


def _twice(names: Iterable[tree.Name]) -> Iterator[ShapeFault]:
    seen: set[str] = set()
    for name in names:
        if name.text in seen:
            yield ShapeFault(name, f"{name.text} is declared twice")
        seen.add(name.text)


def _item(item: tree.Item, module: Module) -> None:
    match item:
        case tree.TypeDecl(type=type) | tree.KindDecl(type=type):
            schema_of(type, module)
        case tree.Let():
            _resolve(item, module, {"run", *module.lets} - {item.name.text}, set())
        case tree.Import(kind=kind, where=where, tools=tools):
            found = (
                (where.plain or "") in module.program.sources if kind.text == "mcp" else module.other(item.name.text)
            )
            if not found:
                raise ShapeFault(item, "nothing can be imported from there")
            for tool in tools:
                path = (item.name, tool.name)
                module.target(tree.Call(tool.start, tool.end, path, ()))
                for claim in (tool.takes, tool.returns):
                    if claim is not None:
                        schema_of(claim, module)


class _Names:
    """The names of one chain."""

    def __init__(self, module: Module, chain: tree.Chain) -> None:
        self.module = module
        self.chain = chain
        self.inputs = [each.name for each in chain.members if isinstance(each, tree.Input)]
        self.sections = [each for each in chain.members if isinstance(each, tree.Section)]
        members = [
            inner
            for member in chain.members
            for inner in (member.members if isinstance(member, tree.Section) else (member,))
            if isinstance(inner, tree.Let | tree.Step)
        ]
        self.declared = [*self.inputs, *(each.name for each in members), *(each.name for each in self.sections)]
        self.values = {each.text for each in self.inputs} | {each.name.text for each in members} | {"run"}
        self.steps = {each.name.text for each in members if isinstance(each, tree.Step)}
        self.waited = self.steps | {each.name.text for each in self.sections}

    def faults(self) -> Iterator[ShapeFault]:
        yield from _twice(self.declared)
        if not any(isinstance(each, tree.Output) for each in self.chain.members):
            yield ShapeFault(self.chain.name, "the chain has no output")
        for member in self.chain.members:
            try:
                self.member(member, self.values | set(self.module.lets), self.steps, self.waited)
            except ShapeFault as fault:
                yield fault

    def member(self, member: tree.Node, values: set[str], steps: set[str], waited: set[str]) -> None:
        match member:
            case tree.Section():
                for each in (*member.clauses, *member.members):
                    self.member(each, values, steps, waited)
            case tree.After(names=names):
                for name in names:
                    if name.text not in waited:
                        raise ShapeFault(name, f"{name.text} is nothing to wait for")
            case tree.Step():
                self.step(member, values, steps, waited)
            case tree.Adapter():
                self.adapter(member, values)
            case tree.Input(type=type, default=default):
                schema_of(type, self.module)
                if default is not None:
                    _resolve(default, self.module, values - steps, set())
            case tree.TextClause() | tree.NamesClause() | tree.Budget() | tree.Deprecated() | tree.Fails():
                pass
            case _:
                _resolve(member, self.module, values, steps)

    def step(self, step: tree.Step, values: set[str], steps: set[str], waited: set[str]) -> None:
        inner = values
        match step.action:
            case tree.EachCall(variable=variable, items=items, call=call):
                self.fresh(variable, values)
                _resolve(items, self.module, values, steps)
                inner = values | {variable.text}
                _resolve(call, self.module, inner, steps)
            case tree.EachBlock(variable=variable, items=items, members=members):
                self.fresh(variable, values)
                _resolve(items, self.module, values, steps)
                for fault in _twice((variable, *(each.name for each in members))):
                    raise fault
                inner = values | {variable.text}
                own = inner | {each.name.text for each in members}
                own_steps = {each.name.text for each in members if isinstance(each, tree.Step)}
                for member in members:
                    self.fresh(member.name, values)
                    self.member(member, own, steps | own_steps, own_steps)
                _resolve(step.action.result, self.module, own, steps | own_steps)
            case _:
                _resolve(step.action, self.module, values, steps)
        for clause in step.clauses:
            after_call = isinstance(clause, tree.Undo | tree.Verify | tree.Receipt | tree.Reconcile)
            names = values if isinstance(clause, tree.When) else inner
            if after_call:
                names = names | {"result"}
            if isinstance(clause, tree.Key):
                _key(clause, step, self.module)
            else:
                self.member(clause, names, steps, waited)

    def fresh(self, name: tree.Name, values: set[str]) -> None:
        if name.text in values - set(self.module.lets):
            raise ShapeFault(name, f"{name.text} is a name already")

    def adapter(self, adapter: tree.Adapter, values: set[str]) -> None:
        own = {each.text for each in (*(i.name for i in adapter.inputs), *(a.name for a in adapter.lets))}
        own |= set(self.module.lets)
        for each in (*adapter.inputs, *adapter.lets, *adapter.arguments):
            _resolve(each, self.module, own, set())
        if adapter.output is not None:
            _resolve(adapter.output, self.module, own | {"result"}, set())


def _key(clause: tree.Key, step: tree.Step, module: Module) -> None:
    call = step.action.call if isinstance(step.action, tree.CallAction | tree.EachCall) else None
    target = module.target(call) if call is not None else None
    if isinstance(target, Tool) and clause.parameter.text not in target.offered.input_schema.get("properties", {}):
        raise ShapeFault(clause.parameter, f"there is no parameter {clause.parameter.text}")


def _resolve(node: tree.Node, module: Module, values: set[str], steps: set[str]) -> None:
    """Every name in an expression, call or clause; raises for the first that means nothing."""
    if isinstance(node, TYPES):
        schema_of(node, module)
        return
    match node:
        case tree.Ref(name=name):
            if name not in values:
                raise ShapeFault(node, f"{name} means nothing here")
            return
        case tree.Member(base=tree.Ref(name=base), name=name) if base not in values:
            other = module.other(base)
            if other is None or name.text not in other.lets:
                raise ShapeFault(node.base, f"{base} means nothing here")
            return
        case tree.ForeignCall():
            raise ShapeFault(node, "a call inside an expression")
        case tree.Function(name=name):
            if name.text in OUTCOMES:
                if step_of(node) not in steps:
                    raise ShapeFault(node, f"{name.text} takes the name of a step")
                return
            entry = find(name.text)
            if entry is None:
                raise ShapeFault(name, f"there is no function {name.text}")
            assigned(node, entry)
        case tree.Call():
            module.target(node)
        case tree.ListComprehension(variable=variable) | tree.MapComprehension(variable=variable):
            if variable.text in values - set(module.lets):
                raise ShapeFault(variable, f"{variable.text} is a name already")
            _resolve(node.items, module, values, steps)
            inner = values | {variable.text}
            for each in children(node):
                if each is not node.items:
                    _resolve(each, module, inner, steps)
            return
        case tree.Setting():
            return
    for each in children(node):
        _resolve(each, module, values, steps)


def _recursive(module: Module, chain: tree.Chain) -> bool:
    """Whether a chain comes back to itself by calls."""
    seen: set[int] = set()
    waiting = [(module, chain)]
    while waiting:
        home, each = waiting.pop()
        nodes: list[tree.Node] = list(each.members)
        while nodes:
            node = nodes.pop()
            if isinstance(node, tree.Call):
                try:
                    target = home.target(node)
                except ShapeFault:
                    continue
                if not isinstance(target, Tool) and target[1] is chain:
                    return True
                if not isinstance(target, Tool) and id(target[1]) not in seen:
                    seen.add(id(target[1]))
                    waiting.append(target)
            nodes.extend(children(node))
    return False
