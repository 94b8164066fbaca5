"""`chainc runs show`: one run, from its receipts."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from compiler.cli import terminal
from compiler.cli.arguments import Parser, format_option
from compiler.cli.exits import OK
from compiler.cli.kept import look, same_store, store_options
from compiler.cli.runs_view import DIGEST, as_json, find_run, moment, question_text, short, took, whose

if TYPE_CHECKING:
    from stdlib.runtime.receipt import Receipt
    from stdlib.runtime.store import Store
    from stdlib.runtime.store.decisions import Awaited
    from stdlib.runtime.store.journal import RunRow


def arguments() -> Parser:
    parser = Parser(
        "chainc runs show",
        "Shows a run from its receipts: when each call began and how it ended; of each step whether it was allowed, "
        "called and done; who approved; what was taken back; the fault; what is awaited and how to decide it.",
        [
            ("chainc runs show run_3f9a", "the beginning of the id is enough"),
            ("chainc runs show run_3f9a --format json", "with the receipts themselves"),
        ],
    )
    parser.operand("run", help="the id of the run, or its beginning")
    format_option(parser)
    store_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    async def read(store: Store) -> tuple[RunRow, Sequence[Receipt], Sequence[Awaited]]:
        row = await find_run(store, options.run)
        receipts = await store.journal.receipts(row.begun.run)
        return row, receipts, [each for each in await store.decisions.awaited() if each.run == row.begun.run]

    row, receipts, awaited = look(options, read)
    now = time.time()
    if options.format == "json":
        terminal.out(_json(row, receipts, awaited, now))
    else:
        from dsl.glyphs import printable

        sections = _sections(row, receipts, awaited, now, same_store(options))
        terminal.out(printable("\n".join(each for each in sections if each), lines=True))
    return OK


def _json(row: RunRow, receipts: Sequence[Receipt], awaited: Sequence[Awaited], now: float) -> str:
    from dataclasses import asdict

    from compiler.cli import trace
    from compiler.cli.runs_facts import facts, undone
    from stdlib.plan.document import json_text

    told = as_json(row, awaited, now)
    told["facts"] = [asdict(each) for each in facts(receipts)]
    told["undone"] = [{"step": step, "outcome": outcome} for step, outcome in undone(receipts)]
    return json_text(told | {k: v for k, v in trace.as_json(row.begun.run, receipts).items() if k != "run"})


def _sections(
    row: RunRow, receipts: Sequence[Receipt], awaited: Sequence[Awaited], now: float, where: str
) -> Iterator[str]:
    from compiler.cli import trace
    from compiler.cli.columns import columns
    from compiler.cli.runs_facts import facts, people, undone

    begun, wide = row.begun, terminal.width(sys.stdout).get("width")
    lasted = f"took {took(row, now)}" if row.ended is not None else f"{took(row, now)} ago"
    head = [
        ["run", begun.run],
        ["chain", begun.chain + (f", called as version {begun.version}" if begun.version else "")],
        ["state", row.state],
        ["for", whose(row)],
        ["started", f"{moment(begun.started)}, {lasted}"],
        ["plan", begun.plan[:DIGEST]],
    ]
    yield columns(head, width=wide)
    yield trace.text(receipts, width=wide, marks=terminal.has_marks())
    steps = [[each.step, each.allowed, each.called, each.done] for each in facts(receipts)]
    yield columns([["step", "allowed", "called", "done"], *steps], width=wide) if steps else ""
    yield _block("People:", people(receipts))
    yield _block("Taken back:", [f"{step}: {outcome}" for step, outcome in undone(receipts)])
    if row.ended is not None and row.ended.fault is not None:
        yield _fault(row.ended.fault)
    yield _block("Awaited:", [line for each in awaited for line in _question(each, where)])
    if row.state == "interrupted":
        yield "Nobody drives this run. It goes on when the server that uses this store starts again.\n"


def _fault(fault: Mapping[str, Any]) -> str:
    at = f" at {fault['step']}" if fault.get("step") else ""
    lines = [f"{fault.get('message', '')}"]
    if fault.get("done"):
        lines.append(f"Done, and stays: {', '.join(fault['done'])}.")
    if fault.get("undone"):
        lines.append(f"Taken back: {', '.join(fault['undone'])}.")
    lines += [f"Not taken back: {each['step']}: {each['reason']}" for each in fault.get("not_undone", ())]
    if fault.get("next"):
        lines.append(fault["next"])
    return _block(f"Fault {fault.get('code', '')} {fault.get('class', '')}{at}:", lines)


def _question(asked: Awaited, where: str) -> Iterator[str]:
    yield from question_text(asked).splitlines()
    if asked.kind == "approve":
        group = "" if asked.by is None else " --principals FILE"
        step = quote(asked.step)
        yield f"decide it:  chainc approve {short(asked.run)} {step} --digest {asked.digest[:DIGEST]}{group}{where}"
    else:
        yield "It is answered through the client, by resume_run."


def _block(title: str, lines: Sequence[str]) -> str:
    return "".join([f"{title}\n", *(f"  {line}\n" for line in lines)]) if lines else ""
