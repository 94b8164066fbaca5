"""`chainc runs drain`: what still needs a plan that is not the newest one."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from compiler.cli import terminal
from compiler.cli.arguments import Parser, format_option
from compiler.cli.exits import FINDINGS, OK, Usage
from compiler.cli.kept import look, store_options
from compiler.cli.runs_view import DIGEST, lasting, moment, short

if TYPE_CHECKING:
    from stdlib.runtime.store import Store

_MOST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Held:
    """A run, or the living handles, that need a plan. `until`: seconds since the epoch; None where nobody knows: a run
    that is not waiting ends when it ends."""

    plan: str
    what: str
    until: float | None
    run: str | None = None
    handles: int = 0

    def to_json(self) -> dict[str, Any]:
        from stdlib.runtime.receipt import timestamp

        until = None if self.until is None else timestamp(self.until)
        told = {"plan": self.plan, "run": self.run, "handles": self.handles or None, "state": self.what, "until": until}
        return {name: value for name, value in told.items() if value is not None}


def arguments() -> Parser:
    parser = Parser(
        "chainc runs drain",
        "Shows which runs and handles still hold a plan other than the newest, and until when: runs go on under the "
        "plan that they were begun with. The newest plan is that of the project, or of a bundle. Exit code 1: "
        "there are some.",
        [
            ("chainc runs drain", "against the project as it is now"),
            ("chainc runs drain --server acme-support --bundle dist", "a server's store against its newest bundle"),
        ],
    )
    parser.option("--bundle", metavar="DIR", help="the newest bundle, instead of the project")
    format_option(parser)
    store_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    newest = _bundle_plan(Path(options.bundle)) if options.bundle is not None else _project_plan(options)
    held = [each for each in look(options, _held) if each.plan != newest]
    if options.format == "json":
        from stdlib.plan.document import json_text

        terminal.out(json_text({"newest": newest, "held": [each.to_json() for each in held]}))
    elif held:
        from compiler.cli.columns import columns

        now = time.time()
        head = ["plan", "held by", "", "until"]
        rows = [[each.plan[:DIGEST], _who(each), each.what, _until(each, now)] for each in held]
        terminal.out(columns([head, *rows], width=terminal.width(sys.stdout).get("width")))
    else:
        terminal.say(f"Nothing holds a plan other than the newest, {newest[:DIGEST]}.")
    return FINDINGS if held else OK


async def _held(store: Store) -> Sequence[Held]:
    awaited = await store.decisions.awaited()
    held = []
    for state in ("running", "parked", "interrupted"):
        for row in await store.journal.runs(limit=_MOST, state=state):
            until = [each.until for each in awaited if each.run == row.begun.run]
            waits = max(until) if until and state != "running" else None
            held.append(Held(row.begun.plan, f"{row.begun.chain}, {state}", waits, row.begun.run))
    held += [
        Held(each.plan, "living", each.until, handles=each.handles)
        for each in await store.handles.pinned()
        if each.plan  # one that was made without a plan holds none
    ]
    return sorted(held, key=lambda each: (each.plan, each.run or "", each.until or 0.0))


def _who(held: Held) -> str:
    if held.run is not None:
        return short(held.run)
    return "1 handle" if held.handles == 1 else f"{held.handles} handles"


def _until(held: Held, now: float) -> str:
    if held.until is None:
        return "it ends"
    return f"{moment(held.until)}, in {lasting(held.until - now)}"


def _bundle_plan(folder: Path) -> str:
    try:
        return _digest((folder / "plan.json").read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        raise Usage(f"`{folder}` has no plan.json that can be read: it is no bundle.") from None


def _project_plan(options: argparse.Namespace) -> str:
    from compiler import driver
    from compiler.cli.place import place
    from dsl.diagnostics import Sink
    from stdlib.plan.document import to_text

    where, sink = place(".", options), Sink()
    made = driver.plan(where.path, sink) if where.root is not None else None
    if made is None:
        where.tell(sink)
        raise Usage("there is no plan to compare with.", "Name the newest bundle: --bundle DIR.")
    return _digest(to_text(made[0]))


def _digest(text: str) -> str:
    """As a run has it that was begun with this plan."""
    return hashlib.sha256(text.encode()).hexdigest()
