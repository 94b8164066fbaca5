"""What two texts say differently. Models take descriptions for orders, so each change of one is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

from .plain import written_out

_AROUND: Final = 30
"""So many characters that stayed are shown on each side of what changed."""
_LONG_WORD: Final = 40
"""A longer one is of a script without blanks, or hides something: it is compared by its characters."""
_MOST_COMPARED: Final = 1_000_000
"""Words of one text times those of the other. Longer texts are compared by sentences, and where those are too many,
all is one change from the first word that differs to the last."""
_ENDS: Final = (".", "!", "?", ":", ";", "。", "！", "？")


@dataclass(frozen=True, slots=True)
class _Span:
    """`old[start:end]` became `new[now:until]`."""

    start: int
    end: int
    now: int
    until: int


def reworded(old: str, new: str, most: int) -> str:
    """`"what is said now" instead of "what was said before"` of each place where the texts differ, with a few words
    around it and nothing invisible. Empty where they differ in blanks alone.

    `most`: characters that are told of each text; how many more there are is said.
    """
    before, after = _words(old), _words(new)
    spans = _joined(list(_spans(before, after)))
    was, text = "".join(before), "".join(after)
    told: list[str] = []
    left, hidden_now, hidden_before = most, 0, 0
    for number, span in enumerate(spans):
        room = max(left // (len(spans) - number), 2 * _AROUND)
        if told and left < room:
            hidden_now += span.until - span.now
            hidden_before += span.end - span.start
            continue
        start, end = _around(text, span)
        begun, ended = span.start - (span.now - start), span.end + (end - span.until)
        shown, cut = _shown(text, start, end, span.until, room)
        replaced, lost = _shown(was, begun, ended, span.end, room)
        told.append(f"{shown} instead of {replaced}" if before else shown)
        left -= max(min(max(end - start, ended - begun), room), 2 * _AROUND)
        hidden_now, hidden_before = hidden_now + cut, hidden_before + lost
    return ", ".join(told) + _more(hidden_now, hidden_before)


def _words(text: str) -> list[str]:
    """With the blank before each, so that they can be put together again."""
    found: list[str] = []
    for word in text.split():
        found += [f" {word}"] if len(word) <= _LONG_WORD else [" ", *word]
    return found


def _spans(old: list[str], new: list[str]) -> Iterator[_Span]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    begun = len("".join(old[:head]))
    if len(before) * len(after) > _MOST_COMPARED:
        before, after = _sentences(before), _sentences(after)
    if len(before) * len(after) > _MOST_COMPARED:
        yield _Span(begun, begun + len("".join(before)), begun, begun + len("".join(after)))
        return
    start = now = begun
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        end, until = start + len("".join(before[a:b])), now + len("".join(after[c:d]))
        if kind != "equal":
            yield _Span(start, end, now, until)
        start, now = end, until


def _sentences(words: list[str]) -> list[str]:
    found, begun = [""], False
    for word in words:
        if begun:
            found.append("")
        found[-1] += word
        begun = word.endswith(_ENDS)
    return found


def _common(old: list[str], new: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _joined(spans: list[_Span]) -> list[_Span]:
    """Those that are near each other are one."""
    found: list[_Span] = []
    for span in spans:
        if found and span.now - found[-1].until <= 2 * _AROUND:
            span = _Span(found[-1].start, span.end, found.pop().now, span.until)
        found.append(span)
    return found


def _around(text: str, span: _Span) -> tuple[int, int]:
    """From where to where the new text is shown: whole words, where it has any."""
    start, end = max(span.now - _AROUND, 0), min(span.until + _AROUND, len(text))
    if start and (blank := text.find(" ", start, span.now)) >= 0:
        start = blank
    if end < len(text) and (blank := text.rfind(" ", span.until, end)) >= 0:
        end = blank
    return start, end


def _shown(text: str, start: int, end: int, until: int, room: int) -> tuple[str, int]:
    """The part of the text, in quotes, and how much of what changed, which ends at `until`, has no room in it."""
    stop = min(end, start + room)
    part = written_out(text[start:stop].strip())
    return f'"{"…" if start else ""}{part}{"…" if stop < len(text) else ""}"', max(until - stop, 0)


def _more(now: int, before: int) -> str:
    """How much is not told."""
    if not (now or before):
        return ""
    more = f"{now or before:,} more characters {'now' if now else 'before'}"
    return f" (and {more}, {before:,} before)" if now and before else f" (and {more})"
