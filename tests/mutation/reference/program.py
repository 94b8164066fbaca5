"""What a program consists of: its files, what they import, and the tools of the sources."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsl import tree
from tests.mutation.reference.faults import ShapeFault


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as its server describes it."""

    name: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    read_only: bool


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a file may call it: what the server offers, and what the import claims about it."""

    offered: Offered
    module: Module
    claim: tree.ToolDecl | None

    @property
    def read_only(self) -> bool:
        clauses = self.claim.clauses if self.claim else ()
        effects = [each for each in clauses if isinstance(each, tree.NamesClause) and each.keyword == "effects"]
        if effects:
            return any(name.text == "read_only" for each in effects for name in each.names)
        return self.offered.read_only

    @property
    def parse(self) -> tree.Parse | None:
        return next((each for each in (self.claim.clauses if self.claim else ()) if isinstance(each, tree.Parse)), None)


Sources = Mapping[str, Mapping[str, Offered]]


def read_sources(folders: Iterable[Path]) -> dict[str, dict[str, Offered]]:
    """The sources of some folders, by the name of their file."""
    found: dict[str, dict[str, Offered]] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("*.json"))):
        tools = json.loads(path.read_text(encoding="utf-8"))["tools"]
        found[path.stem] = {tool["name"]: _offered(tool) for tool in tools}
    return found


def _offered(tool: dict[str, Any]) -> Offered:
    read_only = tool.get("annotations", {}).get("readOnlyHint", False)
    return Offered(tool["name"], tool["inputSchema"], tool.get("outputSchema"), read_only)


@dataclass(slots=True, eq=False)
class Module:
    """One file. Of names that are declared twice the first one counts (that they are is a fault of its own)."""

    path: str
    file: tree.File
    program: Program
    types: dict[str, tree.TypeDecl] = field(default_factory=dict)
    kinds: dict[str, tree.KindDecl] = field(default_factory=dict)
    lets: dict[str, tree.Let] = field(default_factory=dict)
    chains: dict[str, tree.Chain] = field(default_factory=dict)
    imports: dict[str, tree.Import] = field(default_factory=dict)
    defaults: list[tree.Defaults] = field(default_factory=list)

    def __post_init__(self) -> None:
        for item in self.file.items:
            match item:
                case tree.TypeDecl(name=name):
                    self.types.setdefault(name.text, item)
                case tree.KindDecl(name=name):
                    self.kinds.setdefault(name.text, item)
                case tree.Let(name=name):
                    self.lets.setdefault(name.text, item)
                case tree.Chain(name=name):
                    self.chains.setdefault(name.text, item)
                case tree.Import(name=name):
                    self.imports.setdefault(name.text, item)
                case tree.Defaults():
                    self.defaults.append(item)
                case _:
                    pass

    def other(self, name: str) -> Module | None:
        """The file behind an import of chains."""
        found = self.imports.get(name)
        if found is None or found.kind.text != "chain":
            return None
        where = posixpath.join(posixpath.dirname(self.path), found.where.plain or "")
        return self.program.modules.get(posixpath.normpath(where))

    def target(self, call: tree.Call) -> Tool | tuple[Module, tree.Chain]:
        """The tool or chain that a call means. Raises ShapeFault where there is none."""
        names = [name.text for name in call.path]
        if len(names) == 1 and names[0] in self.chains:
            return self, self.chains[names[0]]
        if len(names) == 2 and (other := self.other(names[0])) is not None:
            if names[1] in other.chains and not other.chains[names[1]].private:
                return other, other.chains[names[1]]
            if names[1] in other.chains:  # whether private chains can be called from other files is not about shapes
                return other, other.chains[names[1]]
        if len(names) == 2 and (found := self.imports.get(names[0])) is not None and found.kind.text == "mcp":
            tool = self._tool(found, names[1])
            if tool is not None:
                return tool
        raise ShapeFault(call, f"there is no {'.'.join(names)} to call")

    def _tool(self, found: tree.Import, name: str) -> Tool | None:
        offered = self.program.sources.get(found.where.plain or "", {})
        for each in offered.values():
            if name in (each.name, re.sub(r"\W", "_", each.name)):
                claim = next((claim for claim in found.tools if claim.name.text in (name, each.name)), None)
                return Tool(each, self, claim)
        return None


class Program:
    """The files of a program by path; `main` is the one that is mutated."""

    def __init__(self, files: Mapping[str, tree.File], sources: Sources, main: str) -> None:
        self.sources = sources
        self.modules = {path: Module(path, file, self) for path, file in files.items()}
        self.main = self.modules[main]
