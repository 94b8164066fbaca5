"""`chainc tools`: what can be called, as an import would declare it: the tools of the lock, those that chains declare
of commands, and the standard library."""

from __future__ import annotations

import argparse
import posixpath
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser, nearest
from compiler.cli.exits import OK, Usage
from compiler.cli.place import Place, no_source, outcome, place
from dsl.diagnostics import Diagnostic, Sink

if TYPE_CHECKING:
    from compiler.loader.files import Folder
    from compiler.loader.manifest import Manifest, ManifestSource

STANDARD = "std"
"""The word for the whole standard library, unless a source of the manifest has this name. `std/MODULE` is one module:
no source of the manifest can be called so, and files that chains import have an ending."""


def arguments() -> Parser:
    parser = Parser(
        "chainc tools",
        "Lists the tools that the lock holds, with what they take and return, in the language of chains; then those "
        "that chains declare of commands. Works offline; `chainc sync` fills the lock. A tool without `effects` counts "
        "as one that may destroy something. The standard library is called `std`, also where there is no project.",
        [
            ("chainc tools", "of all sources"),
            ("chainc tools github --search issue", "of one of them, with a word in name or description"),
            ("chainc tools github --full", "with the whole text of each description"),
            ("chainc tools std", "the standard library"),
            ("chainc tools std/tables", "one module of it"),
            ("chainc tools --search csv", "of all sources and of the standard library"),
        ],
    )
    parser.operand(
        "source",
        nargs="?",
        help="a source of the manifest or of an import, `std` (where no source has that name) or `std/MODULE`; without "
        "one all sources",
    )
    parser.option(
        "--search", metavar="TEXT", default="", help="only tools that have these words in name or description"
    )
    parser.option("--full", action="store_true", help="descriptions of servers whole, not only how they begin")
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(".", options)
    wanted: str | None = options.source
    module = wanted.removeprefix(f"{STANDARD}/") if wanted is not None and wanted.startswith(f"{STANDARD}/") else None
    if module is not None and (where.root is None or module in _modules()):
        return _told([_module(module, options.search)])
    if where.root is None and (wanted == STANDARD or (wanted is None and options.search)):
        return _told(_library(options.search))
    if where.root is None:
        raise Usage(
            "there is no chainc.toml here or above.",
            "-C names the folder of a project. `chainc tools std` lists the standard library.",
        )
    return _of_project(where, wanted, options.search, full=options.full)


def _told(texts: list[str]) -> int:
    shown = [each for each in texts if each]
    terminal.out("\n".join(shown))
    if not shown:
        terminal.say("No tool fits.")
    return OK


def _of_project(where: Place, wanted: str | None, search: str, *, full: bool) -> int:
    from compiler.loader.files import Folder
    from compiler.loader.load import locked_by_name
    from compiler.loader.manifest import read_manifest

    sink, folder = Sink(), Folder(where.home)
    manifest = read_manifest(folder, sink)
    if manifest is None:
        where.tell(sink)
        return outcome(sink)
    sources = locked_by_name(folder, manifest)
    programs = _commands(where, manifest, search)
    if wanted == STANDARD and wanted not in sources and wanted not in programs:
        return _told(_library(search))
    if wanted is not None and wanted not in sources and wanted not in programs:
        raise _unknown(wanted, [*sources, *programs])
    locked = [each for name, each in sources.items() if wanted in (None, name) and each.transport]
    shown = [_shown(where, folder, each, search, sink, full=full) for each in locked]
    shown += [text for name, texts in programs.items() if wanted in (None, name) for text in texts]
    if wanted is None and search:
        shown += _library(search)
    shown = [each for each in shown if each]
    terminal.out("\n".join(shown))
    if wanted == STANDARD:
        terminal.say(
            f"`{STANDARD}` is a source of the manifest. `chainc tools {STANDARD}/MODULE` is the standard library."
        )
    if not full and any(map(_is_cut, shown)):
        terminal.say("Long descriptions are cut: `--full` shows them whole.")
    if not shown and not sink:
        terminal.say(_nothing(wanted, bool(search or locked)))
    where.tell(sink)
    return outcome(sink)


