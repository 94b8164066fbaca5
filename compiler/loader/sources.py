"""What imports name beside chains: a source of the manifest, a file, a program, a module of the standard library."""

from __future__ import annotations

import json
import posixpath
import re
from importlib.resources import files
from typing import Final

from compiler.loader.files import Folder, Refused
from compiler.loader.lock import MOST_LOCK_BYTES, locked_source, read_lock
from compiler.loader.lock_shape import bad_name, visible
from compiler.loader.manifest import Manifest, ManifestSource
from compiler.loader.manifest_shape import NAME
from compiler.loader.near import did_you_mean
from compiler.project import (
    CommandProgram,
    LockedSource,
    OpenApiService,
    PythonModule,
    SourceKind,
    StandardModule,
)
from dsl.source import Span

STANDARD: Final = "std:"
"""Begins the paths of the standard library's declarations, which lie beside its bodies and not in the project."""

ENDINGS: Final = {"python": (".py",), "openapi": (".json", ".yaml", ".yml")}
_FILES: Final = {"python": "Python file", "openapi": "OpenAPI document"}
_EXAMPLES: Final = {
    "mcp": 'mcp = {{ command = "…" }}',
    "openapi": 'openapi = {{ file = "{name}.openapi.json" }}',
    "python": 'python = {{ file = "{name}.py" }}',
    "command": 'command = {{ program = "{name}" }}',
}


