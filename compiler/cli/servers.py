"""The servers of tools that a run starts: the person agrees to each program, and it starts in the project's folder."""

from __future__ import annotations

import sys
from collections.abc import Set
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.exits import NotAgreed

if TYPE_CHECKING:
    from compiler.sources.trust import Question
    from stdlib.plan.plan import Plan


def ask(question: Question) -> bool:
    """Show a program that is about to be started and wait for an answer; where nobody can answer it is no."""
    from compiler.project import PythonModule

    server = question.server
    what = "runs this Python code" if isinstance(server, PythonModule) else "starts this program"
    terminal.say(f"The source `{question.source}` {what} on your machine:")
    terminal.say(f"  {question.command_line}")
    if isinstance(server, PythonModule):
        return _yes("Run it")
    if server.env:
        terminal.say(f"  It is given the variables {', '.join(server.env)}.")
    if server.cwd:
        terminal.say(f"  It starts in the folder {server.cwd}.")
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
    """Make sure that the person agreed to the programs of these sources; raises NotAgreed where not."""
    if trusted:
        return
    from compiler.project import CommandProgram, PythonModule, StdioServer
    from compiler.sources.trust import Question, Runnable, Trust, agreed

    trust = Trust()
    for name, source in plan.sources.items():
        how = source.transport
        what: Runnable
        if name not in sources:
            continue
        if how.kind == "stdio":
            what = StdioServer(how.command, how.args, how.env, how.cwd)
        elif how.kind == "command":
            what = CommandProgram(how.program, how.env, how.cwd)
        elif how.kind == "python":
            what = PythonModule(how.file, how.module)
        else:
            continue
        if not agreed(root, Question(name, what), ask, trust):
            raise NotAgreed(f"the program of `{name}` was not agreed to.")
