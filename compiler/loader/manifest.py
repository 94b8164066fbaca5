"""`chainc.toml`: found, read, checked."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from compiler.loader.files import Folder, Refused
from compiler.loader.manifest_shape import MANIFEST, WITHOUT_EFFECT, milliseconds, size
from compiler.loader.places import places
from compiler.loader.secrets import inline_secrets
from compiler.loader.shape import Path as KeyPath
from compiler.loader.shape import dotted, problems
from compiler.loader.toml_text import BadToml, read_toml
from compiler.loader.working_folder import working_folder
from compiler.project import (
    CommandProgram,
    HttpServer,
    OpenApiService,
    PythonModule,
    Settings,
    SourceKind,
    StdioServer,
    Transport,
)
from dsl.diagnostics import Diagnostic, Sink
from dsl.source import Source, Span
from stdlib.values.secret_forms import SECRET_FORMS, unusable_mask

FILE = "chainc.toml"
CHAINS = ("chains/*.chain",)
"""Where chains are unless the manifest says otherwise."""

EXAMPLE = '[project]\nname = "my-chains"\nversion = "0.1.0"\nlanguage = "1"\nchains = ["*.chain"]'
_DEFAULT = Settings(name="", version="")
_CODES = {"unknown": "E0212", "missing": "E0213", "wrong": "E0213"}


@dataclass(frozen=True, slots=True)
class ManifestSource:
    """A source as the manifest or an import names it. `transport` is None where it cannot be used (reported). `args`:
    where the arguments of its program stand."""

    name: str
    kind: SourceKind
    transport: Transport | None
    span: Span
    args: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the manifest says, defaults filled in. `pattern_spans` are the places of `chains`, or of the manifest."""

    settings: Settings
    chains: tuple[str, ...]
    pattern_spans: tuple[Span, ...]
    sources: Mapping[str, ManifestSource]


def find_root(path: Path) -> Path | None:
    """The nearest folder at or above `path` that has a manifest."""
    start = Path(os.path.abspath(path))
    for folder in (start, *start.parents):
        if os.path.isfile(folder / FILE):
            return folder
    return None


def read_manifest(folder: Folder, sink: Sink) -> Manifest | None:
    """The manifest of a project; None where it is not as it must be (the sink has why)."""
    text = folder.text(FILE)
    if isinstance(text, Refused):
        sink.add(Diagnostic(code=text.code, message=text.message, span=None, helps=(text.help,) if text.help else ()))
        return None
    text = text.removeprefix("\ufeff")
    source = Source(FILE, text)
    values = _toml(source, sink)
    return None if values is None else _Reader(folder.root, source, values, sink).read()


def _toml(source: Source, sink: Sink) -> dict[str, Any] | None:
    try:
        return read_toml(source.text)
    except BadToml as error:
        line, column = error.place or (source.line_count, 1)
        before = source.text.split("\n", line - 1)[: line - 1]
        start = sum(len(each) + 1 for each in before) + column - 1
        span = Span(source, min(start, len(source.text)), min(start + 1, len(source.text)))
        sink.add(Diagnostic(code="E0211", message=error.why, span=span))
    return None


