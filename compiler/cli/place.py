"""Where a command works, and what it does with the mistakes it finds there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from compiler.cli import terminal
from compiler.cli.exits import Usage
from dsl.diagnostics import Sink


def existing(paths: Sequence[str]) -> list[Path]:
    """The paths that were given, or this folder; raises Usage for one that is not there."""
    for path in paths:
        if not Path(path).exists():
            raise Usage(f"there is no file or folder `{path}`.")
    return [Path(path) for path in paths] or [Path()]


def tell(sink: Sink) -> None:
    """Mistakes, for a command whose result is something else."""
    terminal.show(sink, sys.stderr)
