"""From the words of the command line to a command and an exit code. Only the module of the command is imported."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from compiler.cli import terminal
from compiler.cli.arguments import Parser, nearest, table
from compiler.cli.exits import BUG, CLOSED, INTERRUPTED, OK, USAGE, Usage

COMMANDS = (
    ("check", "prove that workflows fit the tools they call"),
    ("build", "write the bundle: catalogue, provider schemas, plan, server package"),
    ("run", "run one chain and print its result"),
    ("test", "run the tests that stand beside the chains"),
    ("serve", "serve the chains as an MCP server"),
    ("runs", "list, show, export and forget what ran"),
    ("approve", "decide what a run awaits"),
    ("import", "add the servers of Claude Desktop, VS Code or Cursor to the manifest"),
    ("sync", "ask the sources for their tools and write the lock"),
    ("tools", "list the tools of the lock and of the standard library, with their types"),
    ("infer", "call a tool and propose what an import can claim that it returns"),
    ("fmt", "write files in the one style, and mend what is certain"),
    ("dump", "show what a stage makes of a file"),
    ("explain", "tell what a code means, with a wrong and a right program"),
)
"""Each is the module of its name in `compiler.cli`, with `arguments()` and `run(options)`. `PARTS` in it names commands
below it: `chainc runs list` is the module `runs_list`."""
_MODULES = {"import": "import_config"}
"""A module cannot be called like a word of Python."""

_ABOUT = "chainc compiles workflows over tools into one checked tool that an agent can call."
_GLOBAL = (
    ("-C, --project DIR", "work as if started in this folder"),
    ("--version", "print the version and exit"),
    ("-h, --help", "show this text, or behind a command its own, and exit"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; never raises, and writes results to stdout, everything else to stderr."""
    terminal.prepare()
    try:
        code = _command(list(sys.argv[1:] if argv is None else argv))
        terminal.finish()
        return code
    except Usage as wrong:
        terminal.say(f"chainc: {wrong.message}")
        if wrong.hint:
            terminal.say(f"  {wrong.hint}")
        return wrong.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        terminal.abandon()
        return CLOSED
    except Exception as bug:
        from compiler.cli.bug import report

        report(bug)
        return BUG


def _command(argv: list[str]) -> int:
    folder: str | None = None
    while argv and argv[0].startswith("-"):
        word = argv.pop(0)
        name, equals, value = word.partition("=")
        if word in ("-h", "--help"):
            terminal.out(overview())
            return OK
        if word == "--version":
            terminal.out(f"chainc {version()}\n")
            return OK
        if name in ("-C", "--project"):
            if not equals and not argv:
                raise Usage(f"{name} needs a folder.")
            folder = value if equals else argv.pop(0)
        else:
            raise Usage(f"chainc has no option {name}.", "`chainc --help` says what there is.")
    if not argv:
        terminal.say(overview().rstrip())
        return USAGE
    name = argv.pop(0)
    known = [each for each, _ in COMMANDS]
    if name not in known:
        meant = nearest(name, known)
        hint = f"Did you mean `chainc {meant}`?" if meant else f"The commands are {', '.join(known)}."
        raise Usage(f"there is no command `{name}`.", hint)
    command = import_module(f"compiler.cli.{_MODULES.get(name, name)}")
    if argv and argv[0] in getattr(command, "PARTS", ()):
        command = import_module(f"compiler.cli.{name}_{argv.pop(0)}")
    parser: Parser = command.arguments()
    parser.option("-C", "--project", metavar="DIR", default=folder, help=_GLOBAL[0][1])
    options = _read(parser, argv)
    if options is None:
        return OK
    options.started = _here()
    _enter(options.project)
    code: int = command.run(options)
    return code


def _read(parser: Parser, argv: list[str]) -> argparse.Namespace | None:
    """The options; None where the person only wanted the help text."""
    if "-h" in argv or "--help" in argv:
        terminal.out(parser.format_help())
        return None
    return parser.read(argv)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise Usage("the folder that you are in is not there any more.", "Go to one that is.") from None


def _enter(folder: str | None) -> None:
    if folder is None:
        return
    if not Path(folder).is_dir():
        raise Usage(f"there is no folder `{folder}`.")
    os.chdir(folder)


def overview() -> str:
    """The help text of `chainc` itself."""
    return "\n".join(
        [
            _ABOUT,
            "",
            "Usage: chainc [-C DIR] COMMAND [ARGUMENT…]",
            "",
            "Commands:",
            table(COMMANDS),
            "",
            "Options:",
            table(_GLOBAL),
            "",
            "Exit codes: 0 ok, 1 findings or a fault, 2 wrong usage, 70 a bug in chainc.",
            "",
        ]
    )


def version() -> str:
    """The installed version."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("chainc")
    except PackageNotFoundError:
        return "(not installed)"
