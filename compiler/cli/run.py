"""`chainc run`: one call of one chain, from the text to the result."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.cli import terminal
from compiler.cli.arguments import Parser, format_option, nearest
from compiler.cli.exits import FINDINGS, OK, Usage
from compiler.cli.place import Place, outcome, place
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from stdlib.plan.plan import Chain, Plan
    from stdlib.runtime.fault import Fault
    from stdlib.runtime.receipt import Receipt
    from stdlib.runtime.store.handles import Handle


def arguments() -> Parser:
    parser = Parser(
        "chainc run",
        "Compiles the project, runs one chain against its real tools and prints the value of its output as JSON. "
        "Progress and faults go to stderr. Starts the programs that the manifest names, after you agreed to each; "
        "a dry run starts and calls nothing.",
        [
            ("chainc run issue_title --arg repo=acme/app --arg number=7", "one input each"),
            ("chainc run issue_title --json arguments.json", "all inputs as one JSON object"),
            ("chainc run issue_title --json arguments.json --dry-run", "what would be called, and in which order"),
        ],
    )
    parser.operand("chain", help="the name of the chain")
    parser.option(
        "--arg",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an input, read as its type says: text as it is, numbers, true and false, times such as 4h, lists and "
        "records as JSON; where it is a handle: its id, or a value to put under one, as JSON or @FILE",
    )
    parser.option("--json", metavar="FILE", help="inputs from a JSON file, - is stdin; --arg adds to them")
    parser.option(
        "--dry-run", action="store_true", help="print what a run with these inputs does, as far as it is known before"
    )
    parser.option("--trace", action="store_true", help="tell on stderr what was called when, and how it ended")
    format_option(parser, "how a dry run or a timeline is written: text (default), json")
    parser.option("--store", metavar="WHERE", help="where the run is kept: memory, or sqlite:PATH")
    parser.option("--trust", action="store_true", help="agree to what the manifest starts and sends")
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(".", options)
    from compiler import driver

    sink = Sink()
    made = driver.plan_of_chain(where.path, options.chain, sink)
    if made is None or where.root is None:
        where.tell(sink)
        return outcome(sink)
    plan, wrong = made
    if wrong:
        files = ", ".join(f"`{each}`" for each in wrong)
        terminal.say(f"warning: mistakes in {files}, which `{options.chain}` does not need; `chainc check` tells them")
    chain = plan.chains.get(options.chain)
    if chain is None:
        raise _unknown(options.chain, [each.id for each in plan.chains.values() if not each.private])
    if chain.private:
        raise Usage(f"the chain `{chain.id}` is private: only chains call it.", "Run a chain that calls it.")
    from compiler.cli.handed import without_values
    from stdlib.runtime.fault import RunFault

    try:
        given = _arguments(options, plan, chain)
    except RunFault as refused:
        return _failed(refused.fault, where)
    _check_names(chain, given)
    if options.dry_run:
        return _dry_run(plan, chain.id, without_values(given), where, options.format)
    from compiler.cli.servers import agree, tell_unset
    from stdlib.plan.reach import sources_of

    sources = sources_of(plan.chains, chain.id)
    agree(plan, where.root, options.trust, sources)
    tell_unset(plan, sources)
    from compiler.cli.call import call
    from compiler.cli.kept import where_kept

    store = where_kept(where.root, options.store)

    def trace(run_id: str | None, receipts: Sequence[Receipt]) -> None:
        if options.trace:
            _trace(run_id, receipts, options.format)

    result = call(plan, where.root, chain.id, given, store, interrupted=trace)
    trace(result.run, result.receipts)
    if result.summary:
        terminal.say(result.summary)
    if result.fault is None and result.handle is not None and store != "memory":
        terminal.say(_handle_line(result.handle))
    if result.fault is not None and result.handle is None:
        return _failed(result.fault, where)
    from stdlib.plan.document import json_text
    from stdlib.runtime.held import Held

    # A value too large for a model, kept under a handle there, is not for a file; one too large for memory stays there.
    terminal.out(json_text(result.wire if isinstance(result.value, Held) else result.value))
    return OK


def _handle_line(handle: Handle) -> str:
    """The handle as clients get it, on one line."""
    import json

    return json.dumps({"handle": handle.to_json()}, ensure_ascii=False)


def _dry_run(plan: Plan, chain_id: str, given: dict[str, Any], where: Place, form: str) -> int:
    from compiler.cli import dry_run, dry_run_json
    from compiler.cli.forecast import forecast
    from dsl.glyphs import printable
    from stdlib.plan.document import json_text
    from stdlib.runtime.adapt import accept
    from stdlib.runtime.fault import RunFault
    from stdlib.runtime.load import load_plan

    loaded = load_plan(plan)
    try:
        accepted = accept(loaded.chains[chain_id], given, strict_nulls=False)
    except RunFault as refused:
        return _failed(refused.fault, where)
    block = forecast(loaded, chain_id, accepted.arguments)
    if form == "json":
        terminal.out(json_text(dry_run_json.as_json(loaded, chain_id, block, accepted)))
    else:
        terminal.out(printable(dry_run.text(loaded, chain_id, block, accepted, where.root), lines=True))
    return OK if block.fault is None else _failed(block.fault, where)


def _failed(fault: Fault, where: Place) -> int:
    from compiler.cli.fault import diagnostic

    terminal.show_one(diagnostic(fault, where), sys.stderr)
    return FINDINGS


def _trace(run_id: str | None, receipts: Sequence[Receipt], form: str) -> None:
    from compiler.cli.trace import as_json, text
    from stdlib.plan.document import json_text

    if form == "json":
        terminal.say(json_text(as_json(run_id, receipts)).rstrip())
    else:
        terminal.say(text(receipts, **terminal.width(sys.stderr), marks=terminal.has_marks()).rstrip())


def _arguments(options: argparse.Namespace, plan: Plan, chain: Chain) -> dict[str, Any]:
    """Values for handles are `Handed`. Raises Usage, and the fault `invalid_input` for one that is not of its kind."""
    from compiler.cli.handed import Handed, checked, handed_of, kinds_of, read_handed
    from compiler.cli.values import read_arguments

    kinds = kinds_of(plan, chain)
    under, others = read_handed(options.arg, kinds)
    given = {name: handed_of(each, kinds[name][0]) if name in kinds else each for name, each in _json(options).items()}
    given |= read_arguments(others, chain.input_schema) | under
    return {
        name: checked(name, each, kinds[name][1]) if isinstance(each, Handed) else each for name, each in given.items()
    }


def _check_names(chain: Chain, given: dict[str, Any]) -> None:
    """Raises Usage for an input that is missing, and for one that the chain does not have; where adapters take older
    calls, the run finds out."""
    from stdlib.runtime.loaded import REQUEST_KEY

    if chain.adapters:
        return
    known = [each.name for each in chain.inputs]
    unknown = next((name for name in given if name not in known and name != REQUEST_KEY), None)
    if unknown is not None:
        meant = nearest(unknown, known)
        hint = f"Did you mean `{meant}`?" if meant else f"It has: {', '.join(known) or 'none'}."
        raise Usage(f"`{chain.id}` has no input `{unknown}`.", hint)
    missing = [each.name for each in chain.inputs if each.required and each.name not in given]
    if missing:
        needs = " and ".join(f"`{each}`" for each in missing)
        given_as = " ".join(f"--arg {each}=…" for each in missing)
        raise Usage(f"`{chain.id}` needs the input{'s' if len(missing) > 1 else ''} {needs}.", f"Add {given_as}")


def _json(options: argparse.Namespace) -> dict[str, Any]:
    from compiler.cli.values import read_json

    given: dict[str, Any] = {}
    if options.json is not None:
        try:
            text = (sys.stdin.buffer.read() if options.json == "-" else Path(options.json).read_bytes()).decode()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise Usage(f"`{options.json}` cannot be read: {why}.") from None
        given = read_json(text, "stdin" if options.json == "-" else f"`{options.json}`")
    return given


def _unknown(name: str, known: list[str]) -> Usage:
    meant = nearest(name, known)
    hint = f"Did you mean `{meant}`?" if meant else f"It has: {', '.join(known)}." if known else "It has no chains."
    return Usage(f"the project has no chain `{name}`.", hint)
