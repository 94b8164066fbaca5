"""Arguments: argparse with our words and a help text that looks the same under every Python.

typer costs 120 ms of CPU on the way to a command, about what checking a small file takes; argparse costs 15.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any, NoReturn

from compiler.cli.exits import Usage

_WIDTH = 96
_COLUMN = 24


class Parser(argparse.ArgumentParser):
    """The arguments of one command. `about` is its description, `examples` are (command line, what it does) pairs."""

    def __init__(self, name: str, about: str, examples: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(prog=name, description=about, add_help=False, allow_abbrev=False)
        self.examples = examples
        self.option("-h", "--help", action="help", help="show this text and exit")

    def option(self, *names: str, **settings: Any) -> None:
        """An option; `help` is a phrase without a full stop."""
        self.add_argument(*names, **settings)

    def operand(self, name: str, **settings: Any) -> None:
        """An argument without a name of its own; shown in capitals."""
        self.add_argument(name, metavar=name.upper(), **settings)

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """The options; raises Usage."""
        options, rest = self.parse_known_args(list(argv))
        for word in rest:
            if word.startswith("-") and word != "-":
                name = word.partition("=")[0]
                raise self._wrong(
                    f"{self.prog} has no option {name}.", nearest(name, list(self._option_string_actions))
                )
            raise self._wrong(f"{self.prog} does not know what to do with `{word}`.")
        return options

    def error(self, message: str) -> NoReturn:
        """argparse's own complaints, in our words where we know them."""
        if found := re.match(r"argument (\S+): expected .*argument", message):
            raise self._wrong(f"{found[1].replace('/', ', ')} needs a value.")
        if found := re.match(r"the following arguments are required: (.*)", message):
            raise self._wrong(f"{self.prog} needs {found[1]}.")
        raise self._wrong(f"{self.prog}: {message}.")

    def _wrong(self, message: str, meant: str = "") -> Usage:
        return Usage(message, f"Did you mean {meant}?" if meant else f"`{self.prog} --help` says what there is.")

    def format_usage(self) -> str:
        operands = [_placeholder(action) for action in self._actions if not action.option_strings]
        return " ".join(["Usage:", self.prog, *operands, "[OPTION…]"]) + "\n"

    def format_help(self) -> str:
        parts = ["\n".join(wrap(self.description or "", _WIDTH)), self.format_usage().rstrip()]
        operands = [(_placeholder(action), action.help or "") for action in self._actions if not action.option_strings]
        options = [(_spelling(action), action.help or "") for action in self._actions if action.option_strings]
        for title, rows in (("Arguments", operands), ("Options", options), ("Examples", self.examples)):
            if rows:
                parts.append(f"{title}:\n" + table(rows))
        return "\n\n".join(parts) + "\n"


def choice(kind: str, names: Sequence[str]) -> Any:
    """The `type` of an option that takes one of these names."""

    def read(text: str) -> str:
        if text in names:
            return text
        meant = nearest(text, list(names))
        hint = f"Did you mean {meant}? " if meant else ""
        verb = "are" if len(names) > 1 else "is"
        raise Usage(f"there is no {kind} `{text}`.", f"{hint}There {verb} {', '.join(names)}.")

    return read


def format_option(parser: Parser, told: str = "text, json") -> None:
    """`--format text` or `json`. `told`: its help."""
    parser.option("--format", metavar="FORMAT", type=choice("format", ["text", "json"]), default="text", help=told)


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Two columns; a long left one has a line for itself."""
    lines = []
    for left, right in rows:
        told = wrap(right, _WIDTH - _COLUMN) or [""]
        if len(left) > _COLUMN - 4:
            lines.append(f"  {left}")
            lines += [" " * _COLUMN + each for each in told]
        else:
            lines += [(f"  {left}" if not number else "").ljust(_COLUMN) + each for number, each in enumerate(told)]
    return "\n".join(line.rstrip() for line in lines)


def _placeholder(action: argparse.Action) -> str:
    name = str(action.metavar)
    return {"*": f"[{name}…]", "?": f"[{name}]", "+": f"{name}…"}.get(str(action.nargs), name)


def _spelling(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {action.metavar or action.dest.upper()}"


def nearest(word: str, known: list[str]) -> str:
    """The known word that looks most like this one; empty where none does."""
    from difflib import get_close_matches

    folded = {each.casefold(): each for each in known}
    found = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else ""
