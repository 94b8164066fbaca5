"""One input through the compiler: whatever it is, no exception, no hang, and every place lies in its text."""

import json
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from traceback import extract_tb
from types import FrameType

from compiler.check import check
from compiler.loader.files import Folder
from compiler.lower import lower
from dsl import tree
from dsl.diagnostics import Diagnostic, Sink
from dsl.dump import dump
from dsl.format import format_text
from dsl.interchange import to_github, to_json
from dsl.lexer import lex
from dsl.parser import parse
from dsl.render import render_all
from dsl.source import Source, Span
from dsl.tokens import END
from dsl.tree.walk import children
from stdlib.plan.document import to_text
from stdlib.plan.plan import Plan
from tests.compiler.world import project
from tests.fuzz.pieces import ROOT, companions

PATH = "main.chain"
LIMIT = 10.0
"""CPU seconds for one input."""

Action = Callable[[str | bytes], None]


class Slow(BaseException):
    """Raised by the watchdog; no `except Exception` of ours may swallow it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong (`RecursionError`, `AssertionError: …`, `Slow`), and where in our files, the innermost last."""

    what: str
    where: tuple[str, ...]

    @property
    def group(self) -> tuple[str, str]:
        """Failures with the same exception at the same place are taken for the same mistake."""
        kind = self.what.partition(":")[0]
        return kind, "" if kind in ("Slow", "RecursionError") else self.where[-1] if self.where else ""


def attempt(given: str | bytes, action: Action | None = None, limit: float = LIMIT) -> Failure | None:
    """Run `action` (what the compiler does) on an input, in at most so many CPU seconds. Warnings of Python count."""
    try:
        with watched(limit), warnings.catch_warnings():
            warnings.simplefilter("error")
            (action or everything)(given)
    except (Exception, Slow) as error:
        told = f"{type(error).__name__}: {error}".rstrip(": ").splitlines()[0]
        return Failure(told[:200], tuple(_frames(error)))
    return None


@contextmanager
def watched(limit: float) -> Iterator[None]:
    """Raise Slow in the main thread after so many CPU seconds of this process."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Slow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def everything(given: str | bytes) -> None:
    """What the compiler does with a file. AssertionError where its answer breaks a promise."""
    text = _read(given)
    source = Source(PATH, text)
    _lex(source)
    sink = Sink()
    file = parse(source, sink)
    _tree(file, len(text))
    assert file.complete or sink.has_errors, "something was skipped and nothing is said"
    assert dump(file)
    _told(list(sink), len(text))
    if not sink.has_errors:
        _format(source)
    _check(text)


def _read(given: str | bytes) -> str:
    """The text of a file with these bytes; of bytes that the loader refuses, what Python makes of them."""
    if isinstance(given, str):
        return given
    folder = _folder()
    (folder / PATH).write_bytes(given)
    text = Folder(folder).text(PATH)
    return text if isinstance(text, str) else given.decode(errors="surrogateescape")


@cache
def _folder() -> Path:
    made = tempfile.TemporaryDirectory(prefix="chainc-fuzz-")
    _KEPT.append(made)
    return Path(made.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def _lex(source: Source) -> None:
    lexed = lex(source)
    places = [(token.start, token.end) for token in lexed.tokens]
    assert all(0 <= start <= end <= len(source.text) for start, end in places), "a token lies outside of the text"
    assert all(before[1] <= after[0] for before, after in pairwise(places)), "tokens overlap"
    assert lexed.tokens[-1].kind == END


def _tree(file: tree.File, length: int) -> None:
    waiting = list(children(file))
    while waiting:
        node = waiting.pop()
        assert 0 <= node.start <= node.end <= length, f"{type(node).__name__} lies outside of the text"
        waiting += children(node)


def _told(found: list[Diagnostic], length: int) -> None:
    """Places lie in the text, and every form of the messages can be made and read."""
    for each in found:
        spans = [each.span, *(label.span for label in each.secondary)]
        spans += [edit.span for fix in each.fixes for edit in fix.edits]
        assert all(span is None or _inside(span, length) for span in spans), f"{each.code} lies outside of the text"
        assert each.message.strip()
    for told in (render_all(found), render_all(found, colour=True, width=40), to_github(found)):
        assert told.isascii() or told.encode(errors="backslashreplace")
    assert to_github(found).count("\n") == len(found), "an annotation is one line"
    assert len(json.loads(to_json(found))) == len(found)


def _inside(span: Span, length: int) -> bool:
    longest = length if span.source.path == PATH else len(span.source.text)
    return 0 <= span.start <= span.end <= longest


def _format(source: Source) -> None:
    once = format_text(source)
    found = Sink()
    again = format_text(Source(PATH, once), found)
    assert not found.has_errors, "what is formatted cannot be read"
    assert again == once, "formatted twice is not formatted once"


def _check(text: str) -> None:
    sink = Sink()
    files = {PATH: text} | {path: other for path, other in companions().items() if path in text}
    loaded = project(files, sink)
    program = check(loaded, sink)
    _told(list(sink), len(text))
    # Imports that lead nowhere are told by the loader, which is not asked here.
    if not sink.has_errors and not any(module.broken for module in loaded.modules.values()):
        plan, catalogue = lower(program)
        assert Plan.model_validate_json(to_text(plan)) == plan, "the plan does not survive its text"
        assert to_text(catalogue)


def _frames(error: BaseException) -> Iterator[str]:
    """Our own frames of a traceback as `dsl/lexer.py:12 lex`; a checking frame of this file tells which promise."""
    for frame in extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path.is_relative_to(ROOT) and frame.name not in ("attempt", "watched", "everything", "stop"):
            yield f"{path.relative_to(ROOT).as_posix()}:{frame.lineno} {frame.name}"
