"""Exit codes, and what ends a command early."""

from __future__ import annotations

from typing import ClassVar, Final

OK: Final = 0
FINDINGS: Final = 1
"""Mistakes in a workflow (with `--strict` also warnings), a run that ended in a fault, a lock that is out of date, a
program that nobody agreed to."""
USAGE: Final = 2
"""Arguments that make no sense, or that name what is not there: a file, a manifest, a source, a chain, a run."""
BUG: Final = 70
"""A bug in chainc (EX_SOFTWARE of sysexits.h)."""
INTERRUPTED: Final = 130
"""Ctrl-C: 128 + SIGINT, as shells count."""
CLOSED: Final = 141
"""Nobody reads the output any more: 128 + SIGPIPE."""


class Usage(Exception):
    """What the person at the terminal should do otherwise: a sentence, and where it helps a hint of its own line."""

    code: ClassVar[int] = USAGE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotAgreed(Usage):
    """The command was fine, but somebody said no, or nobody could say yes."""

    code: ClassVar[int] = FINDINGS
