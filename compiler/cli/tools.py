"""`chainc tools`: what the sources offer, as an import would declare it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.place import no_source, outcome, place
from dsl.diagnostics import Diagnostic, Sink

if TYPE_CHECKING:
    from compiler.loader.files import Folder
    from compiler.loader.manifest import ManifestSource
    from compiler.project import LockedSource, LockedTool
    from compiler.types.from_schema import Note

MOST_TOLD = 160
"""Characters of a description."""
MOST_NOTES = 8
"""Places of a tool where its schemas say more than its types."""


def arguments() -> Parser:
    parser = Parser(
        "chainc tools",
        "Lists the tools that the lock holds, with what they take and return, in the language of chains. Works "
        "offline; `chainc sync` fills the lock.",
        [
            ("chainc tools", "of all sources"),
            ("chainc tools github --search issue", "of one of them, with a word in name or description"),
        ],
    )
    parser.operand("source", nargs="?", help="a source of the manifest; without one all of them")
    parser.option(
        "--search", metavar="TEXT", default="", help="only tools that have these words in name or description"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(".", options)
    root = where.home
    from compiler.loader.files import Folder
    from compiler.loader.load import locked_by_name
    from compiler.loader.manifest import read_manifest

    sink, folder = Sink(), Folder(root)
    manifest = read_manifest(folder, sink)
    if manifest is not None:
        sources = locked_by_name(folder, manifest)
        if options.source is not None and options.source not in sources:
            raise no_source(options.source, list(sources))
        wanted = [each for name, each in sources.items() if options.source in (None, name) and each.transport]
        shown = [text for each in wanted if (text := _shown(folder, each, options.search, sink))]
        terminal.out("\n".join(shown))
        if not shown and not sink:
            terminal.say("No tool fits." if wanted else "The manifest names no sources that have a lock.")
    where.tell(sink)
    return outcome(sink)


def _shown(folder: Folder, entry: ManifestSource, search: str, sink: Sink) -> str:
    """A source with the tools that fit, as an import; empty where none does or its lock cannot be used."""
    from compiler.loader.files import Refused
    from compiler.loader.lock import locked_source, read_lock

    lock = read_lock(folder, entry.name)
    source = lock if isinstance(lock, Refused) else locked_source(folder, entry, lock)
    if isinstance(source, Refused):
        helps = (source.help,) if source.help else ()
        sink.add(Diagnostic(code=source.code, message=source.message, span=entry.span, helps=helps))
        return ""
    tools = [line for tool in source.tools.values() if _fits(tool, search) for line in declared(tool)]
    return "".join([f"{_import(source)} {{\n", *(f"  {line}\n" for line in tools), "}\n"]) if tools else ""


def _fits(tool: LockedTool, search: str) -> bool:
    text = f"{tool.name} {tool.alias} {tool.description}".lower()
    return all(word in text for word in search.lower().split())


def _import(source: LockedSource) -> str:
    """How a chain imports it; a file is named from the project's folder on."""
    name = source.name.rsplit("/", 1)[-1].split(".")[0]
    alias = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    return f'import {alias} from {source.kind} "{source.name}"'


def declared(tool: LockedTool) -> Iterator[str]:
    """What it is for, and `tool NAME takes … returns …`; a result that is not declared is left out."""
    from compiler.loader.lock_shape import visible
    from compiler.types.from_schema import BadSchema, from_schema, parameters
    from stdlib.values.show import show

    told = visible(" ".join(tool.description.split()), MOST_TOLD)
    if told:
        yield f"/// {told}"
    taken = parameters(tool.input_schema)
    given = from_schema(tool.output_schema) if tool.output_schema is not None else None
    for found, what in ((taken, "takes"), (given, "returns")):
        if isinstance(found, BadSchema):
            yield f"// I cannot read what it {what}: {visible(found.why, MOST_TOLD)}"
        elif found is not None:
            yield from _unsaid(what, found.notes)
    takes = f" takes {_one_line(show(taken.record, _ALL))}" if not isinstance(taken, BadSchema) else ""
    returns = "" if given is None or isinstance(given, BadSchema) else f" returns {_one_line(show(given.type, _ALL))}"
    yield f"tool {tool.alias}{takes}{returns}"


def _unsaid(what: str, notes: tuple[Note, ...]) -> Iterator[str]:
    """Where the schema says more than the type below; the schema is enforced when a chain runs."""
    from compiler.loader.lock_shape import visible

    for note in notes[:MOST_NOTES]:
        told = visible(f"{note.pointer or '/'}: {note.why}", MOST_TOLD)
        yield f"// {what} less than its type says, by its schema at {told}"
    if len(notes) > MOST_NOTES:
        yield f"// … and at {len(notes) - MOST_NOTES} more places"


_ALL = 1_000_000


def _one_line(text: str) -> str:
    from compiler.loader.lock_shape import visible

    return visible(text, _ALL)
