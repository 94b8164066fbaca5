"""`chainc runs export`: receipts as JSON lines, in the order in which they were written."""

from __future__ import annotations

import argparse
import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.exits import OK, Usage
from compiler.cli.kept import look, store_options
from compiler.cli.runs_view import find_run

if TYPE_CHECKING:
    from stdlib.runtime.store import Store

_PAGE: Final = 500


def arguments() -> Parser:
    parser = Parser(
        "chainc runs export",
        "Writes receipts as JSON lines, one a call or an answer of a person, in the order in which they were written. "
        "Their form is published as chainc.receipt.schema.json.",
        [
            ("chainc runs export > receipts.jsonl", "all of them"),
            ("chainc runs export run_3f9a run_77c0", "those of two runs"),
            ("chainc runs export --redact --salt salt.bin", "for others, with names that can be compared later"),
        ],
    )
    parser.operand("run", nargs="*", help="the ids of runs, or their beginnings; none: every run")
    parser.option(
        "--redact",
        action="store_true",
        help="leave out what tools gave back and what people wrote; names, digests and keys become other, equal signs",
    )
    parser.option(
        "--salt",
        metavar="FILE",
        help="for --redact: the same secret bytes make the same signs of the same names; without, each export differs",
    )
    store_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    salt = _salt(options)

    async def write(store: Store) -> None:
        from compiler.cli.runs_redact import redacted

        runs = [(await find_run(store, each)).begun.run for each in options.run]
        after = 0
        while page := await store.journal.record(runs, after=after, limit=_PAGE):
            lines = (receipt.to_json() for _, receipt in page)
            terminal.out("".join(_line(each if salt is None else redacted(each, salt)) for each in lines))
            after = page[-1][0]

    look(options, write)
    return OK


def _salt(options: argparse.Namespace) -> bytes | None:
    if not options.redact:
        if options.salt is not None:
            raise Usage("--salt is for --redact.")
        return None
    if options.salt is None:
        return secrets.token_bytes(32)
    try:
        salt = Path(options.salt).read_bytes()
    except OSError as error:
        raise Usage(f"`{options.salt}` cannot be read: {error.strerror or 'no file'}.") from None
    if len(salt) < 16:
        raise Usage(f"`{options.salt}` has {len(salt)} bytes: too few to be secret.", "Write 16 random bytes or more.")
    return salt


def _line(receipt: dict[str, Any]) -> str:
    from stdlib.values.canonical import clean_text

    return clean_text(json.dumps(receipt, ensure_ascii=False, allow_nan=False, separators=(",", ":"))) + "\n"
