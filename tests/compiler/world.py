"""A small world to check programs in: the sample sources of `tests/golden/sources` and files given as text."""

import json
import posixpath
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from compiler.check import check
from compiler.loader.sources import STANDARD, standard_chains, standard_modules, standard_text
from compiler.program import Program
from compiler.project import (
    Annotations,
    CommandProgram,
    LockedSource,
    LockedTool,
    Module,
    Project,
    Settings,
    StandardModule,
    StdioServer,
)
from dsl import tree
from dsl.diagnostics import Diagnostic, Sink
from dsl.parser import parse
from dsl.source import Source

SOURCES = Path(__file__).parents[1] / "golden" / "sources"


@cache
def sources(*more: Path) -> dict[str, LockedSource]:
    """The sample sources by name, with those of further folders."""
    return {path.stem: _source(path) for folder in (SOURCES, *more) for path in sorted(folder.glob("*.json"))}


def _source(path: Path) -> LockedSource:
    offered = json.loads(path.read_text(encoding="utf-8"))
    tools = [_tool(tool) for tool in offered["tools"]]
    return LockedSource(
        name=path.stem,
        kind="mcp",
        transport=StdioServer("sample-" + path.stem),
        server=offered["server"],
        tools={tool.name: tool for tool in tools},
    )


def _tool(tool: dict) -> LockedTool:
    hints = tool.get("annotations")
    return LockedTool(
        name=tool["name"],
        alias="".join(c if c.isalnum() or c == "_" else "_" for c in tool["name"]),
        description=tool["description"],
        input_schema=tool["inputSchema"],
        output_schema=tool.get("outputSchema"),
        annotations=None
        if hints is None
        else Annotations(
            read_only=hints.get("readOnlyHint", False),
            idempotent=hints.get("idempotentHint", False),
            destructive=hints.get("destructiveHint", True) and not hints.get("readOnlyHint", False),
            open_world=hints.get("openWorldHint", True),
        ),
        digest="",
    )


def project(files: Mapping[str, str], sink: Sink, *more: Path) -> Project:
    """A project of these files; those without a syntax mistake or with one. Chain imports are relative paths."""
    modules: dict[str, Module] = {}
    found = dict(sources(*more))
    opened: set[str] = set()

    def add(path: str, text: str) -> None:
        if path in opened:
            return
        opened.add(path)
        file = parse(Source(path, text), sink)
        chains: dict[str, str] = {}
        tools: dict[str, str] = {}
        broken: set[str] = set()
        for item in file.items:
            if not isinstance(item, tree.Import):
                continue
            where = item.where.plain or ""
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), where))
            if item.kind.text == "chain" and target in files:
                add(target, files[target])
                chains.setdefault(item.name.text, target)
            elif item.kind.text == "mcp" and where in sources(*more):
                tools.setdefault(item.name.text, where)
            elif item.kind.text == "command":
                name = f"command:{where}"
                found[name] = LockedSource(name, "command", CommandProgram(where), where, {})
                tools.setdefault(item.name.text, name)
            elif item.kind.text == "std" and where in standard_modules() and standard_chains(where):
                add(f"{STANDARD}{where}", standard_text(f"{STANDARD}{where}"))
                chains.setdefault(item.name.text, f"{STANDARD}{where}")
            elif item.kind.text == "std" and where in standard_modules():
                name = f"{STANDARD}{where}"
                found[name] = LockedSource(name, "std", StandardModule(where, name), "", {})
                tools.setdefault(item.name.text, name)
                add(name, standard_text(name))
            else:
                broken.add(item.name.text)
        modules[path] = Module(path, file, chains, tools, frozenset(broken))

    for path, text in files.items():
        add(path, text)
    return Project(".", Settings("sample", "1.0.0"), modules, tuple(files), found)


def checked(files: Mapping[str, str] | str, *more: Path) -> tuple[Program, list[Diagnostic]]:
    """The program of these files (a text alone is `main.chain`), and everything that was said about them."""
    sink = Sink()
    given = {"main.chain": files} if isinstance(files, str) else files
    program = check(project(given, sink, *more), sink)
    return program, list(sink)


def codes(files: Mapping[str, str] | str) -> list[str]:
    """The codes of all diagnostics, in the order of places."""
    return [each.code for each in checked(files)[1]]


IMPORTS = 'import github from mcp "github"\nimport slack from mcp "slack"\nimport shop from mcp "shop"\n'


def body(members: str, before: str = "") -> str:
    """A whole file around the members of one chain; an output is added where there is none."""
    end = "" if "output " in members else "\n  output = 1"
    return f"{IMPORTS}{before}\nchain c {{\n  {members}{end}\n}}\n"
