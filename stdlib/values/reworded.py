"""What two texts say differently. Models take descriptions for orders, so each change of one is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from .plain import written_out

_AROUND: Final = 30
"""So many characters that stayed are shown on each side of what changed."""
_LONG_WORD: Final = 40
"""A longer one is of a script without blanks, or hides something: it is compared by its characters."""
_MOST_STEPS: Final = 100_000
"""Of one comparison. Texts that differ in more are compared by sentences, and where that takes more, too, all is one
change from the first word that differs to the last."""
_ENDS: Final = (".", "!", "?", ":", ";", "。", "！", "？")


@dataclass(slots=True)
class Steps:
    """How many steps all comparisons that share it may still take: about two million a second."""

    left: int


@dataclass(frozen=True, slots=True)
class _Span:
    """`old[start:end]` became `new[now:until]`."""

    start: int
    end: int
    now: int
    until: int


def reworded(old: str, new: str, most: int, steps: Steps | None = None) -> str:
    """`"what is said now" instead of "what was said before"` of each place where the texts differ, with a few words
    around it and nothing invisible. Empty where they differ in blanks alone.

    `most`: characters that are told of each text; how many more there are is said. `steps`: for many texts that come
    from one stranger; without it each has its own.
    """
    before, after = _words(old), _words(new)
    spans = _joined(list(_spans(before, after, steps or Steps(2 * _MOST_STEPS))))
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


def _spans(old: list[str], new: list[str], steps: Steps) -> Iterator[_Span]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    start = now = len("".join(old[:head]))
    kept = _kept(before, after, steps)
    if kept is None:
        before, after = _sentences(before), _sentences(after)
        kept = _kept(before, after, steps)
    a = c = 0
    for b, d, length in (*(kept or ()), (len(before), len(after), 0)):
        end, until = start + len("".join(before[a:b])), now + len("".join(after[c:d]))
        if start < end or now < until:
            yield _Span(start, end, now, until)
        a, c = b + length, d + length
        same = len("".join(before[b:a]))
        start, now = end + same, until + same


_Run = tuple[int, int, int, "_Run | None"]
"""Where it begins in the one and in the other, its length, and the run before it."""


def _kept(old: list[str], new: list[str], steps: Steps) -> list[tuple[int, int, int]] | None:
    """What both have, as runs: where each begins in `old` and in `new`, and its length. None where that takes too many
    steps. (E. W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986; every step is counted, because whoever
    writes the texts may want that it takes long.)"""
    if not old or not new:
        return []
    last = max(steps.left - _MOST_STEPS, 0)
    ends: dict[int, tuple[int, _Run | None]] = {1: (0, None)}  # by the diagonal: how far in `old`, and over which runs
    for changes in range(len(old) + len(new) + 1):
        for diagonal in range(-changes, changes + 1, 2):
            if diagonal == -changes or (diagonal != changes and ends[diagonal - 1][0] < ends[diagonal + 1][0]):
                at, run = ends[diagonal + 1]
            else:
                at, run = ends[diagonal - 1]
                at += 1
            begun = at
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            steps.left -= 1 + at - begun
            if steps.left < last:
                return None
            if at > begun:
                run = (begun, begun - diagonal, at - begun, run)
            if at >= len(old) and at - diagonal >= len(new):
                return _runs(run)
            ends[diagonal] = at, run
    raise AssertionError("as many changes as there are words are enough")


def _runs(last: _Run | None) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    while last is not None:
        begun, now, length, last = last
        found.append((begun, now, length))
    return found[::-1]


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
