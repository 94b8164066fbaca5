"""From a path to a project: the manifest, every `.chain` file parsed once, the locks of the imported sources."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from compiler.loader.files import NO_DRAFTS, Folder, Refused
from compiler.loader.manifest import EXAMPLE, FILE, Manifest, ManifestSource, find_root, read_manifest
from compiler.loader.near import did_you_mean, nearest
from compiler.loader.sources import (
    STANDARD,
    Sources,
    project_path,
    standard_chains,
    standard_modules,
    standard_text,
)
from compiler.loader.unpinned import tell_unpinned
from compiler.project import CommandProgram, Module, Project, Settings, SourceKind, StandardModule
from dsl import tree
from dsl.diagnostics import Diagnostic, Edit, Fix, Label, Sink
from dsl.parser import parse
from dsl.source import Source, Span

KINDS = ("mcp", "openapi", "python", "command", "std", "chain")


def load(path: Path, sink: Sink, drafts: Mapping[str, str] = NO_DRAFTS) -> Project | None:
    """The project that `path` (a folder, a manifest or a `.chain` file) belongs to.

    A file is the only entry of its project. `drafts` are texts, by path from the root, that are read instead of what
    lies on the disk. None where there is no project or its manifest is wrong; other mistakes
    are told to the sink and leave a gap: an import that could not be loaded is `broken` in its module.
    """
    root = find_root(path)
    if root is None:
        what = f"There is no {FILE} in `{path}` or above it."
        sink.add(Diagnostic(code="E0210", message=what, span=None, helps=(f"Write one:\n{EXAMPLE}",)))
        return None
    folder = Folder(root, drafts)
    manifest = read_manifest(folder, sink)
    if manifest is None:
        return None
    tell_unpinned(folder, manifest, sink)
    loader = _Loader(folder, manifest, sink)
    entries = loader.entries(path)
    for entry in entries:
        loader.module(entry)
    return Project(
        root=str(root),
        settings=manifest.settings,
        modules=loader.modules,
        entries=tuple(entry for entry in entries if entry in loader.modules),
        sources=loader.sources.locked,
    )


def standard_project(name: str) -> Project:
    """A module of the standard library with what it imports, as a project of its own, which needs no manifest."""
    settings = Settings(name=name, version="")
    loader = _Loader(Folder(Path()), Manifest(settings, (), (), {}), Sink())
    loader.module(f"{STANDARD}{name}")
    return Project("", settings, loader.modules, (f"{STANDARD}{name}",), loader.sources.locked)


def imported_files(folder: Folder, manifest: Manifest) -> list[ManifestSource]:
    """The sources that chains import by their file, by path. Mistakes in the chains are not told: they may be there
    because nothing is known of these sources yet."""
    loader = _Loader(folder, manifest, Sink())
    for entry in loader.entries(folder.root):
        loader.module(entry)
    return [loader.sources.direct[path] for path in sorted(loader.sources.direct)]


def locked_by_name(folder: Folder, manifest: Manifest) -> dict[str, ManifestSource]:
    """The sources that have a lock: those of the manifest, then those that chains import by their file."""
    named = {name: entry for name, entry in manifest.sources.items() if not isinstance(entry.transport, CommandProgram)}
    return named | {entry.name: entry for entry in imported_files(folder, manifest)}


@dataclass(slots=True)
class _Open:
    """A file whose imports are being followed."""

    path: str
    file: tree.File
    pending: list[tree.Import]
    chains: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)


class _Loader:
    def __init__(self, folder: Folder, manifest: Manifest, sink: Sink) -> None:
        self.folder, self.manifest, self.sink = folder, manifest, sink
        self.modules: dict[str, Module] = {}
        self.sources = Sources(folder, manifest)
        self.missing: dict[str, Refused] = {}  # files that cannot be had

    def entries(self, path: Path) -> list[str]:
        """The files whose chains become tools, sorted."""
        inside = Path(os.path.abspath(path))
        if path.suffix == ".chain" or (inside.is_file() and path.name != FILE):
            return [inside.relative_to(self.folder.root).as_posix()]
        found: set[str] = set()
        for pattern, span in zip(self.manifest.chains, self.manifest.pattern_spans, strict=True):
            matches = self.folder.match(pattern)
            if isinstance(matches, list) and matches:
                found.update(matches)
                continue
            refused = matches if isinstance(matches, Refused) else None
            self.refuse(refused or self.none_fits(pattern), span)
        return sorted(found)

    def none_fits(self, pattern: str) -> Refused:
        there = self.folder.names(".chain")
        hint = f"Write one, with a name that fits and ends in `.chain`, or change `chains` in `{FILE}`."
        if there:
            near = f"{posixpath.dirname(there[0])}/*.chain".removeprefix("/")
            hint = f"There is `{there[0]}`, which `{near}` fits."
        return Refused("E0216", f"No file fits `{pattern}`.", hint)

    def module(self, entry: str) -> None:
        """Load a file and, before it, what it imports. Not recursive: imports may form a long line."""
        first = self.open(entry, None)
        line = [first] if first else []
        while line:
            current = line[-1]
            if not current.pending:
                line.pop()
                self.modules[current.path] = Module(
                    current.path, current.file, current.chains, current.sources, frozenset(current.broken)
                )
                continue
            node = current.pending.pop(0)
            target = self.follow(current, node)
            if target is None or target in self.modules:
                continue
            at = next((i for i, each in enumerate(line) if each.path == target), None)
            if at is not None:
                self.circle(current, node, [each.path for each in line[at:]])
                continue
            opened = self.open(target, current.file.span(node.where))
            if opened is None:
                current.chains.pop(node.name.text, None)
                current.broken.add(node.name.text)
            else:
                line.append(opened)

    def open(self, path: str, span: Span | None) -> _Open | None:
        """Read and parse one file; `span` is where it was asked for."""
        if path in self.modules or path in self.missing:
            return None
        text = standard_text(path) if path.startswith(STANDARD) else self.folder.text(path)
        if isinstance(text, Refused):
            self.missing[path] = self.with_proposal(text, path)
            self.refuse(self.missing[path], span)
            return None
        file = parse(Source(path, text), self.sink)
        return _Open(path, file, [item for item in file.items if isinstance(item, tree.Import)])

    def follow(self, current: _Open, node: tree.Import) -> str | None:
        """Enter an import into its module; the path of a file that must be loaded for it."""
        alias, kind, where = node.name.text, node.kind.text, node.where.plain
        if alias in current.chains or alias in current.sources or alias in current.broken:
            return None
        if kind == "chain" and where is not None:
            path = self.path_of(current, node, where)
            if path is not None:
                current.chains[alias] = path
                return path
        elif kind == "std" and where in standard_modules() and standard_chains(where):
            current.chains[alias] = f"{STANDARD}{where}"
            return current.chains[alias]
        elif kind in KINDS and where is not None:
            return self.source(current, node, cast(SourceKind, kind), where)
        elif kind not in KINDS:
            self.unknown_kind(current, node)
        current.broken.add(alias)
        return None

    def path_of(self, current: _Open, node: tree.Import, where: str) -> str | None:
        """The project's path of an imported file."""
        span = current.file.span(node.where)
        path = project_path(where, current.path)
        if isinstance(path, Refused):
            self.refuse(path, span)
            return None
        if path in self.missing:
            self.refuse(self.missing[path], span)
            return None
        return path

    def source(self, current: _Open, node: tree.Import, kind: SourceKind, where: str) -> str | None:
        """Enter the import of a source; the path of the file that declares its tools, where there is one."""
        alias, span = node.name.text, current.file.span(node.where)
        entry = self.sources.meant(kind, where, current.path, span)
        found = entry if isinstance(entry, Refused) else self.sources.usable(entry)
        if found is None or isinstance(found, Refused):
            current.broken.add(alias)
            if found is not None:
                at = entry.span if isinstance(entry, ManifestSource) and found.code == "E0221" else span
                self.refuse(found, span, *([Label(at, "named here")] if at != span else []))
            return None
        current.sources[alias] = found.name
        declared = found.transport.declared if isinstance(found.transport, StandardModule) else None
        return None if declared == current.path else declared

    def unknown_kind(self, current: _Open, node: tree.Import) -> None:
        span = current.file.span(node.kind)
        near = nearest(node.kind.text, KINDS)
        fixes = (Fix(f"Write `{near}`", (Edit(span, near),)),) if near else ()
        hint = f"Did you mean `{near}`?" if near else "Use mcp, openapi, python, command, std or chain."
        what = f"`{node.kind.text}` is not a kind of import."
        self.sink.add(Diagnostic(code="E0201", message=what, span=span, helps=(hint,), fixes=fixes))

    def circle(self, current: _Open, node: tree.Import, paths: list[str]) -> None:
        current.chains.pop(node.name.text, None)
        current.broken.add(node.name.text)
        names = " → ".join([*paths, paths[0]])
        what = f"These files import each other: {names}." if len(paths) > 1 else f"`{paths[0]}` imports itself."
        hint = "Move what they share to a third file." if len(paths) > 1 else "Names of this file need no import."
        self.refuse(Refused("E0204", what, hint), current.file.span(node.where))

    def with_proposal(self, refused: Refused, path: str) -> Refused:
        if refused.code != "E0216":
            return refused
        files: Mapping[str, None] = dict.fromkeys(self.folder.names(".chain"))
        same = next((each for each in files if posixpath.basename(each) == posixpath.basename(path)), None)
        hint = f"There is `{same}`." if same else did_you_mean(path, files)
        return Refused(refused.code, refused.message, hint)

    def refuse(self, refused: Refused, span: Span | None, *also: Label) -> None:
        helps = (refused.help,) if refused.help else ()
        self.sink.add(Diagnostic(code=refused.code, message=refused.message, span=span, secondary=also, helps=helps))