class Sources:
    """The sources of a project's imports. `direct` are those that imports name by their file."""

    def __init__(self, folder: Folder, manifest: Manifest) -> None:
        self._folder, self._manifest = folder, manifest
        self.locked: dict[str, LockedSource] = {}
        self.direct: dict[str, ManifestSource] = {}
        self._unusable: set[str] = set()

    def meant(self, kind: SourceKind, where: str, importer: str, span: Span) -> ManifestSource | Refused:
        """What `import … from KIND "WHERE"` means in the file `importer`."""
        entry = self._manifest.sources.get(where)
        if entry is not None and entry.kind == kind:
            return entry
        if kind == "std":
            return self._standard(where, span)
        if kind == "command":
            return self._program(where, importer, span)
        if kind in ENDINGS and (where.startswith((".", "/")) or "/" in where or where.endswith(ENDINGS[kind])):
            return self._file(kind, where, importer, span)
        if entry is not None:
            what = f"The manifest has no {kind} source `{where}`: there it is one of {entry.kind}."
            return Refused("E0218", what, f'Write `from {entry.kind} "{where}"`.')
        return self._unnamed(kind, where)

    def usable(self, entry: ManifestSource) -> LockedSource | Refused | None:
        """The source with its tools; its lock is read when it is first asked for. None: why not was told before."""
        known = self.locked.get(entry.name)
        if known is not None:
            return known
        if entry.name in self._unusable or entry.transport is None:
            return None
        found = self._read(entry)
        if isinstance(found, Refused):
            self._unusable.add(entry.name)
        else:
            self.locked[entry.name] = found
        return found

    def _read(self, entry: ManifestSource) -> LockedSource | Refused:
        text: str | Refused | None = None
        match entry.transport:
            case CommandProgram(program=program):
                return LockedSource(entry.name, "command", entry.transport, program, {})
            case StandardModule():
                return LockedSource(entry.name, "std", entry.transport, "", {})
            case PythonModule(file=str(file)):
                text = self._folder.text(file)
            case OpenApiService(document=document):
                text = self._folder.text(document, MOST_LOCK_BYTES)
        if isinstance(text, Refused):
            return text
        lock = read_lock(self._folder, entry.name)
        if isinstance(lock, Refused):
            return lock
        return locked_source(self._folder, entry, lock, text if entry.kind == "python" else None)

    def _file(self, kind: SourceKind, where: str, importer: str, span: Span) -> ManifestSource | Refused:
        path = project_path(where, importer)
        if isinstance(path, Refused):
            return path
        if not path.endswith(ENDINGS[kind]):
            what = f"`{where}` is no {_FILES[kind]}."
            return Refused("E0217", what, f"Their names end with {' or '.join(f'`{each}`' for each in ENDINGS[kind])}.")
        transport = OpenApiService(path) if kind == "openapi" else PythonModule(path)
        return self.direct.setdefault(path, ManifestSource(path, kind, transport, span))

    def _program(self, where: str, importer: str, span: Span) -> ManifestSource | Refused:
        bad = bad_name(where)
        if bad:
            return Refused("E0217", f"The name of the program `{visible(where)}` {bad}.")
        program, words = where, where.split()
        if len(words) > 1 and "/" not in words[0] and "\\" not in words[0]:
            what = f"`{visible(where)}` is no name of a program: it has blanks."
            given = ", ".join(json.dumps(each, ensure_ascii=False) for each in words[1:])
            hint = f'Name the program alone, `from command "{words[0]}"`; what it gets goes into `run [{given}]`.'
            return Refused("E0217", what, hint)
        if "/" in where or "\\" in where:
            path = project_path(where, importer)
            if isinstance(path, Refused):
                return path
            refused = self._folder.escapes(path)
            if refused:
                return refused
            if not (self._folder.root / path).exists():
                near = did_you_mean(path, self._folder.names(posixpath.splitext(path)[1]))
                return Refused("E0216", f"There is no file `{path}`.", near)
            # With a folder in it, or it would be looked for on PATH.
            program = path if "/" in path else f"./{path}"
        return ManifestSource(f"command:{program}", "command", CommandProgram(program), span)

    def _standard(self, where: str, span: Span) -> ManifestSource | Refused:
        known = standard_modules()
        if where not in known:
            hint = did_you_mean(where, known) or f"It has: {', '.join(known)}."
            return Refused("E0230", f"The standard library has no module `{visible(where)}`.", hint)
        path = f"{STANDARD}{where}"
        return ManifestSource(path, "std", StandardModule(where, path), span)

    def _unnamed(self, kind: SourceKind, name: str) -> Refused:
        same = [each for each, entry in self._manifest.sources.items() if entry.kind == kind]
        hint = did_you_mean(name, same)
        if not hint and kind == "python" and re.fullmatch(NAME, name):
            here = f'python = {{ file = "{name}.py" }}'
            hint = f"Name it, a file of yours or a module that is installed:\n[sources.{name}]\n{here}\n"
            hint += f'or\npython = {{ module = "{name}" }}'
        elif not hint and re.fullmatch(NAME, name):
            hint = f"Name it:\n[sources.{name}]\n{_EXAMPLES[kind].format(name=name)}"
        elif not hint:
            ours = re.sub(r"[^A-Za-z0-9_]", "_", name.rstrip("/").rpartition("/")[2].partition(".")[0]) or "tools"
            ours = ours if re.fullmatch(NAME, ours) else f"{kind}_{ours}"[:64].rstrip("_")
            hint = f'Give it a name in the manifest, and write `from {kind} "{ours}"`:\n'
            hint += f"[sources.{ours}]\n{_EXAMPLES[kind].format(name=ours)}"
        return Refused("E0218", f"The manifest has no source `{name}`.", hint)


def project_path(where: str, importer: str) -> str | Refused:
    """The path in the project of what the file `importer` names."""
    if "\\" in where or posixpath.isabs(where) or ":" in where or bad_name(where):
        return Refused("E0217", f"`{visible(where)}` is no path of this project.", 'Write it like "./types.chain".')
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), where))


def standard_modules() -> list[str]:
    """The modules of the standard library, sorted."""
    folder = files("stdlib").joinpath("lib")
    return sorted(each.name.removesuffix(".chain") for each in folder.iterdir() if each.name.endswith(".chain"))


def standard_chains(name: str) -> bool:
    """Whether a module of the standard library has chains to be called, like a file of the project; others declare
    tools, in an import of themselves."""
    return not re.search(rf'^import {name} from std "{name}"', standard_text(f"{STANDARD}{name}"), re.MULTILINE)


def standard_text(path: str) -> str:
    """The declarations of a module of the standard library, whose path begins with `STANDARD`."""
    return files("stdlib").joinpath("lib", f"{path.removeprefix(STANDARD)}.chain").read_text(encoding="utf-8")
