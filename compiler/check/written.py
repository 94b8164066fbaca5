"""Where parts of written types and names stand. Nothing here is kept: it is looked up when a mistake is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from compiler.check.parts import ITEM, VALUE, Bad, Parts, part
from compiler.names.file import FileNames
from dsl import tree
from dsl.tree.walk import children
from stdlib.values.types import Type

_MOST = 40
"""So far a place is followed; types may name themselves."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A node in its file. `name` is the field, input, `let` or step that it belongs to, empty where it has none.
    `lacks`: the field that was looked for, where it is not there."""

    names: FileNames
    node: tree.Node
    name: str = ""
    lacks: str = ""


def missing(path: Parts) -> str:
    """The field that a path begins with; empty where it is none."""
    return path[0] if path and path[0] not in (ITEM, VALUE) else ""


def above(file: tree.File, node: tree.Node) -> list[tree.Node]:
    """The nodes around `node`, inner ones first."""
    found: list[tree.Node] = []
    at: tree.Node | None = file
    while at is not None and at is not node:
        found.append(at)
        at = next((c for c in children(at) if c.start <= node.start and node.end <= c.end), None)
    return found[::-1]


def members_of(chain: tree.Chain) -> Sequence[tree.Node]:
    """The members of a chain, those of its sections and `for each` blocks included."""
    found: list[tree.Node] = []
    waiting: list[tree.Node] = list(chain.members)
    while waiting:
        member = waiting.pop(0)
        found.append(member)
        if isinstance(member, tree.Section):
            waiting += member.members
        elif isinstance(member, tree.Step) and isinstance(member.action, tree.EachBlock):
            waiting += member.action.members
    return found


def declared(names: FileNames, node: tree.Node, name: str) -> tree.Name | None:
    """Where a loop variable, a name of the chain or a `let` of the file is declared that can be seen from `node`."""
    for around in above(names.module.file, node):
        match around:
            case (
                tree.ListComprehension(variable=variable)
                | tree.MapComprehension(variable=variable)
                | tree.EachCall(variable=variable)
                | tree.EachBlock(variable=variable)
            ) if variable.text == name:
                return variable
            case tree.Step(action=tree.EachCall(variable=variable) | tree.EachBlock(variable=variable)) if (
                variable.text == name
            ):
                return variable
            case tree.Chain():
                found = named(members_of(around), name)
            case tree.Adapter(inputs=inputs, lets=lets):
                found = named((*inputs, *lets), name)
            case tree.Test(members=members):
                found = named(members, name)
            case _:
                found = None
        if found is not None:
            return found.name
    let = names.lets.get(name)
    return let.name if let is not None else None


def named(nodes: Iterable[tree.Node], name: str) -> tree.Input | tree.Let | tree.Step | None:
    """The one of the nodes that declares a value of this name."""
    return next((n for n in nodes if isinstance(n, tree.Input | tree.Let | tree.Step) and n.name.text == name), None)


@dataclass(frozen=True, slots=True)
class Written:
    """Looks for written types. `types` has what they mean."""

    files: Mapping[str, FileNames]
    types: Mapping[int, Type]

    def type(
        self, names: FileNames, node: tree.Type, path: Parts, bad: Bad | None, name: str = "", *, follow: bool = True
    ) -> Spot:
        """The part of a written type that the path leads to, in that member of a union whose part is bad.

        `follow`: a field whose type is a name leads to what is declared under that name.
        """
        for _ in range(_MOST):
            match node:
                case tree.OptionalType(inner=inner) if path:
                    node = inner
                case tree.OptionalType(inner=tree.NamedType() as inner) if bad is not None and self._is_bad(
                    inner, path, bad
                ):
                    found = self._named(names, inner.path)
                    if found is None:
                        break
                    names, node, name = found
                case tree.UnionType(members=members) if path:
                    member = next((m for m in members if self._leads(m, path, bad)), None)
                    if member is None:
                        break
                    node = member
                case tree.NamedType(path=written):
                    found = self._named(names, written)
                    if found is None:
                        break
                    names, node, name = found
                case tree.GenericType(name=generic, arguments=(tree.NamedType(path=written),)) if (
                    generic.text == "handle"
                ):
                    kind = names.declared.get(written[-1].text)
                    if not isinstance(kind, tree.KindDecl):
                        break
                    node, name = kind.type, kind.name.text
                case tree.GenericType(arguments=(argument,)) if path[:1] in ((ITEM,), (VALUE,)):
                    node, path, name = argument, path[1:], ""
                case tree.RecordType(fields=fields) if path:
                    f = next((f for f in fields if f.name.text == path[0]), None)
                    if f is None:
                        return Spot(names, node, name, lacks=path[0])
                    node, path, name = f.type, path[1:], f.name.text
                    if not path:
                        return self._field(names, f, bad) if follow else Spot(names, f, name)
                case _:
                    break
        return Spot(names, node, name, missing(path))

    def _field(self, names: FileNames, f: tree.FieldType, bad: Bad | None) -> Spot:
        """A field whose type is a name: that is followed where another line has more to say."""
        inner = self.type(names, f.type, (), bad, f.name.text)
        return inner if inner.node is not f.type else Spot(names, f, f.name.text)

    def _named(self, names: FileNames, written: tuple[tree.Name, ...]) -> tuple[FileNames, tree.Type, str] | None:
        where: FileNames | None = names
        if len(written) == 2:
            where = self.files.get(names.module.chain_imports.get(written[0].text, ""))
        found = where.declared.get(written[-1].text) if where is not None else None
        if where is None or not isinstance(found, tree.TypeDecl):
            return None
        return where, found.type, found.name.text

    def _leads(self, node: tree.Type, path: Parts, bad: Bad | None) -> bool:
        return bad is None or self._is_bad(node, path, bad)

    def _is_bad(self, node: tree.Type, path: Parts, bad: Bad) -> bool:
        known = self.types.get(id(node))
        return known is not None and bad(part(known, path))

    def parameter(self, names: FileNames, call: tree.Call, name: str, path: Parts) -> Spot | None:
        """Where the author wrote what a call takes: an input of a chain, or `takes` of a claim."""
        chain = self.chain(names, call)
        if chain is not None:
            return self.chain_input(*chain, name, path)
        claim = self.claim(names, call)
        if claim is None or claim.takes is None:
            return None
        return self.type(names, claim.takes, (name, *path), None)

    def chain_input(self, names: FileNames, chain: tree.Chain, name: str, path: Parts) -> Spot | None:
        """The type of an input of a chain."""
        found = next((m for m in chain.members if isinstance(m, tree.Input) and m.name.text == name), None)
        return self.type(names, found.type, path, None, name) if found is not None else None

    def chain(self, names: FileNames, call: tree.Call) -> tuple[FileNames, tree.Chain] | None:
        """The chain that a call means."""
        where: FileNames | None = names
        if len(call.path) == 2:
            where = self.files.get(names.module.chain_imports.get(call.path[0].text, ""))
        found = where.chains.get(call.path[-1].text) if where is not None and len(call.path) < 3 else None
        return (where, found) if where is not None and found is not None else None

    def claim(self, names: FileNames, call: tree.Call) -> tree.ToolDecl | None:
        """What the import of this file says of the tool that a call means."""
        found = names.imports.get(call.path[0].text) if len(call.path) == 2 else None
        name = call.path[-1].text
        fitting = [t for t in found.tools if _alias(t.name.text) == _alias(name)] if found is not None else []
        return next((t for t in fitting if t.name.text == name), next(iter(fitting), None))


def _alias(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)
