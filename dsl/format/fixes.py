"""Applying what diagnostics propose: the fixes that are certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from dsl.diagnostics import Diagnostic, Edit, Sink
from dsl.parser import parse
from dsl.source import Source

MOST_ROUNDS: Final = 10
"""One fix may bring another to light; a text that still changes after so many rounds is left at that."""

Diagnose = Callable[[Source], Iterable[Diagnostic]]


def syntax(source: Source) -> Iterable[Diagnostic]:
    """What can be said about a file by itself."""
    sink = Sink()
    parse(source, sink)
    return sink


def fix_text(source: Source, diagnose: Diagnose = syntax) -> str:
    """The text with all fixes applied, those of the mended text as well."""
    for _ in range(MOST_ROUNDS):
        text = fixed_once(source, diagnose(source))
        if text == source.text:
            break
        source = Source(source.path, text)
    return source.text


def fixed_once(source: Source, diagnostics: Iterable[Diagnostic]) -> str:
    """The text with the first fix of every diagnostic; one that touches another waits for the next round."""
    taken: list[Edit] = []
    for diagnostic in diagnostics:
        for fix in diagnostic.fixes[:1]:
            own = all(edit.span.source.path == source.path for edit in fix.edits)
            if own and not any(_touch(edit, other) for edit in fix.edits for other in taken):
                taken += fix.edits
    text = source.text
    for edit in sorted(taken, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def _touch(edit: Edit, other: Edit) -> bool:
    """Whether two edits share text, or one puts something in where the other begins or ends."""
    first, second = sorted((edit.span, other.span), key=lambda span: (span.start, span.end))
    if first.start == first.end or second.start == second.end:
        return second.start <= first.end
    return second.start < first.end
