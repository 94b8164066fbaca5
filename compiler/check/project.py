"""A whole project: files first, then chains, those that are called before their callers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from compiler.check.arguments import Signature, path_place, written_path
from compiler.check.chain import check_chain
from compiler.check.commands import check_command
from compiler.check.expression import infer
from compiler.check.fit import expect
from compiler.check.functions import is_function
from compiler.check.misfit import Slot
from compiler.check.scenarios import check_test
from compiler.check.scope import Scope, Surroundings
from compiler.check.settings import COST, settings
from compiler.check.steps import let_type
from compiler.check.tool_names import check_tool_name
from compiler.graph.references import all_calls
from compiler.names.calls import ChainTarget, Imports
from compiler.names.file import FileNames, file_names
from compiler.names.tools import Reader
from compiler.program import ChainSignature, CheckedChain, CheckedTest, ToolSignature
from compiler.project import Project
from compiler.types.constants import shown_default
from compiler.types.declared import DeclaredTypes
from compiler.types.inside import opened, opened_fields
from compiler.types.report import Report, report_for
from dsl import tree
from dsl.diagnostics import Sink
from stdlib.values.types import ERROR, Type


@dataclass(slots=True)
class Checking:
    """A project while it is checked. `checked` grows with every chain, callees first."""

    project: Project
    sink: Sink
    types: dict[int, Type] = field(default_factory=dict)
    names: dict[str, FileNames] = field(default_factory=dict)
    files: dict[str, Surroundings] = field(default_factory=dict)
    imports: dict[str, Imports] = field(default_factory=dict)
    kinds: dict[str, Type] = field(default_factory=dict)
    checked: dict[ChainTarget, CheckedChain] = field(default_factory=dict)
    tests: list[CheckedTest] = field(default_factory=list)
    _lets: dict[int, Type] = field(default_factory=dict)
    _open_lets: list[tuple[str, str]] = field(default_factory=list)
    _open_chains: list[ChainTarget] = field(default_factory=list)
    _ids: dict[ChainTarget, str] = field(default_factory=dict)

    def run(self) -> None:
        """Check everything."""
        declared = DeclaredTypes(self.project, self.sink, self.types)
        for path, module in self.project.modules.items():
            report = report_for(module.file, self.sink)
            self.names[path] = file_names(module, report)
            self._costs(report, module.file)
            reader = Reader(module, report, declared)
            self.files[path] = Surroundings(
                module, self.names[path], self.names, report, declared, self.types, infer, self.file_let
            )
            self.imports[path] = Imports(self.project, self.names[path], self.names, reader, is_function)
        for names in self.names.values():
            for item in names.declared.values():
                if isinstance(item, tree.TypeDecl):
                    declared.read(names.module, item.type)
        self.kinds = declared.kinds()
        for path, names in self.names.items():
            self.imports[path].check_claims()
            for let in names.lets.values():
                self.file_let(path, let)
            for signature in self.imports[path].commands:
                check_command(self.files[path], signature, self.project.sources[signature.source].server)
        self._ids = self._chain_ids()
        for path, names in self.names.items():
            for name in names.chains:
                self.chain(ChainTarget(path, name))
        for path, f, wanted in declared.field_defaults:
            self._field_default(path, f, wanted)
        for path, module in self.project.modules.items():
            named: dict[str, tree.Text] = {}
            for test in (item for item in module.file.items if isinstance(item, tree.Test)):
                self._test(path, test)
                first = named.setdefault(test.name.plain or "", test.name)
                if first is not test.name:
                    report = self.files[path].report
                    message = f"Two tests are called {report.text(test.name)}."
                    also = (report.place(first, "the first one"),)
                    report("E0301", test.name, message, helps="Say in its name what this one tests.", also=also)

    def _test(self, path: str, node: tree.Test) -> None:
        def meant(named: tuple[tree.Name, ...]) -> Signature | None:
            target = self.imports[path].resolve(named)
            return self._signature(target) if isinstance(target, ChainTarget) else target

        made = check_test(self.files[path], node, meant, by_id(self.checked))
        if made is not None:
            self.tests.append(made)

    def _costs(self, report: Report, file: tree.File) -> None:
        for item in file.items:
            for tool in item.tools if isinstance(item, tree.Import) else ():
                for clause in tool.clauses:
                    if isinstance(clause, tree.Cost):
                        settings(report, "cost", clause.settings, COST)

    def _field_default(self, path: str, f: tree.FieldType, wanted: Type) -> None:
        said = f"The default of `{f.name.text}` does not fit"
        if f.default is not None:
            expect(Scope(self.files[path]), f.default, wanted, Slot("E0406", said, said, joint=": "))
            if shown_default(f.default) is None:
                message = f"The default of the field `{f.name.text}` is not written out."
                hint = "Callers see it: write a text, number, truth value, list or record, without names in it."
                self.files[path].report("E0406", f.default, message, helps=hint)

    def file_let(self, path: str, let: tree.Let) -> Type:
        """The type of a `let` at the top of a file; it may use other ones, but not itself."""
        known = self._lets.get(id(let))
        if known is not None:
            return known
        key = (path, let.name.text)
        if key in self._open_lets:
            way = " → ".join([*(name for _, name in self._open_lets[self._open_lets.index(key) :]), let.name.text])
            message = f"`{let.name.text}` depends on itself: {way}."
            self.files[path].report("E0305", let.name, message, helps="A `let` can only use what stands without it.")
            self._lets[id(let)] = ERROR
            return ERROR
        self._open_lets.append(key)
        found = let_type(Scope(self.files[path]), let)
        self._open_lets.pop()
        return self._lets.setdefault(id(let), found)

    def chain(self, target: ChainTarget) -> CheckedChain | None:
        """Check a chain and, before it, those that it calls; None for one that is being checked (it is recursive)."""
        if target in self.checked:
            return self.checked[target]
        if target in self._open_chains:
            return None
        self._open_chains.append(target)
        node = self.names[target.file].chains[target.name]
        targets = {id(call): self._call(target.file, call) for call in all_calls(node.members)}
        self._open_chains.pop()
        made = check_chain(self.files[target.file], node, self._ids[target], targets, self.kinds)
        self.checked[target] = made
        return made

    def _call(self, file: str, call: tree.Call) -> Signature | None:
        target = self.imports[file].resolve(call.path)
        if target is None or isinstance(target, ToolSignature):
            return target
        checked = self.chain(target)
        if checked is None:
            loop = self._open_chains[self._open_chains.index(target) :]
            way = " → ".join([*(t.name for t in loop), target.name])
            place = path_place(call.path)
            self.files[file].report(
                "E0309",
                place,
                f"`{target.name}` calls itself: {way}.",
                helps="Chains cannot be recursive. Use `for each`, or a tool that does the repeating.",
            )
            return None
        self._deprecated(file, call, target)
        return self._signature(target)

    def _signature(self, target: ChainTarget) -> ChainSignature | None:
        """What callers see of a checked chain; nothing where a mistake in its text may have hidden parts of it."""
        names, checked = self.names[target.file], self.checked.get(target)
        if checked is None or _hides_parts(names, names.chains[target.name]):
            return None
        seen = checked.signature
        parameters = opened_fields(seen.parameters, self.kinds)
        return replace(seen, parameters=parameters, result=opened(seen.result, self.kinds))

    def _deprecated(self, file: str, call: tree.Call, target: ChainTarget) -> None:
        """W0706 where a chain calls one that should not be called any more."""
        chain = self.names[target.file].chains[target.name]
        node = next((m for m in chain.members if isinstance(m, tree.Deprecated)), None)
        if node is None:
            return
        told = {s.name.text: s.value.plain for s in node.settings if isinstance(s.value, tree.Text)}
        since = f" since {told['since']}" if told.get("since") else ""
        hint = f"Use `{told['use']}`." if told.get("use") else node.message.plain or ""
        message = f"`{written_path(call.path)}` is deprecated{since}."
        self.files[file].report("W0706", path_place(call.path), message, helps=hint)

    def _chain_ids(self) -> dict[ChainTarget, str]:
        """Public chains have their own names, which must differ; private ones are told apart by their file."""
        ids: dict[ChainTarget, str] = {}
        taken: dict[str, ChainTarget] = {}
        for private in (False, True):
            for path, names in self.names.items():
                for name, node in names.chains.items():
                    if node.private is not private:
                        continue
                    target = ChainTarget(path, name)
                    if not private:
                        check_tool_name(self.files[path].report, node.name, self.project)
                    if name in taken and not private and path in self.project.entries:
                        self._twice(target, taken[name])
                    ids[target] = f"{path.removesuffix('.chain')}.{name}" if name in taken else name
                    taken.setdefault(name, target)
        return ids

    def _twice(self, target: ChainTarget, first: ChainTarget) -> None:
        other = self.names[first.file]
        names = self.names[target.file]
        names.report(
            "E0301",
            names.chains[target.name].name,
            f"The project has two chains called `{target.name}`.",
            helps="Chains become tools under their names: rename one, or make it `private`.",
            also=(other.report.place(other.chains[first.name].name, "the other one"),),
        )


def _hides_parts(names: FileNames, chain: tree.Chain) -> bool:
    told = names.report.told
    return not names.module.file.complete and any(chain.start <= start < chain.end for start, _ in told)


def by_id(checked: Mapping[ChainTarget, CheckedChain]) -> dict[str, CheckedChain]:
    return {chain.id: chain for chain in checked.values()}
