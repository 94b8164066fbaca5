"""`chainc infer`: a claim about what a tool returns, from what it did return."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.cli import terminal
from compiler.cli.arguments import Parser
from compiler.cli.exits import FINDINGS, OK, Usage
from compiler.cli.place import no_source, outcome, place
from dsl.diagnostics import Diagnostic, Sink

if TYPE_CHECKING:
    from compiler.cli.seen import Seen
    from compiler.loader.manifest import Manifest
    from compiler.names.proposed import Claim
    from compiler.project import LockedSource, LockedTool


def arguments() -> Parser:
    parser = Parser(
        "chainc infer",
        "Calls a tool and proposes what an import can claim that it returns. Several results are brought under one "
        "type: fields that one of them lacks are optional, formats are those that all texts have. Starts the program "
        "of the source after you agreed to it. A claim is checked on every answer when a chain runs.",
        [
            ('chainc infer github.get_issue --args \'{"repo": "acme/app", "number": 7}\'', "from one call"),
            ("chainc infer github.get_issue --results kept.jsonl", "from recorded results, without a call"),
            ("chainc infer github.get_issue --arg number=7 --write chains/a.chain", "into the import of a file"),
        ],
    )
    parser.operand("tool", help="SOURCE.TOOL, a tool of the lock")
    parser.option(
        "--args", metavar="JSON", action="append", default=[], help="arguments of one call; given again: one more call"
    )
    parser.option("--arg", metavar="NAME=VALUE", action="append", default=[], help="an argument of every call")
    parser.option("--results", metavar="FILE", help="recorded results, JSON or one a line (.jsonl); nothing is called")
    parser.option(
        "--choices", metavar="FIELD", action="append", default=[], help="the texts of this field are all that it has"
    )
    parser.option("--write", metavar="FILE", help="put the claim into the import block of this file")
    parser.option("--yes-it-may-write", action="store_true", help="call a tool that is not known to be read-only")
    parser.option("--trust", action="store_true", help="agree to what the source starts and sends")
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(".", options)
    root = where.home
    sink = Sink()
    found = _tool(root, options.tool, sink)
    if found is None:
        where.tell(sink)
        return outcome(sink)
    manifest, source, tool = found
    if (declared := _declared(tool)) != "":
        terminal.say(f"`{options.tool}` declares what it returns, so no claim is needed: {declared}")
        return OK
    from stdlib.runtime.fault import RunFault

    try:
        seen = _seen(options, manifest, root, source, tool)
    except RunFault as failed:
        from compiler.cli.fault import diagnostic

        terminal.show_one(diagnostic(failed.fault, where), sys.stderr)
        return FINDINGS
    claim = _claim(seen, tool, options.choices)
    from compiler.names.proposed import claim_text

    if seen.unread:
        what = "is not read with a claim; without one it is in `content`"
        terminal.say(f"The results also hold {' and '.join(seen.unread)}, which {what}.")
    results = "1 result" if len(seen.values) == 1 else f"{len(seen.values)} results"
    if options.write is None:
        terminal.out(claim_text(source, tool, claim))
        terminal.say(f"From {results}: read it before you claim it; what was not seen is not in it.")
        return OK
    return _write(Path(options.write), source, tool, claim, results)


def _tool(root: Path, name: str, sink: Sink) -> tuple[Manifest, LockedSource, LockedTool] | None:
    """The tool, and where it comes from; raises Usage where there is none, and tells what else is wrong."""
    from compiler.cli.arguments import nearest
    from compiler.loader.files import Folder, Refused
    from compiler.loader.load import locked_by_name
    from compiler.loader.lock import locked_source, read_lock
    from compiler.loader.manifest import read_manifest
    from compiler.names.tools import find_tool, tool_names

    folder = Folder(root)
    manifest = read_manifest(folder, sink)
    if manifest is None:
        return None
    known = locked_by_name(folder, manifest)
    prefixes = [each for each in known if name.startswith(f"{each}.")]
    if not prefixes:
        if "." not in name:
            raise Usage(f"`{name}` names no tool.", "Write SOURCE.TOOL; `chainc tools` lists them.")
        raise no_source(name.partition(".")[0], list(known))
    entry = known[max(prefixes, key=len)]
    if entry.transport is None:
        return None
    lock = read_lock(folder, entry.name)
    source = lock if isinstance(lock, Refused) else locked_source(folder, entry, lock)
    if isinstance(source, Refused):
        helps = (source.help,) if source.help else ()
        sink.add(Diagnostic(code=source.code, message=source.message, span=entry.span, helps=helps))
        return None
    wanted = name[len(entry.name) + 1 :]
    tool = find_tool(source, wanted)
    if tool is None:
        meant = nearest(wanted, tool_names(source))
        hint = f"Did you mean `{source.name}.{meant}`?" if meant else f"`chainc tools {source.name}` lists its tools."
        raise Usage(f"`{source.name}` has no tool `{wanted}`.", hint)
    return manifest, source, tool


def _declared(tool: LockedTool) -> str:
    """The type of the result where the tool declares one that says something."""
    from compiler.types.from_schema import BadSchema, from_schema
    from stdlib.values.show import show
    from stdlib.values.types import JSON, Record

    given = None if tool.output_schema is None else from_schema(tool.output_schema)
    if given is None or isinstance(given, BadSchema) or given.type == JSON or given.type == Record(()):
        return ""
    return show(given.type)


def _seen(options: argparse.Namespace, manifest: Manifest, root: Path, source: LockedSource, tool: LockedTool) -> Seen:
    """The results; raises Usage, NotAgreed and `RunFault`."""
    from compiler.cli import seen

    label = f"`{source.name}.{tool.alias}`"
    if options.results is not None:
        if options.args or options.arg:
            raise Usage("--results are recorded, so there are no arguments.")
        answers = [each for each in seen.recorded(options.results) if not each.is_error]
        if not answers:
            raise Usage(f"`{options.results}` holds no result of a call that went well.")
        return seen.values_of(answers)
    calls = _arguments(options, tool, label)
    if not (tool.annotations and tool.annotations.read_only) and not options.yes_it_may_write:
        what = f"{label} is not known to be read-only, so a call may change something."
        raise Usage(what, "If that may happen here, say `--yes-it-may-write`.")
    from compiler.cli.servers import agree
    from compiler.lower.single import plan_of_tool

    plan = plan_of_tool(manifest.settings, source, tool)
    agree(plan, root, options.trust, {source.name})
    return seen.values_of(seen.call(plan, root, label, calls))


def _arguments(options: argparse.Namespace, tool: LockedTool, label: str) -> list[dict[str, Any]]:
    """What each call is given, as the tool's schema wants it; raises Usage."""
    from compiler.cli.values import read_arguments, read_json
    from stdlib.runtime.schema import Shape

    shared = read_arguments(options.arg, tool.input_schema, label)
    calls = [read_json(text, "--args") | shared for text in options.args] or [shared]
    shape = Shape(tool.input_schema)
    for given in calls:
        wrong = shape.mismatch(given)
        if wrong is not None:
            _check_names(tool, given, label)
            raise Usage(f"{label} does not take this: {wrong.sentence('the whole of it')}")
    return calls


