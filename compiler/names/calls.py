"""What the path of a call means: a tool of an import, or a chain of this file or an imported one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from compiler.names.commands import check_clauses, command_signature
from compiler.names.declarations import declared_source
from compiler.names.file import FileNames
from compiler.names.tools import Reader, claims, find_tool, tool_signature, unknown_tool
from compiler.program import ToolSignature
from compiler.project import LockedSource, Project, StandardModule
from compiler.types.report import did_you_mean, listing, mended, near
from dsl import tree


@dataclass(frozen=True, slots=True)
class ChainTarget:
    """A chain by the file that declares it and its name there."""

    file: str
    name: str


class Imports:
    """The tools and chains that one file can call."""

    def __init__(
        self,
        project: Project,
        names: FileNames,
        files: Mapping[str, FileNames],
        reader: Reader,
        is_function: Callable[[str], bool],
    ) -> None:
        self._project = project
        self._names = names
        self._files = files
        self._reader = reader
        self._is_function = is_function
        self._claims: dict[str, Mapping[str, tree.ToolDecl]] = {}
        self._signatures: dict[tuple[str, str], ToolSignature | None] = {}
        self._declared: dict[str, LockedSource] = {}

    @property
    def commands(self) -> list[ToolSignature]:
        """The tools of commands that the file declares."""
        return [each for each in self._signatures.values() if each is not None and each.command is not None]

    def check_claims(self) -> None:
        """Read every import block, also of tools that nobody calls."""
        for alias, node in self._names.imports.items():
            check_clauses(self._reader, node)
            source = self._source(alias)
            if source is None:
                continue
            self._claims[alias] = claims(self._reader, node, source)
            for name, claim in self._claims[alias].items():
                self._signature(alias, name, claim.name)

    def resolve(self, path: tuple[tree.Name, ...]) -> ToolSignature | ChainTarget | None:
        """What a path leads to; None where it leads nowhere (reported, unless its import is known to be broken)."""
        if len(path) == 1:
            return self._own(path[0])
        alias, names = path[0], self._names
        module = names.module
        if alias.text in module.broken:
            return None
        if alias.text in module.chain_imports:
            return self._imported(path, module.chain_imports[alias.text])
        source = self._source(alias.text)
        if source is None:
            self._unknown_import(alias)
            return None
        tool = find_tool(source, path[1].text) if len(path) == 2 else None
        if tool is None:
            dotted = find_tool(source, ".".join(part.text for part in path[1:])) if len(path) > 2 else None
            if dotted is not None:
                short = [f"`{alias.text}.{dotted.alias}`"] if dotted.alias.isidentifier() else []
                names.report(
                    "E0203",
                    path[1],
                    f"The name of the tool `{dotted.name}` has a dot in it.",
                    helps=" or ".join([f'Write `{alias.text}."{dotted.name}"`', *short]) + ".",
                )
            else:
                unknown_tool(names.report, path[1], alias.text, source)
            return None
        return self._signature(alias.text, tool.name, path[1])

    def _source(self, alias: str) -> LockedSource | None:
        """The source of an import, with its tools: the locked ones, or those that are declared in the language."""
        source = self._project.sources.get(self._names.module.source_imports.get(alias, ""))
        if source is None or source.kind not in ("command", "std"):
            return source
        if alias not in self._declared:
            reader, node = self._reader, self._names.imports[alias]
            if isinstance(source.transport, StandardModule):
                file = self._files[source.transport.declared]
                reader = Reader(file.module, file.report, reader.declared)
                node = file.imports[source.transport.name]
            self._declared[alias] = declared_source(reader, node, source)
        return self._declared[alias]

    def _signature(self, alias: str, name: str, at: tree.Node) -> ToolSignature | None:
        if (alias, name) not in self._signatures:
            source = self._source(alias)
            tool = find_tool(source, name) if source is not None else None
            assert source is not None, "the caller found this tool"
            assert tool is not None, "the caller found this tool"
            claim = self._claims.get(alias, {}).get(name)
            made = tool_signature(self._reader, source, tool, claim, at)
            if made is not None and claim is not None and source.kind == "command":
                made = command_signature(self._reader, made, claim)
            self._signatures[alias, name] = made
        return self._signatures[alias, name]

    def _own(self, name: tree.Name) -> ChainTarget | None:
        names, report = self._names, self._names.report
        if name.text in names.chains:
            return ChainTarget(names.module.path, name.text)
        if name.text in names.imports:
            if name.text in names.module.broken:
                return None
            self._bare_import(name)
        elif self._is_function(name.text):
            hint = f"Functions are used in expressions: `let x = {name.text}(…)`."
            report("E0300", name, f"`{name.text}` is a function, not a tool or a chain.", helps=hint)
        elif name.text in names.declared:
            word = names.word(name.text)
            report("E0300", name, f"`{name.text}` is {word}, which cannot be called.")
        else:
            hint = did_you_mean(name.text, [*names.chains, *names.imports])
            hint = hint or "Tools are called through their import: `step x = github.get_issue(…)`."
            meant = names.chains.get(near(name.text, [*names.chains, *names.imports]) or "")
            also = (report.place(meant.name, "declared here"),) if meant is not None else ()
            report("E0300", name, f"There is no chain `{name.text}` in this file.", helps=hint, also=also)
        return None

    def _bare_import(self, name: tree.Name) -> None:
        source = self._source(name.text)
        tools = [t.alias for t in source.tools.values()] if source else []
        hint = listing("It has", tools)
        self._names.report("E0300", name, f"`{name.text}` is an import: name one of its tools.", helps=hint)

    def _unknown_import(self, alias: tree.Name) -> None:
        names = self._names
        if alias.text in names.chains:
            hint = f"A chain is called by its name alone: `{alias.text}(…)`."
            names.report("E0300", alias, f"`{alias.text}` is a chain of this file.", helps=hint)
            return
        hint = did_you_mean(alias.text, names.imports)
        hint = hint or f'Import it at the top of the file: `import {alias.text} from mcp "{alias.text}"`.'
        names.report("E0202", alias, f"`{alias.text}` is not imported.", helps=hint)

    def _imported(self, path: tuple[tree.Name, ...], file: str) -> ChainTarget | None:
        target = self._files.get(file)
        if target is None:
            return None
        if len(path) == 2 and path[1].text in target.chains:
            return ChainTarget(file, path[1].text)
        if not target.module.file.complete:
            return None  # it may stand in what could not be read
        hint = mended(path[1].text, target.chains, "It has")
        meant = target.chains.get(near(path[1].text, target.chains) or "")
        also = (target.report.place(meant.name, "declared here"),) if meant is not None else ()
        self._names.report("E0203", path[1], f"`{path[0].text}` has no chain `{path[1].text}`.", helps=hint, also=also)
        return None
