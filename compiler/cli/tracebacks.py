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
        self._more = 0

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is None:
            return
        text = self.format(record)
        text = text if len(text) <= _MOST_SHOWN else f"{text[:500]} … {text[500 - _MOST_SHOWN :]}"
        if text in self._found or len(self._found) < _MOST:
            self._found[text] = None
        else:
            self._more += 1

    def tell(self) -> None:
        for text in self._found:
            terminal.say(text)
        if self._more:
            terminal.say(f"{self._more} more {'call' if self._more == 1 else 'calls'} failed in other ways.")