def _check_names(tool: LockedTool, given: dict[str, Any], label: str) -> None:
    """Raises Usage for an argument that is missing, and for one that a tool that takes no others does not have."""
    from compiler.cli.arguments import nearest
    from compiler.types.from_schema import BadSchema, parameters

    taken = parameters(tool.input_schema)
    if isinstance(taken, BadSchema):
        return
    known = [each.name for each in taken.record.fields]
    missing = [each.name for each in taken.record.fields if each.required and each.name not in given]
    unknown = [each for each in given if each not in known]
    meant = {each: nearest(each, missing or known) for each in unknown}
    hints = [
        f"There is no `{each}`: did you mean `{near}`?" if near else f"There is no `{each}`."
        for each, near in meant.items()
    ]
    if missing:
        names = " and ".join(f"`{each}`" for each in missing)
        what = f"the argument {names} is" if len(missing) == 1 else f"the arguments {names} are"
        raise Usage(f"{what} missing: {label} needs {'it' if len(missing) == 1 else 'them'}.", " ".join(hints))
    if unknown and tool.input_schema.get("additionalProperties") is False:
        raise Usage(f"{label} has no argument `{unknown[0]}`.", hints[0].partition(": ")[2].capitalize())


def _claim(seen: Seen, tool: LockedTool, choices: list[str]) -> Claim:
    """The claim; every value that was seen is held against it as a run would."""
    from compiler.names.proposed import Claim
    from compiler.types.inferred import inferred
    from compiler.types.to_schema import to_schema
    from stdlib.runtime.schema import Shape

    hints = _offered_choices(tool) | dict.fromkeys(choices, ())
    made = inferred(seen.values, hints)
    shape = Shape(to_schema(made))
    assert all(shape.mismatch(each) is None for each in seen.values), "what was seen fits"
    return Claim(made, seen.parse)


def _offered_choices(tool: LockedTool) -> dict[str, tuple[str, ...]]:
    """The parameters that are one of few texts: a field of the same name is likely one of them, too."""
    from compiler.types.from_schema import BadSchema, parameters
    from stdlib.values.types import LiteralType, members, present

    taken = parameters(tool.input_schema)
    found: dict[str, tuple[str, ...]] = {}
    for each in () if isinstance(taken, BadSchema) else taken.record.fields:
        said = [m.value for m in members(present(each.type)) if isinstance(m, LiteralType)]
        texts = tuple(value for value in said if isinstance(value, str))
        if texts and len(texts) == len(members(present(each.type))):
            found[each.name] = texts
    return found


def _write(file: Path, source: LockedSource, tool: LockedTool, claim: Claim, results: str) -> int:
    """Put the claim into a file; raises Usage where it has no place in it."""
    from compiler.names.proposed import CannotWrite, with_claim
    from compiler.sources.atomic import write_text
    from dsl.source import Source

    name = file.as_posix()
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Usage(f"`{name}` cannot be read: {why}.") from None
    sink = Sink()
    try:
        made = with_claim(Source(name, text), source, tool, claim, sink)
    except CannotWrite as cannot:
        raise Usage(f"{cannot.why}.", cannot.hint) from None
    if sink.has_errors:
        terminal.show(sink, sys.stderr)
        return FINDINGS
    real = file.resolve()
    try:
        write_text(real, made, mode=real.stat().st_mode & 0o7777)
    except OSError as error:
        raise Usage(f"`{name}` cannot be written: {(error.strerror or 'it fails').lower()}.") from None
    terminal.say(f"{name}: `{tool.alias}` claims what {results} had. `chainc check` says whether the chains fit it.")
    return OK
