"""`chainc runs list`: the runs of a store, the newest first."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser, choice, format_option
from compiler.cli.exits import OK, Usage
from compiler.cli.kept import look, store_options
from compiler.cli.runs_view import STATES, as_json, lasting, moment, row_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stdlib.runtime.store import Store
    from stdlib.runtime.store.decisions import Awaited
    from stdlib.runtime.store.journal import Forgotten, RunRow

_HEAD = ["run", "state", "chain", "for", "started", "took", ""]


def arguments() -> Parser:
    parser = Parser(
        "chainc runs list",
        "Lists runs, the newest first. A run is running, parked (only people are awaited), interrupted (it is not over "
        "and nobody drives it; it goes on when its server starts again), succeeded or failed.",
        [
            ("chainc runs list --state failed --chain refund_order", "what went wrong of one chain"),
            ("chainc runs list --server acme-support --format json", "of a generated server, for programs"),
        ],
    )
    parser.option("--state", metavar="STATE", type=choice("state", STATES), help=", ".join(STATES))
    parser.option("--chain", metavar="NAME", help="runs of this chain alone")
    parser.option("--limit", metavar="N", type=_whole, default=20, help="at most so many (20)")
    format_option(parser)
    store_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    async def read(store: Store) -> tuple[Sequence[RunRow], Sequence[Awaited], Sequence[Forgotten]]:
        rows = await store.journal.runs(limit=options.limit, state=options.state, chain=options.chain)
        return rows, await store.decisions.awaited(), await store.journal.forgotten()

    rows, awaited, forgotten = look(options, read)
    now = time.time()
    if options.format == "json":
        terminal.out(_json(rows, awaited, forgotten, now))
        return OK
    if rows:
        from compiler.cli.columns import columns

        table = [_HEAD, *(row_text(row, awaited, now) for row in rows)]
        terminal.out(columns(table, width=terminal.width(sys.stdout).get("width"), right=(5,)))
    else:
        terminal.say("There are no such runs." if options.state or options.chain else "There are no runs.")
    if forgotten:
        last = forgotten[-1]
        what = f"{last.runs} runs that had ended before {moment(last.before)}"
        terminal.say(f"{last.by} removed {what}, {lasting(now - last.at)} ago.")
    return OK


def _json(rows: Sequence[RunRow], awaited: Sequence[Awaited], forgotten: Sequence[Forgotten], now: float) -> str:
    from stdlib.plan.document import json_text
    from stdlib.runtime.receipt import timestamp

    removed = [
        {
            "by": each.by,
            "at": timestamp(each.at),
            "before": timestamp(each.before),
            "runs": each.runs,
            "receipts": each.receipts,
        }
        for each in forgotten
    ]
    return json_text({"runs": [as_json(row, awaited, now) for row in rows], "forgotten": removed})


def _whole(text: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    raise Usage(f"`{text}` is no number.", "--limit takes a whole number.")
