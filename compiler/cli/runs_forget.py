"""`chainc runs forget`: the owner removes what ended long ago."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.exits import OK, Usage
from compiler.cli.kept import look, store_options
from compiler.cli.runs_view import moment

if TYPE_CHECKING:
    from stdlib.runtime.store import Store
    from stdlib.runtime.store.journal import Forgotten


def arguments() -> Parser:
    parser = Parser(
        "chainc runs forget",
        "Removes runs that ended long ago: their results, faults and receipts. Nothing else ever removes receipts. Who "
        "did so, when, and how many there were stays in the store. What a run was given is let go when it ends, "
        "anyway.",
        [
            ("chainc runs forget --older 30d", "what ended more than 30 days ago"),
            ("chainc runs forget", "as the manifest says: engine.keep, else 30 days"),
        ],
    )
    parser.option(
        "--older", metavar="TIME", help="how long ago a run must have ended: 12h, 30d (engine.keep, else 30d)"
    )
    parser.option(
        "--interrupted",
        action="store_true",
        help="also runs that began as long ago and that nobody drives: they never go on",
    )
    store_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    before = time.time() - (_kept_ms() if options.older is None else _milliseconds(options.older)) / 1000

    async def forget(store: Store) -> Forgotten:
        from compiler.cli.people import me

        return await store.journal.forget(before, me(), interrupted=options.interrupted)

    done = look(options, forget)
    runs = "1 run" if done.runs == 1 else f"{done.runs} runs"
    receipts = "1 receipt" if done.receipts == 1 else f"{done.receipts} receipts"
    ended = "ended or been interrupted" if options.interrupted else "ended"
    terminal.say(f"Removed {runs} that had {ended} before {moment(before)}, with {receipts}.")
    return OK


def _kept_ms() -> int:
    """What the manifest says, where there is a project."""
    from compiler.loader.files import Folder
    from compiler.loader.manifest import find_root, read_manifest
    from compiler.project import KEPT_MS
    from dsl.diagnostics import Sink

    root = find_root(Path.cwd())
    manifest = None if root is None else read_manifest(Folder(root), Sink())
    return KEPT_MS if manifest is None else manifest.settings.kept_ms


def _milliseconds(text: str) -> int:
    from stdlib.values.time import NANOS, TimeError, parse_duration, read_duration

    try:
        nanos = read_duration(parse_duration(text))
    except TimeError:
        nanos = -1
    if nanos < 0:
        raise Usage(f"`{text}` is no time.", "Write a number and h or d: 12h, 30d.")
    return nanos // (NANOS // 1000)
