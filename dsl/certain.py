"""Which fixes are certain: those that leave fewer mistakes in the declaration that they stand in, and all other words.

Every fix is tried by itself. Only the text of the declarations that it touches is read again, so that this stays cheap
in long files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.lexer import lex
from dsl.source import Source

MOST_TRIES: Final = 60
MOST_MET: Final = 2000
"""So many fixes of a file are tried, as long as no more mistakes are met again on the way (which takes about a second);
the others are left off until these are applied."""

Count = Callable[[Source], int]
"""How many mistakes a text has."""

_DECLARATION: Final = re.compile(r"^(?:import|type|kind|let|defaults|private|chain|test)\b", re.MULTILINE)


def certain(source: Source, diagnostics: Sequence[Diagnostic], count: Count) -> list[Diagnostic]:
    """The diagnostics, without the fixes that would not leave fewer mistakes."""
    if not any(each.fixes for each in diagnostics):
        return list(diagnostics)
    starts = [found.start() for found in _DECLARATION.finditer(source.text)]
    before: dict[str, int] = {}
    tries = met = 0
    out = []
    for each in diagnostics:
        kept = []
        for fix in each.fixes:
            tries += 1
            if tries > MOST_TRIES or met > MOST_MET:
                break
            mends, left = _mends(source, fix, starts, before, count)
            met += left
            if mends:
                kept.append(fix)
        out.append(replace(each, fixes=tuple(kept)))
    return out


def _mends(source: Source, fix: Fix, starts: Sequence[int], before: dict[str, int], count: Count) -> tuple[bool, int]:
    """Whether a fix is certain, and how many mistakes it leaves in its declarations."""
    edits = sorted(fix.edits, key=lambda edit: edit.span.start, reverse=True)
    first, last = edits[-1].span.start, max(edit.span.end for edit in edits)
    start = max((at for at in starts if at <= first), default=0)
    end = min((at for at in starts if at > last), default=len(source.text))
    old = source.text[start:end]
    if old not in before:
        before[old] = count(Source(source.path, old))
    new = old
    for edit in edits:
        new = new[: edit.span.start - start] + edit.text + new[edit.span.end - start :]
    left = count(Source(source.path, new))
    return left < before[old] and _keeps(old, new, edits, start), left


def _keeps(old: str, new: str, edits: Sequence[Edit], start: int) -> bool:
    """Whether the words outside of the edited places are read as before.

    In a text whose quotes are damaged an edit can turn the rest inside out, and a sign put in can grow together with
    its neighbour.
    """
    now = {(token.kind, token.text, token.start) for token in lex(Source("", new)).tokens}
    for token in lex(Source("", old)).tokens:
        at, end, moved = token.start + start, token.end + start, 0
        for edit in edits:
            if edit.span.end <= at:
                moved += len(edit.text) - (edit.span.end - edit.span.start)
            elif end > edit.span.start:
                break
        else:
            if (token.kind, token.text, token.start + moved) not in now:
                return False
    return True
