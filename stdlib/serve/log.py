"""Where a server's log goes: to standard error, one line a record, bounded."""

from __future__ import annotations

import logging
import sys


class _Line(logging.Formatter):
    """At most 2,000 characters a record; a mistake of ours brings the end of its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return text if len(text) <= 2000 else f"{text[:500]} … {text[-1500:]}"


def set_up_log(level: str) -> None:
    """`level`: for our own records; other libraries tell errors only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Line("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)
    logging.getLogger("chainc").setLevel(level.upper())
    # Its records about lines that are no messages carry whole tracebacks; ours say it in a line.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
