"""Where a value gets what a mistake tells of it: followed back through names, fields, items and calls.

Only looked for when a mistake is told, so that types carry no places.
"""

from __future__ import annotations

from compiler.check.parts import ITEM, VALUE, Bad, Parts, part
from compiler.check.scope import Scope, ruled_out
from compiler.check.written import Spot, Written, above, members_of, missing, named
from compiler.names.file import FileNames
from dsl import tree
from stdlib.values.types import Record, Type, present

_MOST = 40


class Trace:
    """One search. `bad` tells which part of a type is to blame; `null`: what may be null is looked for.
    `through`: what a `let` names is followed, too; `field`: a field is looked for, not where its value comes from."""

    def __init__(
        self, scope: Scope, bad: Bad, *, null: bool = False, through: bool = False, field: bool = False
    ) -> None:
        self._scope = scope
        self._types = scope.file.types
        self.written = Written(scope.file.files, scope.file.types)
        self._bad = bad
        self._null = null
        self._left = _MOST
        self._through = through
        self._field = field
        self._here = False  # a `let` was reached: what stands in it is told, not where that comes from

    def value(self, names: FileNames, node: tree.Node, path: Parts) -> Spot | None:
        """Where the part of the value gets what is bad of it; None where no text of the author says."""
        self._left -= 1
        if self._left < 0:
            return None
        match node:
            case tree.Ref():
                return self._ref(names, node, path)
            case tree.Member(base=base, name=name):
                below = (name.text, *path)
                if self._here and not path:
                    return Spot(names, node)
                imported = self._imported(names, node)
                if imported is not None:
                    return self._let(*imported, path)
                base_type = self._types.get(id(base))
                if self._null and base_type is not None and not self._bad(part(present(base_type), below)):
                    return self.value(names, base, ())
                return self.value(names, base, below)
            case tree.Index(base=base):
                if self._null and not path:
                    return Spot(names, node)
                return self._first(names, base, (ITEM, *path), (VALUE, *path), path)
            case tree.Present(base=base):
                return self.value(names, base, path)
            case tree.Function(arguments=(first, *_)):
                shorter = (path[1:],) if len(path) > 1 else ()
                entry = ((VALUE, *path[2:]),) if path[:2] == (ITEM, "value") else ()
                own = part(self._types.get(id(node)), path)
                if not path and not (self._through and own is not None and isinstance(present(own), Record)):
                    return Spot(names, node)
                for inner in (path, (ITEM, *path), *shorter, *entry):
                    if own is not None and self._same(part(self._types.get(id(first.value)), inner), own):
                        return self.value(names, first.value, inner)
                return Spot(names, node)
            case tree.Binary(op="??", left=left, right=right):
                if self._is_bad(right, path):
                    return self.value(names, right, path)
                found = self._types.get(id(left))
                follow = bool(path) or (not self._null and found is not None and self._bad(present(found)))
                return self.value(names, left, path) if follow else Spot(names, node)
            case tree.Cast(type=type):
                return self._type(names, type, path)
            case tree.If(then=then, otherwise=otherwise):
                return self._any(names, (then, otherwise), path) or Spot(names, node)
            case tree.ListLiteral(items=items) if path[:1] == (ITEM,):
                for item in items:
                    inner = item.value if isinstance(item, tree.Spread) else item
                    below = path if isinstance(item, tree.Spread) else path[1:]
                    if self._is_bad(inner, below):
                        return self.value(names, inner, below)
                return Spot(names, node)
            case tree.RecordLiteral() if path:
                return self._record(names, node, path)
            case tree.ListComprehension(value=value) if path[:1] == (ITEM,):
                return self.value(names, value, path[1:])
            case tree.MapComprehension(value=value) if path[:1] == (VALUE,):
                return self.value(names, value, path[1:])
            case _:
                return Spot(names, node, lacks=missing(path))

    def _type(self, names: FileNames, node: tree.Type, path: Parts, name: str = "") -> Spot:
        return self.written.type(names, node, path, self._bad, name, follow=not self._field)

    def _is_bad(self, node: tree.Node, path: Parts) -> bool:
        known = self._types.get(id(node))
        return known is not None and self._bad(part(known, path))

    def _same(self, one: Type | None, other: Type) -> bool:
        """A function such as `first` may add a null, which matters where that is looked for."""
        return one is not None and (one == other if self._null else present(one) == present(other))

    def _first(self, names: FileNames, node: tree.Node, *paths: Parts) -> Spot | None:
        """Along the first path that leads to something bad."""
        known = self._types.get(id(node))
        for path in paths:
            found = part(known, path)
            if found is not None and self._bad(found):
                return self.value(names, node, path)
        for path in paths:
            if path and part(known, path[:-1]) is not None and self._bad(part(known, path)):
                return self.value(names, node, path)
        return None

    def _any(self, names: FileNames, nodes: tuple[tree.Node, ...], path: Parts) -> Spot | None:
        node = next((each for each in nodes if self._is_bad(each, path)), None)
        return self.value(names, node, path) if node is not None else None

    def _record(self, names: FileNames, node: tree.RecordLiteral, path: Parts) -> Spot | None:
        for f in reversed(node.fields):
            if isinstance(f, tree.Field) and (f.name.text == path[0] or path[0] == VALUE):
                if self._field and len(path) == 1:
                    return Spot(names, f.name, f.name.text)
                if path[0] != VALUE or self._is_bad(f.value, path[1:]):
                    found = self.value(names, f.value, path[1:])
                    return found if found is None or found.name else Spot(found.names, found.node, f.name.text)
            elif isinstance(f, tree.ComputedField) and self._is_bad(f.value, path[1:]):
                return self.value(names, f.value, path[1:])
            elif isinstance(f, tree.Spread) and part(self._types.get(id(f.value)), path[:1]) is not None:
                return self.value(names, f.value, path)
        return Spot(names, node, lacks=missing(path))

    # ------------------------------------------------------------------ names

    def _ref(self, names: FileNames, node: tree.Ref, path: Parts) -> Spot | None:
        if self._here and not path:
            return Spot(names, node)
        inner: tree.Node = node
        for around in above(names.module.file, node):
            match around:
                case (
                    tree.ListComprehension(variable=variable, items=items)
                    | tree.MapComprehension(variable=variable, items=items)
                    | tree.EachCall(variable=variable, items=items)
                    | tree.EachBlock(variable=variable, items=items)
                ) if variable.text == node.name and inner is not items:
                    return self.value(names, items, (ITEM, *path))
                case (
                    tree.Step(action=tree.EachCall(variable=variable, items=items))
                    | tree.Step(action=tree.EachBlock(variable=variable, items=items))
                ) if variable.text == node.name and inner is not around.action:
                    return self.value(names, items, (ITEM, *path))
                case tree.Adapter(inputs=inputs, lets=lets):
                    found = named((*inputs, *lets), node.name)
                    if found is not None:
                        return self._declared(names, found, node, path)
                case tree.Test(members=members):
                    found = named(members, node.name)
                    if found is not None:
                        return self._declared(names, found, node, path)
                case tree.Chain():
                    found = named(members_of(around), node.name)
                    if found is not None:
                        return self._declared(names, found, node, path)
            inner = around
        let = names.lets.get(node.name)
        return self._let(names, let, path) if let is not None else None

    def _declared(self, names: FileNames, found: tree.Node, node: tree.Ref, path: Parts) -> Spot | None:
        match found:
            case tree.Input():
                return self._type(names, found.type, path, found.name.text)
            case tree.Let():
                return self._let(names, found, path)
            case tree.Step():
                return self._step(names, found, node, path)
            case _:
                return None

    def _imported(self, names: FileNames, node: tree.Member) -> tuple[FileNames, tree.Let] | None:
        """`common.LET`."""
        if not isinstance(node.base, tree.Ref) or id(node.base) in self._types:
            return None
        where = self._scope.file.files.get(names.module.chain_imports.get(node.base.name, ""))
        let = where.lets.get(node.name.text) if where is not None else None
        return (where, let) if where is not None and let is not None else None

    def _let(self, names: FileNames, let: tree.Let, path: Parts) -> Spot | None:
        if let.type is not None:
            return self._type(names, let.type, path, let.name.text)
        self._here = not self._through
        found = self.value(names, let.value, path)
        if found is None or found.name or path:
            return found
        return Spot(found.names, found.node, let.name.text, found.lacks)

    def _step(self, names: FileNames, step: tree.Step, ref: tree.Ref, path: Parts) -> Spot | None:
        name = step.name.text
        file = names.module.file
        if self._null and not path:
            clause = self._absent(names, step, ref)
            if clause is not None:
                return Spot(names, clause, name)
        for clause in _reactions(file, step):
            if isinstance(clause.reaction, tree.Use):
                item = clause.event.text == "item_error"
                below = path[1:] if item else path
                if (not item or path[:1] == (ITEM,)) and self._is_bad(clause.reaction.value, below):
                    return self.value(names, clause.reaction.value, below)
        match step.action:
            case tree.CallAction(call=call):
                return self._call(names, call, path)
            case tree.EachCall(call=call) if path[:1] == (ITEM,):
                return self._call(names, call, path[1:])
            case tree.EachBlock(result=result) if path[:1] == (ITEM,):
                return self.value(names, result, path[1:])
            case tree.AskAction(form=form):
                return self._type(names, form, path)
            case _:
                return None

    def _call(self, names: FileNames, call: tree.Call, path: Parts) -> Spot | None:
        chain = self.written.chain(names, call)
        if chain is None:
            claim = self.written.claim(names, call)
            return self._type(names, claim.returns, path) if claim and claim.returns else None
        where, node = chain
        output = next((m for m in node.members if isinstance(m, tree.Output)), None)
        if output is None:
            return None
        if output.type is not None:
            return self._type(where, output.type, path)
        return self.value(where, output.value, path)

    def _absent(self, names: FileNames, step: tree.Step, ref: tree.Ref) -> tree.Node | None:
        """The clause that lets a step have no value where `ref` stands."""
        facts, name = self._scope.facts, step.name.text
        around = above(names.module.file, step)
        if ruled_out(name, "skipped") not in facts:
            section = next((n for n in around if isinstance(n, tree.Section)), None)
            same = section is not None and section in above(names.module.file, ref)
            for clause in (*step.clauses, *(section.clauses if section is not None and not same else ())):
                if isinstance(clause, tree.When):
                    return clause
        if ruled_out(name, "failed") not in facts:
            for on in _reactions(names.module.file, step):
                if isinstance(on.reaction, tree.Skip) and on.event.text != "item_error":
                    return on
        return None


def _reactions(file: tree.File, step: tree.Step) -> list[tree.On]:
    """The `on` clauses that hold for a step; `on error` may stand in its section, its chain or its file."""
    own = [c for c in step.clauses if isinstance(c, tree.On)]
    if any(c.event.text == "error" for c in own):
        return own
    for around in above(file, step):
        nodes: tuple[tree.Node, ...] = ()
        if isinstance(around, tree.Section):
            nodes = around.clauses
        elif isinstance(around, tree.Chain | tree.File):
            inside = around.members if isinstance(around, tree.Chain) else around.items
            nodes = tuple(c for each in inside if isinstance(each, tree.Defaults) for c in each.clauses)
        found = [c for c in nodes if isinstance(c, tree.On) and c.event.text == "error"]
        if found:
            return [*own, found[-1]]
    return own
