"""`chainc explain`: the page of a code."""

from __future__ import annotations

import argparse

from compiler.cli import terminal
from compiler.cli.arguments import Parser, nearest
from compiler.cli.exits import OK, Usage
from dsl.codes import Page, codes, page


def arguments() -> Parser:
    parser = Parser(
        "chainc explain",
        "Tells what a code means, with a program that is wrong and one that is right.",
        [("chainc explain E0408", "one code"), ("chainc explain", "the list of all codes")],
    )
    parser.operand("code", nargs="?", help="a code such as E0408; without one all codes are listed")
    return parser


def run(options: argparse.Namespace) -> int:
    if options.code is None:
        terminal.out("".join(f"{code}  {found.title}\n" for code in codes() if (found := page(code))))
        return OK
    found = page(options.code.upper()) or _titled(options.code)
    if found is None:
        meant = nearest(options.code, list(codes()))
        hint = f"Did you mean {meant}? " if meant else ""
        raise Usage(f"there is no code `{options.code}`.", f"{hint}`chainc explain` lists them all.")
    terminal.out(found.text)
    return OK


def _titled(title: str) -> Page | None:
    """A page by its title: faults are known by their names, `timeout` is F0009."""
    pages = (page(code) for code in codes())
    return next((each for each in pages if each is not None and each.title.casefold() == title.casefold()), None)
