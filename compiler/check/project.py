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
from compiler.check.lets import FileLets
from compiler.check.misfit import Slot
from compiler.check.out_of_reach import tell_out_of_reach
from compiler.check.roots import Calls, tell_no_roots
from compiler.check.scenarios import check_test
from compiler.check.scope import Scope, Surroundings
from compiler.check.settings import COST, settings
from compiler.check.tool_names import check_tool_name
from compiler.graph.references import all_calls
from compiler.loader.sources import STANDARD
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
from stdlib.values.types import Type


@dataclass(slots=True)
class _OpenChain:
    """A chain whose calls are being looked at: `waiting` are those to come, the next one last, with what they mean;
    `targets` the others by id of the call."""

    target: ChainTarget
    waiting: list[tuple[tree.Call, ToolSignature | ChainTarget | None]]
    targets: dict[int, Signature | None] = field(default_factory=dict)


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
    _open_chains: dict[ChainTarget, _OpenChain] = field(default_factory=dict)
    _calls: dict[ChainTarget, Calls] = field(default_factory=dict)
    _ids: dict[ChainTarget, str] = field(default_factory=dict)

    def run(self) -> None:
        """Check everything."""
        declared = DeclaredTypes(self.project, self.sink, self.types)
        lets = FileLets(self.files)
        for path, module in self.project.modules.items():
            report = report_for(module.file, self.sink)
            self.names[path] = file_names(module, report)
            self._costs(report, module.file)
            reader = Reader(module, report, declared)
            self.files[path] = Surroundings(
                module, self.names[path], self.names, report, declared, self.types, infer, lets.type_of
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
                lets.type_of(path, let)
            for signature in self.imports[path].commands:
                check_command(self.files[path], signature, self.project.sources[signature.source].server)
        self._ids = self._chain_ids()
        for path, names in self.names.items():
            # Of the standard library those that are called: what others of a file need must not come with them.
            for name in names.chains if not path.startswith(STANDARD) else ():
                self.chain(ChainTarget(path, name))
        if not self.project.settings.roots:
            tell_no_roots(self._calls, lambda path: self.files[path].report)
        tell_out_of_reach(self.project, self._calls, lambda path: self.files[path].report)
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

    def chain(self, target: ChainTarget) -> None:
        """Check a chain and, before it, those that it calls, however many call each other in a row."""
        if target not in self.checked:
            self._begin(target)
        while self._open_chains:
            way = self._open_chains[next(reversed(self._open_chains))]
            if not way.waiting:
                self._open_chains.popitem()
                node = self.names[way.target.file].chains[way.target.name]
                made = check_chain(self.files[way.target.file], node, self._ids[way.target], way.targets, self.kinds)
                self.checked[way.target] = made
                continue
            call, meant = way.waiting[-1]
            if isinstance(meant, ChainTarget) and meant not in self.checked and meant not in self._open_chains:
                self._begin(meant)
                continue
            way.waiting.pop()
            signature = self._called(way.target.file, call, meant) if isinstance(meant, ChainTarget) else meant
            way.targets[id(call)] = signature

    def _begin(self, target: ChainTarget) -> None:
        calls = all_calls(self.names[target.file].chains[target.name].members)
        meant = [(call, self.imports[target.file].resolve(call.path)) for call in calls]
        self._calls[target] = tuple(meant)
        self._open_chains[target] = _OpenChain(target, meant[::-1])

    def _called(self, file: str, call: tree.Call, target: ChainTarget) -> ChainSignature | None:
        if target in self._open_chains:
            chains = list(self._open_chains)
            way = " → ".join([*(each.name for each in chains[chains.index(target) :]), target.name])
            self.files[file].report(
                "E0309",
                path_place(call.path),
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
