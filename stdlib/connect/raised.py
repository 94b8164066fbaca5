"""What an exception of somebody's function tells: its text to clients, its traceback to the log."""

from __future__ import annotations

import logging
from pathlib import Path
from types import TracebackType
from typing import Final

from ..runtime.fault import bounded
from ..values.canonical import clean_text
from ..values.plain import unhidden

LOGGER: Final = "chainc.connect.python"
"""Its records bring the tracebacks of functions and modules, which are for their author alone."""
log = logging.getLogger(LOGGER)

_SPEAK: Final = (Exception, ValueError, RuntimeError)
"""Exceptions of Python whose text its author wrote; that of others says little without the name of their class."""
_OURS: Final = (str(Path(__file__).parent.parent), "<frozen importlib")


def said(error: BaseException) -> str:
    """Its text, with the name of its class where the text alone would say little: `KeyError: 'name'`. One that cannot
    be read has its name alone."""
    text, kind = text_of(error), type(error)
    if not text:
        return kind.__name__
    return f"{kind.__name__}: {text}" if kind.__module__ == "builtins" and kind not in _SPEAK else text


def text_of(error: BaseException) -> str:
    """On one line, with nothing hidden in it; empty where it has none, or where to ask for it raises again."""
    try:
        return unhidden(clean_text(bounded(" ".join(str(error).split()), 500)))
    except BaseException:
        return ""


def log_raised(what: str, error: BaseException | None) -> None:
    """A line to the log, with the traceback from the author's own code on."""
    try:
        log.warning("%s", what, exc_info=error if error is None else _known(error))
    except BaseException:  # of an exception that cannot be read
        log.warning("%s", what)


def _known(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    return type(error), error, _theirs(error.__traceback__)


def _theirs(trace: TracebackType | None) -> TracebackType | None:
    """All of it where it never leaves our own code, and Python's that imports."""
    found = trace
    while found is not None and found.tb_frame.f_code.co_filename.startswith(_OURS):
        found = found.tb_next
    return found or trace