class _Reader:
    def __init__(self, root: Path, source: Source, values: dict[str, Any], sink: Sink) -> None:
        self.root, self.source, self.values, self.sink = root, source, values, sink
        self.places = places(source.text)

    def read(self) -> Manifest | None:
        found = list(problems(MANIFEST, self.values))
        for problem in found:
            self.error(_CODES[problem.kind], problem.path, problem.message, problem.help)
        if found:
            return None
        for path in WITHOUT_EFFECT:
            if self.value(path) is not None:
                self.error("W0227", path, f"Nothing acts on `{dotted(path)}` yet.")
        engine = self.value(("engine", "kind"))
        if engine not in (None, "local"):
            self.error(
                "E0900", ("engine", "kind"), f'The engine "{engine}" is not supported yet.', 'Write `kind = "local"`.'
            )
        sources = {name: self.one_source(name, table) for name, table in self.values.get("sources", {}).items()}
        chains = self.values["project"].get("chains", CHAINS)
        spans = tuple(self.span(("project", "chains", i)) for i in range(len(chains)))
        return Manifest(self.settings(), tuple(chains), spans, sources)

    def settings(self) -> Settings:
        project, server = self.values["project"], self.values.get("server", {})
        sizes = {
            name: size(server[name]) for name in ("inline_limit", "result_limit", "handle_limit") if name in server
        }
        window = server.get("replay_window")
        kept = self.value(("engine", "keep"))
        return Settings(
            name=project["name"],
            version=project["version"],
            language=project["language"],
            profile=server.get("profile", "semantic"),
            groups=tuple(server.get("groups", ())),
            stages=tuple(server.get("stages", ())),
            discovery_above=server.get("discovery_above"),
            store=self.value(("engine", "store")),
            kept_ms=_DEFAULT.kept_ms if kept is None else milliseconds(kept),
            replay_window=_DEFAULT.replay_window if window is None else milliseconds(window),
            openai_policy=self.value(("providers", "openai", "policy")) or _DEFAULT.openai_policy,
            hosts=tuple(self.value(("allow", "hosts")) or ()),
            private_networks=bool(self.value(("allow", "private_networks"))),
            roots=self.roots(),
            consent=server.get("consent"),
            ask_first=tuple(server.get("ask_first", ())),
            limits={whose: _allowance(table) for whose, table in self.values.get("limits", {}).items()},
            mask=self.mask(),
            **sizes,
        )

    def roots(self) -> tuple[str, ...]:
        return tuple(normal(each) for each in self.value(("allow", "roots")) or ())

    def mask(self) -> tuple[tuple[str, str], ...]:
        """The patterns of secrets; those that cannot be used are reported."""
        found = [(name, SECRET_FORMS[name]) for name in self.value(("mask", "builtin")) or ()]
        for name, pattern in (self.value(("mask", "patterns")) or {}).items():
            why = unusable_mask(pattern)
            if why is None:
                found.append((name, pattern))
            else:
                path = ("mask", "patterns", name)
                self.error("E0213", path, f"`{dotted(path)}` {why[0]}.", why[1])
        return tuple(dict.fromkeys(found))

    def one_source(self, name: str, table: dict[str, Any]) -> ManifestSource:
        path: KeyPath = ("sources", name)
        span = self.span(path)
        kind = cast(SourceKind, next(iter(table)))
        given = table[kind]
        secrets = list(inline_secrets(given, (*path, kind)))
        for at, hint in secrets:
            self.error("E0214", at, f"`{dotted(at)}` holds a secret, and this file is read by many.", hint)
        transport = None if secrets else _transport(kind, given)
        if isinstance(transport, StdioServer | CommandProgram) and transport.cwd is not None:
            folder = self.folder((*path, kind, "cwd"), transport.cwd)
            transport = None if folder is None else replace(transport, cwd=folder)
        args = tuple(self.span((*path, kind, "args", n)) for n in range(len(given.get("args", ()))))
        return ManifestSource(name, kind, transport, span, args)

    def folder(self, path: KeyPath, cwd: str) -> str | None:
        """In which a program starts; None where it may not start there (reported)."""
        folder = working_folder(self.root, cwd, self.roots())
        if isinstance(folder, Refused):
            self.error(folder.code, path, folder.message, folder.help)
            return None
        return folder

    def value(self, path: KeyPath) -> Any:
        at: Any = self.values
        for part in path:
            at = at.get(part) if isinstance(at, dict) else None
        return at

    def span(self, path: KeyPath) -> Span:
        """The key of a path, or of the nearest thing around it that is written."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.places:
                return Span(self.source, *self.places[path[:length]])
        return Span(self.source, 0, 0)

    def error(self, code: str, path: KeyPath, message: str, hint: str = "") -> None:
        helps = (hint,) if hint else ()
        self.sink.add(Diagnostic(code=code, message=message, span=self.span(path), helps=helps))


def _transport(kind: SourceKind, given: dict[str, Any]) -> Transport:
    """How a source is reached; `given` has the form that the shape of the manifest demands."""
    env = tuple(given.get("env", ()))
    match kind:
        case "openapi":
            return OpenApiService(normal(given["file"]), given.get("base_url"), given.get("auth", {}))
        case "python":
            file = given.get("file")
            return PythonModule(None if file is None else normal(file), given.get("module"))
        case "command":
            return CommandProgram(given["program"], env, given.get("cwd"))
    if "url" in given:
        return HttpServer(given["url"], tuple(sorted(given.get("headers", {}).items())))
    return StdioServer(given["command"], tuple(given.get("args", ())), env, given.get("cwd"))


_AMOUNTS = {"window": "window_ms", "time": "time_ms"}


def _allowance(table: dict[str, Any]) -> dict[str, int | float]:
    """Bytes and milliseconds, by the names of the plan."""
    found: dict[str, int | float] = {}
    for name, value in table.items():
        found[_AMOUNTS.get(name, name)] = (
            milliseconds(value) if name in _AMOUNTS else size(value) if name == "bytes" else value
        )
    return found


def normal(path: str) -> str:
    """A path of the project without detours; one that leads out of it stays so, and is refused when it is read."""
    return posixpath.normpath(path)
