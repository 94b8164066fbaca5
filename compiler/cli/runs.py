"""`chainc runs`: what ran, from the journal and the receipts of a store. Each part is a module of its own."""

from __future__ import annotations

import argparse

from compiler.cli import terminal
from compiler.cli.arguments import Parser, nearest
from compiler.cli.exits import USAGE, Usage

PARTS = ("list", "show", "export", "drain", "forget")


def arguments() -> Parser:
    parser = Parser(
        "chainc runs",
        "Looks into the store of the project, or of a server: which runs there are, what each of them called, who "
        "approved it, what is still needed. `chainc runs PART --help` says more of each part.",
        [
            ("chainc runs list --state parked", "the newest first; states: running, parked, interrupted, …"),
            ("chainc runs show run_3f9a", "one run: what was allowed, called and done; what it awaits"),
            ("chainc runs export --redact", "receipts for an audit, one JSON line each"),
            ("chainc runs drain", "which runs and handles still hold an older plan"),
            ("chainc runs forget --older 30d", "remove what ended long ago, receipts, too"),
        ],
    )
    parser.operand("part", nargs="?", help="list, show, export, drain or forget")
    return parser


def run(options: argparse.Namespace) -> int:
    if options.part is None:
        terminal.say(arguments().format_help().rstrip())
        return USAGE
    meant = nearest(options.part, list(PARTS))
    hint = f"Did you mean `chainc runs {meant}`?" if meant else f"There are {', '.join(PARTS)}."
    raise Usage(f"there is no `chainc runs {options.part}`.", hint)
