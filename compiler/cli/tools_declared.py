"""What `chainc tools` lists of sources that have no lock, because the language itself declares their tools: the
standard library, and the commands of a project's chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compiler.cli.shown_tools import block, declared
from compiler.cli.written_types import written
from compiler.names.declarations import declared_source
from compiler.names.effects import claimed_annotations, written_effects
from compiler.names.tools import Reader
from compiler.types.declared import DeclaredTypes
from compiler.types.report import report_for
from dsl import tree
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from compiler.project import LockedSource, LockedTool, Module, Project

Fits = Callable[[str], bool]
"""Whether what a tool is called (`import.tool`) and said to do has the words that are looked for."""


@dataclass(frozen=True, slots=True)
class Commands:
    """The tools of one import of a program, in the file `path`. `program` as the import names it."""

    path: str
    program: str
    text: str


def standard(module: str, fits: Fits) -> str:
    """A module of the standard library with what fits of it; empty where nothing does."""
    from compiler.loader.load import standard_project

    project = standard_project(module)
    (entry,) = project.entries
    here = project.modules[entry]
    own = [item for item in here.file.items if isinstance(item, tree.Import) and item.tools]
    if own:
        return _imported(_reader(project, here), own[0], project.sources[entry], fits)
    return _chains(_reader(project, here), module, fits)


def commands(project: Project, fits: Fits) -> Iterator[Commands]:
    """What the chains of a project declare of programs, file by file."""
    from compiler.loader.sources import STANDARD

    for path in sorted(each for each in project.modules if not each.startswith(STANDARD)):
        here = project.modules[path]
        for node in (item for item in here.file.items if isinstance(item, tree.Import)):
            source = project.sources.get(here.source_imports.get(node.name.text, ""))
            if source is not None and source.kind == "command" == node.kind.text:
                yield Commands(path, node.where.plain or "", _imported(_reader(project, here), node, source, fits))


def _reader(project: Project, module: Module) -> Reader:
    """Mistakes are not told: `chainc check` does."""
    sink = Sink()
    return Reader(module, report_for(module.file, sink), DeclaredTypes(project, sink, {}))


def _imported(reader: Reader, node: tree.Import, source: LockedSource, fits: Fits) -> str:
    tools = declared_source(reader, node, source).tools
    lines: list[str] = []
    for decl in node.tools:
        tool = _with_effects(reader, tools[decl.name.text], decl)
        if fits(f"{node.name.text}.{tool.name} {tool.description}"):
            returns = None if decl.returns is None else reader.declared.border(reader.module, decl.returns)
            lines += declared(tool, None if returns is None else written(returns), own=True)
    return block(f'import {node.name.text} from {source.kind} "{node.where.plain}"', lines)


def _with_effects(reader: Reader, tool: LockedTool, decl: tree.ToolDecl) -> LockedTool:
    said = next((each for each in decl.clauses if isinstance(each, tree.NamesClause)), None)
    return (
        tool if said is None else replace(tool, annotations=claimed_annotations(written_effects(reader.report, said)))
    )


def _chains(reader: Reader, module: str, fits: Fits) -> str:
    """The chains of a module: what they are given and what comes out, without their steps."""
    file = reader.module.file
    chains = [item for item in file.items if isinstance(item, tree.Chain)]
    wanted = [each for each in chains if fits(f"{module}.{each.name.text} {each.doc or ''}")]
    if not wanted:
        return ""
    first = wanted[0].name.text
    parts = [
        f'import {module} from std "{module}"\n',
        "// Ready chains. They are private: a step of yours calls them, such as\n",
        f"// `step s = {module}.{first}(…)`; a server does not offer them.\n",
    ]
    for chain in wanted:
        lines = [f"input {_input(reader, each)}" for each in chain.members if isinstance(each, tree.Input)]
        for each in chain.members:
            if isinstance(each, tree.Output) and each.type is not None:
                lines.append(f"output {written(reader.declared.border(reader.module, each.type))} = …")
        said = f"/// {' '.join(chain.doc.split())}\n" if chain.doc else ""
        parts.append("\n" + said + block(f"private chain {chain.name.text}", lines))
    return "".join(parts)


def _input(reader: Reader, node: tree.Input) -> str:
    text = reader.module.file.source.text
    default = "" if node.default is None else f" = {text[node.default.start : node.default.end]}"
    return f"{node.name.text}: {written(reader.declared.border(reader.module, node.type))}{default}"