def _nothing(wanted: str | None, there: bool) -> str:
    """Why nothing was listed; `there`: some tools may be known, but none that was looked for."""
    if there:
        return "No tool fits."
    if wanted is not None:
        return f"No chain declares tools of `{wanted}`: those of a command are declared by the import that names it."
    return f"The manifest names no sources that have a lock. `chainc tools {STANDARD}` lists the standard library."


def _unknown(name: str, known: list[str]) -> Usage:
    if name in _modules():
        return Usage(f"the manifest has no source `{name}`.", f"Did you mean `{STANDARD}/{name}`?")
    if name.startswith(f"{STANDARD}/"):
        return _no_module(name.removeprefix(f"{STANDARD}/"))
    return no_source(name, known)


def _modules() -> list[str]:
    from compiler.loader.sources import standard_modules

    return standard_modules()


def _no_module(name: str) -> Usage:
    meant = nearest(name, _modules())
    hint = f"Did you mean `{STANDARD}/{meant}`?" if meant else f"It has: {', '.join(_modules())}."
    return Usage(f"the standard library has no module `{name}`.", hint)


def _library(search: str) -> list[str]:
    return [_module(each, search) for each in _modules()]


def _module(name: str, search: str) -> str:
    from compiler.cli.tools_declared import standard

    if name not in _modules():
        raise _no_module(name)
    return standard(name, lambda text: _fits(text, search))


def _commands(where: Place, manifest: Manifest, search: str) -> dict[str, list[str]]:
    """What chains declare of programs, by the name that imports have for them."""
    from compiler.cli.tools_declared import commands
    from compiler.loader.load import load

    found: dict[str, list[str]] = {name: [] for name, each in manifest.sources.items() if each.kind == "command"}
    project = load(where.home, Sink())
    for each in commands(project, lambda text: _fits(text, search)) if project is not None else ():
        texts = found.setdefault(each.program, [])
        if each.text:
            path = posixpath.normpath(posixpath.join(where.base, each.path))
            texts.append(f"// declared in {path}\n{each.text}")
    return found


def _is_cut(text: str) -> bool:
    return any(line.lstrip().startswith("///") and line.endswith("…") for line in text.splitlines())


def _shown(where: Place, folder: Folder, entry: ManifestSource, search: str, sink: Sink, *, full: bool) -> str:
    """A source with the tools that fit, as an import; empty where none does or its lock cannot be used. What an older
    lock holds is shown all the same."""
    from compiler.cli.shown_tools import block, declared
    from compiler.loader.files import Refused
    from compiler.loader.lock import locked_source, locked_tools, read_lock

    lock = read_lock(folder, entry.name)
    source = lock if isinstance(lock, Refused) else locked_source(folder, entry, lock)
    if isinstance(source, Refused):
        helps = (source.help,) if source.help else ()
        sink.add(Diagnostic(code=source.code, message=source.message, span=entry.span, helps=helps))
    if isinstance(lock, Refused) or (isinstance(source, Refused) and source.code != "E0221"):
        return ""
    fitting = [t for t in locked_tools(lock).values() if _fits(f"{t.name} {t.alias} {t.description}", search)]
    return block(_import(where, entry), [line for tool in fitting for line in declared(tool, full=full)])


def _fits(text: str, search: str) -> bool:
    told = text.lower()
    return all(word in told for word in search.lower().split())


def _import(where: Place, entry: ManifestSource) -> str:
    """How a chain imports it; a file that the manifest does not name, as the first chain that imports it does."""
    name, importer = entry.name, entry.span.source.path
    alias = "".join(c if c.isascii() and c.isalnum() else "_" for c in name.rsplit("/", 1)[-1].split(".")[0])
    if not importer.endswith(".chain"):
        return f'import {alias} from {entry.kind} "{name}"'
    path = posixpath.relpath(name, posixpath.dirname(importer) or ".")
    path = path if path.startswith("../") else f"./{path}"
    seen = posixpath.normpath(posixpath.join(where.base, importer))
    return f'// as {seen} names it\nimport {alias} from {entry.kind} "{path}"'
