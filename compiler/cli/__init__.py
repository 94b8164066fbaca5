"""The command line: reads arguments, calls the driver, shows what it says. No logic of the language is in here."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run `chainc` with these arguments (without: the process's own) and give the exit code (`compiler.cli.exits`)."""
    from compiler.cli.entry import main as run

    return run(argv)
