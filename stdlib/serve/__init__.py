"""A bundle as an MCP server, over stdio or HTTP, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path


def main(argv: Sequence[str], folder: Path) -> int:
    """Serves the `plan.json` and `catalogue.json` of a folder until the client leaves or a signal comes.

    `argv`: the options, see `--help`. Exit codes: 0 ended as asked, 1 the files cannot be used, 2 wrong options.
    """
    from .options import read_options

    options = read_options(argv, partial(_version, folder))
    if options.http is None:
        # Before anything else is imported: whatever prints, prints to standard error.
        from .stdio import claim

        wire = claim()
    else:
        wire = None
    from .log import announce, set_up_log
    from .start import Unusable, serve

    set_up_log(options.log, options.log_format)
    try:
        return serve(folder, options, wire)
    except Unusable as reason:
        announce("error", str(reason))
        return 1


def _version(folder: Path) -> str:
    from .start import Unusable, read_catalogue

    try:
        catalogue = read_catalogue(folder)
    except Unusable as reason:
        raise SystemExit(f"error: {reason}") from None
    return f"{catalogue.name} {catalogue.version}"
