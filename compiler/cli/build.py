"""`chainc build`: the bundle on disk."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.place import Place, outcome, place, relative
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from compiler.writer import Written


PLAN = "plan.json"


def arguments() -> Parser:
    parser = Parser(
        "chainc build",
        "Writes the bundle of the project: catalogue, provider schemas, plan and an installable MCP server package. "
        "Works offline, from the lock. Files of an earlier build that are not needed any more go away, unless somebody "
        "changed them.",
        [("chainc build", "into dist/"), ("chainc build --dry-run", "what would be written and removed")],
    )
    parser.option("-o", "--output", metavar="DIR", help="the folder of the bundle (dist in the project's)")
    parser.option("--dry-run", action="store_true", help="write nothing, list what would be done")
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(".", options)
    from compiler import driver

    sink = Sink()
    artefacts = driver.build(where.path, sink)
    done: Written | None = None
    folder = _folder(options.output, where)
    changed: tuple[str, ...] = ()
    if artefacts is not None:
        from compiler.writer import write

        made = next((each.text for each in artefacts if each.path == PLAN), "")
        changed = _changed_tools(folder / PLAN, made)
        done = write(artefacts, folder, sink, dry_run=options.dry_run)
    where.tell(sink)
    if done is not None:
        _report(done, folder.as_posix(), options.dry_run)
        for change in changed:
            terminal.say(f"  since the last build, {change}")
    return outcome(sink)


def _folder(given: str | None, where: Place) -> Path:
    """Where the bundle goes: without a word about it beside the manifest, wherever in the project we are."""
    if given is not None or where.root is None:
        return Path(given or "dist")
    return Path(relative(where.root / "dist", os.getcwd()))


def _changed_tools(before: Path, after: str) -> tuple[str, ...]:
    """How the tools that chains call differ from those of the bundle that is there: their locks were written anew."""
    from compiler.sources.changes import changed_tools

    try:
        return changed_tools(json.loads(before.read_text("utf-8")), json.loads(after))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ()  # there is none, or somebody else wrote it


def _report(done: Written, folder: str, dry_run: bool) -> None:
    if dry_run:
        todo = [(path, "write") for path in done.written] + [(path, "remove") for path in done.removed]
        terminal.out("".join(f"{verb:<7}{folder}/{path}\n" for path, verb in sorted(todo)))
    counts = [(len(done.written), "written"), (len(done.unchanged), "unchanged"), (len(done.removed), "removed")]
    told = ", ".join(f"{count} {what}" for count, what in counts if count)
    terminal.say(f"{folder}: {told}" + (" (dry run: nothing was changed)" if dry_run else ""))
    for path in done.kept:
        terminal.say(f"{folder}/{path} was changed since it was built, so I left it where it is.")
