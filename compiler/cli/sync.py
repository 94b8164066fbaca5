"""`chainc sync`: the lock."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.exits import FINDINGS, OK
from compiler.cli.place import no_source, outcome, place
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from compiler.sources.report import SourceReport


def arguments() -> Parser:
    parser = Parser(
        "chainc sync",
        "Asks the sources of the manifest, and the files that chains import as sources, for their tools and writes "
        "what they offer to lock/NAME.json, which belongs under version control. What changed since the last time is "
        "told in the words of a contract, and written after a yes. Starts the programs that the manifest names and "
        "runs Python modules, after you agreed to each.",
        [
            ("chainc sync", "all sources"),
            ("chainc sync github", "one of them"),
            ("chainc sync --check --trust", "in continuous integration: is the lock up to date?"),
        ],
    )
    parser.operand("name", nargs="*", help="sources of the manifest or imported files; without one all of them")
    parser.option("--check", action="store_true", help="only compare; a difference is a finding")
    parser.option("--yes", action="store_true", help="write what changed without asking")
    parser.option("--trust", action="store_true", help="agree to what the manifest starts and sends")
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(".", options)
    root = where.home
    from compiler.cli.servers import ask
    from compiler.sources.sync import sync

    _check_names(root, options.name)
    sink = Sink()
    report = sync(
        root,
        options.name,
        sink,
        write=not options.check,
        ask=None if options.trust else ask,
        accept=None if options.yes else _accept,
        waiting=_waiting if sys.stderr.isatty() else None,
    )
    for each in report.sources if report else ():
        if options.yes or options.check or each.outcome != "changed":
            _tell(each, written=not options.check)
    if report is not None and not report.sources and not sink:
        terminal.say("The manifest names no sources.")
    where.tell(sink)
    declined = report is not None and any(each.outcome == "declined" for each in report.sources)
    return outcome(sink) or (FINDINGS if declined else OK)


def _waiting(name: str, timeout: float) -> None:
    terminal.say(f"still waiting for `{name}`, at most {timeout:g} s…")


def _accept(changed: SourceReport) -> bool:
    """Show what changed in a source and wait for an answer; where nobody can answer it is no."""
    _tell(changed, written=True)
    lock = f"lock/{changed.name}.json"
    if not sys.stdin.isatty():
        terminal.say(f"{lock} stays as it is: nobody can answer here. Pass --yes to write it.")
        return False
    sys.stderr.write(f"Write it to {lock}? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    terminal.say(f"{lock} stays as it is.")
    return False


def _check_names(root: Path, names: list[str]) -> None:
    """Raises Usage for a source that is not there. What is wrong with the manifest itself is told later."""
    if not names:
        return
    from compiler.loader.files import Folder
    from compiler.loader.load import locked_by_name
    from compiler.loader.manifest import read_manifest

    sink, folder = Sink(), Folder(root)
    manifest = read_manifest(folder, sink)
    known = {} if manifest is None else locked_by_name(folder, manifest)
    for name in names if manifest is not None and not sink.has_errors else ():
        if name not in known:
            raise no_source(name, list(known))


def _tell(source: SourceReport, *, written: bool) -> None:
    if source.outcome in ("failed", "declined"):  # which was shown when it was asked about
        return
    tools = f"{source.tools} tool{'' if source.tools == 1 else 's'}"
    said = {"new": "locked" if written else "not locked", "same": "up to date"}.get(source.outcome, "changed")
    terminal.say(f"{source.name}: {tools}{f' of {source.server}' if source.server else ''}, {said}")
    for change in (*map(str, source.changes), *source.about) if written else ():  # a check has them in its finding
        terminal.say(f"  {change}")
    for note in source.notes:
        terminal.say(f"  note: {note}")
