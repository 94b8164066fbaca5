"""The standard streams: results go to stdout, everything else to stderr, in UTF-8 everywhere."""

from __future__ import annotations

import io
import locale
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, TextIO

from compiler.cli.exits import Usage

if TYPE_CHECKING:
    from dsl.diagnostics import Diagnostic

_NARROWEST = 40
_results: TextIO | None = None
"""Where results go once functions of somebody else run in this process."""


def prepare() -> None:
    """UTF-8 whatever the locale says; what UTF-8 cannot say is escaped, so that no text stops a command."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:  # closed by who started us: the next file that we open would take its number
            _to_nowhere(number)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def out(text: str) -> None:
    """A result, as it is."""
    with _written(_stdout()):
        _stdout().write(text)


def say(text: str) -> None:
    """A line for the person at the terminal; nothing in it acts on the terminal, whoever wrote it."""
    from dsl.glyphs import printable

    with _written(sys.stderr):
        sys.stderr.write(printable(text, lines=True) + "\n")
        sys.stderr.flush()


def show(diagnostics: Iterable[Diagnostic], stream: TextIO) -> None:
    """Diagnostics for people, as the stream can show them."""
    from dsl.render import render_all

    with _written(stream):
        stream.write(render_all(diagnostics, colour=has_colour(stream), **width(stream)))


def show_one(diagnostic: Diagnostic, stream: TextIO) -> None:
    """A single diagnostic, without a count."""
    from dsl.render import render

    with _written(stream):
        stream.write(render(diagnostic, colour=has_colour(stream), **width(stream)))


@contextmanager
def kept_for_results() -> Iterator[None]:
    """Whatever prints in here, of Python or below it, prints to standard error; also what it leaves to threads, to a
    buffer or to the end of the process, where the process is ours."""
    global _results
    sys.stdout.flush()
    ours = sys.stdout is sys.__stdout__
    result = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if ours:
            _results = os.fdopen(result, "w", encoding="utf-8", errors="backslashreplace")
            sys.stdout = sys.stderr
        else:
            os.dup2(result, 1)
            os.close(result)


def _stdout() -> TextIO:
    return _results or sys.stdout


def has_colour(stream: TextIO) -> bool:
    """Colours on a terminal; NO_COLOR turns them off and FORCE_COLOR on."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_marks() -> bool:
    """Whether the terminal has more than ASCII, as far as the environment says so."""
    return os.name == "nt" or locale.getencoding().lower().replace("-", "") == "utf8"


def can_draw(stream: TextIO) -> bool:
    """Whether what was written there can be drawn over."""
    return stream.isatty() and os.environ.get("TERM", "dumb" if os.name != "nt" else "") != "dumb"


def width(stream: TextIO) -> dict[str, int]:
    """The columns of a terminal; of anything else none, so that what is captured does not depend on it."""
    if not stream.isatty():
        return {}
    try:
        return {"width": max(os.get_terminal_size(stream.fileno()).columns, _NARROWEST)}
    except (OSError, ValueError):
        return {}


def finish() -> None:
    """Bring everything out; raises BrokenPipeError where nobody reads it, Usage where it cannot be written."""
    for stream in (_stdout(), sys.stderr):
        with _written(stream):
            stream.flush()


def abandon(stream: TextIO | None = None) -> None:
    """Nobody reads stdout any more: nothing may try it again, the interpreter at its end neither."""
    with suppress(OSError, ValueError):  # a stream that is no file
        _to_nowhere((stream or _stdout()).fileno())


@contextmanager
def _written(stream: TextIO) -> Iterator[None]:
    """Where a disk is full a result that is lost ends the command; what is lost of the rest does not."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(stream)
        if stream is _stdout():
            raise Usage(f"the result cannot be written: {(error.strerror or 'it fails').lower()}.") from None


def _to_nowhere(number: int) -> None:
    """What is written to this descriptor is lost, and nothing can be read of it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
