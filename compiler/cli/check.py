"""`chainc check`: what is wrong, and nothing else."""

from __future__ import annotations

import argparse
import sys

from compiler.cli import terminal
from compiler.cli.arguments import Parser, choice
from compiler.cli.exits import USAGE
from compiler.cli.place import outcome, place
from dsl.diagnostics import Sink

FORMATS = ("text", "json", "github")


def arguments() -> Parser:
    parser = Parser(
        "chainc check",
        "Proves that workflows fit the tools they call: names, arguments, types, absent values, order. Works offline, "
        "from the lock.",
        [
            ("chainc check", "the project of this folder"),
            ("chainc check --strict --format github", "in continuous integration: warnings count, too"),
        ],
    )
    parser.operand("path", nargs="*", help="projects, folders or files; without one the project of this folder")
    parser.option("--strict", action="store_true", help="exit with 1 for warnings, too")
    parser.option(
        "--format",
        type=choice("format", FORMATS),
        default="text",
        help="text, json (diagnostics as the Language Server Protocol has them) or github (annotations)",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    places = [place(path, options) for path in options.path or ["."]]
    from compiler import driver

    everything = Sink()  # files of one project share modules: what is said of those is told once
    for each in places:
        sink = Sink()
        driver.check(each.path, sink)
        everything.extend(each.seen(sink))
    found = list(everything)
    code = outcome(found, strict=options.strict)
    if options.format == "text":
        terminal.show(found, sys.stderr if code == USAGE else sys.stdout)
        if not found:
            terminal.say("No findings.")
    else:
        from dsl.interchange import to_github, to_json

        terminal.out(to_json(found) if options.format == "json" else to_github(found))
    return code
