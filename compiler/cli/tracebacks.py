"""Tracebacks of the project's own functions, for their author: told on stderr once what ran is over."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from compiler.cli import terminal

_MOST: Final = 5
"""Different ones that are told: a loop may raise one an item."""
_MOST_SHOWN: Final = 4000
"""Characters of one; its end says most."""


@contextmanager
def tracebacks() -> Iterator[None]:
    """What functions raise in here is told at the end; everything else that is logged is not: a fault says it in its
    own words. With CHAINC_TRACEBACK=1 the log tells all of it, at once."""
    if os.environ.get("CHAINC_TRACEBACK"):
        yield
        return
    from stdlib.connect.raised import LOGGER

    logging.getLogger("chainc").addHandler(logging.NullHandler())
    log, kept = logging.getLogger(LOGGER), _Kept()
    log.addHandler(kept)
    try:
        yield
    finally:
        log.removeHandler(kept)
        kept.tell()


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
        self._found: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is None:
            return
        text = self.format(record)
        self._found[text if len(text) <= _MOST_SHOWN else f"{text[:500]} … {text[500 - _MOST_SHOWN :]}"] = None

    def tell(self) -> None:
        found = list(self._found)
        for text in found[:_MOST]:
            terminal.say(text)
        if len(found) > _MOST:
            terminal.say(f"{len(found) - _MOST} more calls failed in other ways.")
