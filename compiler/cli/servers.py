"""The servers of tools that a run starts: the person agrees to each program, and it starts in the project's folder."""

from __future__ import annotations

import sys
from collections.abc import Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.exits import NotAgreed

if TYPE_CHECKING:
    from compiler.sources.trust import Agreeable, Question
    from stdlib.plan.plan import Plan, Transport


def ask(question: Question) -> bool:
    """Show a program that is about to be started, or where variables are about to go, and wait for an answer; where
    nobody can answer it is no."""
    from compiler.project import PythonModule
    from compiler.sources.trust import Sending

    server = question.server
    if isinstance(server, Sending):
        what = "sends these variables of your environment"
    elif isinstance(server, PythonModule):
        what = "runs this Python code on your machine"
    else:
        what = "starts this program on your machine"
    terminal.say(f"The source `{question.source}` {what}:")
    for line in question.lines:
        terminal.say(f"  {line}")
    if isinstance(server, Sending):
        return _yes("Send them")
    if isinstance(server, PythonModule):
        return _yes("Run it")
    if server.env:
        terminal.say(f"  It is given the variables {', '.join(server.env)}.")
    if server.cwd:
        terminal.say(f"  It starts in the folder {server.cwd}.")
    if question.more:
        ways = "one more way" if question.more == 1 else f"{question.more} more ways"
        terminal.say(f"  After this, {ways} of starting it will be asked about.")
    return _yes("Start it")


def _yes(what: str) -> bool:
    if not sys.stdin.isatty():
        terminal.say("Nobody can answer here: run this in a terminal once, or pass --trust.")
        return False
    sys.stderr.write(f"{what}, now and from now on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def at_home(plan: Plan, root: Path) -> Plan:
    """The plan with programs that start in the folder of the project, and roots that are relative to it, wherever we
    are."""
    moved = {}
    for name, source in plan.sources.items():
        how = source.transport
        if how.kind == "stdio" or how.kind == "command":
            source = source.model_copy(
                update={"transport": how.model_copy(update={"cwd": str(root / (how.cwd or "."))})}
            )
        moved[name] = source
    roots = tuple(str(root / each) for each in plan.network.roots)
    network = plan.network.model_copy(update={"roots": roots})
    return plan.model_copy(update={"sources": moved, "network": network})


def tell_unset(plan: Plan, sources: Set[str]) -> None:
    """A line for each source whose program is to get a variable that is not set."""
    from stdlib.connect.unset import unset, unset_words

    for name, source in plan.sources.items():
        missing = unset(source.transport.env) if name in sources and source.transport.kind == "stdio" else ()
        if missing:
            terminal.say(f"warning: {unset_words(missing, name)}")


def agree(plan: Plan, root: Path, trusted: bool, sources: Set[str]) -> None:
    """Make sure that the person agreed to the programs of these sources, and to the variables that they send; raises
    NotAgreed where not."""
    if trusted:
        return
    from compiler.sources.trust import Question, Sending, Trust, agreed

    trust = Trust()
    for name, source in plan.sources.items():
        for needs in _needs(source.transport) if name in sources else ():
            question = None if needs is None else Question(name, needs)
            if question is not None and not agreed(root, question, ask, trust):
                which = "what is sent to" if isinstance(needs, Sending) else "the program of"
                if question.too_long:
                    why = f"{which} `{name}` cannot be agreed to: {question.too_long}."
                    raise NotAgreed(why, "Write less there, or pass --trust.")
                raise NotAgreed(f"{which} `{name}` was not agreed to.")


def _needs(way: Transport) -> Sequence[Agreeable | None]:
    """What a person must agree to before tools of such a source are called. Operations of a document may have servers
    of their own, to which the same variables go."""
    from compiler.project import HttpServer, PythonModule, StdioServer
    from compiler.sources.command_lines import commands_of
    from compiler.sources.trust import sending, sent_by
    from stdlib.plan.openapi import credential_variables

    match way.kind:
        case "stdio":
            return (StdioServer(way.command, way.args, way.env, way.cwd),)
        case "command":
            return (commands_of(way),)
        case "python":
            return (PythonModule(way.file, way.module),)
        case "http":
            return (sent_by(HttpServer(way.url, tuple(way.headers.items()))),)
        case "openapi":
            names = [each for known in way.auth.values() for each in credential_variables(known)]
            scheme = way.base_url.partition(":")[0]
            own = [each.server or "" for each in way.operations.values() if each.elsewhere]
            places = [way.base_url, *(f"{scheme}:{url}" if url.startswith("//") else url for url in own)]
            return list(dict.fromkeys(sending(url, names) for url in places))
        case "std":
            return ()
