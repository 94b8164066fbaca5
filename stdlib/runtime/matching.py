"""Patterns that others wrote over texts that others send: never for long, so that nobody else has to wait.

`re` runs where its effort is known to be small. Otherwise the machine of `stdlib.functions.search`, whose effort is
linear in the text, decides whether a text fits; and a process of its own, which can be ended, finds all matches.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextvars import ContextVar
from typing import Any, Final

from ..values.ecma import as_python
from ..values.effort import effort
from ..values.pattern import compiled

EFFORT_LIMIT: Final = 1e6
"""Most effort of `re` in this process: some hundredths of a second."""

LOOKS_LIMIT: Final = 500_000
"""Most looks of the linear machine at one text: some tenths of a second."""

PATIENCE: Final = 1.0
"""Seconds of computing that all the patterns of one value may take."""

ELSEWHERE: Final = 10.0
"""Seconds that a process may look for matches."""

_spent: ContextVar[float] = ContextVar("_spent", default=0.0)

_PROGRAM: Final = """
import json, re, sys, itertools
given = json.loads(sys.stdin.buffer.read())
found = re.compile(given["pattern"]).finditer(given["text"])
json.dump([each.groupdict() for each in itertools.islice(found, given["most"])], sys.stdout)
"""


class Undecided(Exception):
    """It would take too long. The text names the pattern, after "is too long to be compared with "."""


def begin_value() -> None:
    """From here on the patterns of another value are counted."""
    _spent.set(0.0)


def fits(pattern: str, text: str) -> bool:
    """Whether a pattern of JSON Schema is found in the text. Raises `Undecided`; `BadPattern` where it is none."""
    spent = _spent.get()
    if spent > PATIENCE:
        raise Undecided(f"the pattern {pattern}")
    begun = time.thread_time()
    try:
        return _fits(as_python(pattern), text, pattern)
    finally:
        _spent.set(spent + time.thread_time() - begun)


def _fits(python: str, text: str, pattern: str) -> bool:
    expression = compiled(python)
    if effort(python, len(text)) <= EFFORT_LIMIT:
        return expression.search(text) is not None
    from ..functions.entry import FunctionFault
    from ..functions.pattern import compile_pattern
    from ..functions.search import Search

    try:
        return Search(compile_pattern(python), text, lambda looks: None, LOOKS_LIMIT).find(0) is not None
    except FunctionFault:
        raise Undecided(f"the pattern {pattern}") from None


def is_quick(pattern: str, text: str) -> bool:
    """Whether `find_all` finds all matches at once, without a process."""
    return effort(pattern, len(text)) <= EFFORT_LIMIT


def find_all(pattern: str, text: str, most: int) -> list[dict[str, Any]]:
    """The named groups of the first `most` matches, in Python's syntax. Blocks, at most for `ELSEWHERE` seconds; then
    it raises `Undecided`."""
    if is_quick(pattern, text):
        matches = compiled(pattern).finditer(text)
        return [match.groupdict() for match, _ in zip(matches, range(most), strict=False)]
    given = json.dumps({"pattern": pattern, "text": text, "most": most}).encode()
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=ELSEWHERE, check=True)
    except (OSError, subprocess.SubprocessError):
        raise Undecided(f"the pattern {pattern}") from None
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found
