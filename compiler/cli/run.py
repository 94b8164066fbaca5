"""`chainc run`: one call of one chain, from the text to the result."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.cli import terminal
from compiler.cli.arguments import Parser, nearest
from compiler.cli.exits import FINDINGS, OK, Usage
from compiler.cli.place import Place, outcome, place
from dsl.diagnostics import Diagnostic, Sink
from dsl.source import Source, Span

if TYPE_CHECKING:
    from stdlib.plan.model import JsonSchema, Origin
    from stdlib.plan.plan import Plan
    from stdlib.runtime.events import Progress
    from stdlib.runtime.fault import Fault
    from stdlib.runtime.run import Result


def arguments() -> Parser:
    parser = Parser(
        "chainc run",
        "Compiles the project, runs one chain against its real tools and prints the value of its output as JSON. "
        "Progress and faults go to stderr. Starts the programs that the manifest names, after you agreed to each.",
        [
            ("chainc run issue_title --arg repo=acme/app --arg number=7", "one input each"),
            ("chainc run issue_title --json arguments.json", "all inputs as one JSON object"),
        ],
    )
    parser.operand("chain", help="the name of the chain")
    parser.option(
        "--arg",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an input, read as its type says: text as it is, numbers, true and false, times such as 4h, lists and "
        "records as JSON",
    )
    parser.option("--json", metavar="FILE", help="inputs from a JSON file, - is stdin; --arg adds to them")
    parser.option("--trust", action="store_true", help="start the programs of the manifest without asking")
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(".", options)
    from compiler import driver

    sink = Sink()
    made = driver.plan(where.path, sink)
    if made is None or where.root is None:
        where.tell(sink)
        return outcome(sink)
    plan = made[0]
    chain = plan.chains.get(options.chain)
    if chain is None:
        raise _unknown(options.chain, list(plan.chains))
    given = _arguments(options, chain.input_schema)
    from compiler.cli.servers import agree, used_by

    agree(plan, where.root, options.trust, used_by(plan, chain.id))
    result = _call(plan, where.root, chain.id, given)
    if result.summary:
        terminal.say(result.summary)
    if result.fault is not None and result.handle is None:
        (told,) = where.seen([_told(result.fault, where)])
        terminal.show_one(told, sys.stderr)
        return FINDINGS
    from stdlib.plan.document import json_text

    terminal.out(json_text(result.value))  # a value too large for a model, kept under a handle there, is not for a file
    return OK


def _arguments(options: argparse.Namespace, schema: JsonSchema) -> dict[str, Any]:
    from compiler.cli.values import read_arguments, read_json

    given: dict[str, Any] = {}
    if options.json is not None:
        try:
            text = (sys.stdin.buffer.read() if options.json == "-" else Path(options.json).read_bytes()).decode()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise Usage(f"`{options.json}` cannot be read: {why}.") from None
        given = read_json(text, "stdin" if options.json == "-" else f"`{options.json}`")
    return given | read_arguments(options.arg, schema)


def _unknown(name: str, known: list[str]) -> Usage:
    meant = nearest(name, known)
    hint = f"Did you mean `{meant}`?" if meant else f"It has: {', '.join(known)}." if known else "It has no chains."
    return Usage(f"the project has no chain `{name}`.", hint)


def _call(plan: Plan, root: Path, chain_id: str, arguments: dict[str, Any]) -> Result:
    import anyio

    from compiler.cli.people import PersonHere
    from compiler.cli.servers import at_home
    from stdlib.connect.router import Router
    from stdlib.runtime.handles import MemoryHandles
    from stdlib.runtime.load import load_plan
    from stdlib.runtime.run import Caller, run_chain

    if not os.environ.get("CHAINC_TRACEBACK"):
        logging.getLogger("chainc").addHandler(logging.NullHandler())  # a fault says it in its own words

    async def progress(step: Progress) -> None:
        terminal.say(f"[{step.finished:.3g}/{step.total}] {step.message}")

    async def call() -> Result:
        async with Router(at_home(plan, root), root) as tools:
            return await run_chain(
                load_plan(plan),
                chain_id,
                arguments,
                tools=tools,
                handles=MemoryHandles(),
                people=PersonHere(),
                caller=Caller(on_progress=progress),
            )

    with terminal.kept_for_results():  # functions of the project may print
        return anyio.run(call)


def _told(fault: Fault, where: Place) -> Diagnostic:
    """A fault in the form of a diagnostic: its place is the step in the workflow's text."""
    told = fault.to_json()
    notes = [f"Already done, and it stays so: {', '.join(fault.done)}."] if fault.done else []
    if fault.undone:
        notes.append(f"Taken back: {', '.join(fault.undone)}.")
    notes += [f"Not taken back: {each['step']}. {each['reason']}" for each in fault.not_undone]
    return Diagnostic(
        code=told["code"],
        message=f"{fault.fault_class}: {fault.message}",
        span=_span(fault.origin, where) if fault.origin else None,
        label=f"in `{fault.step}`" if fault.step else "",
        notes=tuple(notes),
        helps=(told["next"],),
    )


def _span(origin: Origin, where: Place) -> Span | None:
    """From where something starts to the end of its line."""
    from compiler.loader.files import Folder

    text = Folder(where.root).text(origin.file) if where.root else None
    if not isinstance(text, str):
        return None
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: origin.line - 1]) + origin.column - 1
    return Span(Source(origin.file, text), start, start + len(lines[origin.line - 1].rstrip()) - origin.column + 1)
