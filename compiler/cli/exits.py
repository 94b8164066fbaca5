"""Exit codes, and what ends a command early."""

from __future__ import annotations

from typing import Final

OK: Final = 0
FINDINGS: Final = 1
"""Mistakes in a workflow (with `--strict` also warnings), a run that ended in a fault, a lock that is out of date."""
USAGE: Final = 2
"""Arguments that make no sense, a file or manifest that is not there, a program that was not approved."""
BUG: Final = 70
"""A bug in chainc (EX_SOFTWARE of sysexits.h)."""
INTERRUPTED: Final = 130
"""Ctrl-C: 128 + SIGINT, as shells count."""
CLOSED: Final = 141
"""Nobody reads the output any more: 128 + SIGPIPE."""


class Usage(Exception):
    """What the person at the terminal should do otherwise: a sentence, and where it helps a hint of its own line."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
