"""Functions that look for patterns in texts; `stdlib.functions.pattern` says what can stand in a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .entry import Family, Spend

if TYPE_CHECKING:
    from .search import Search

MATCH: Final = Family("Patterns")


def _search(text: str, pattern: str, spend: Spend) -> Search:
    from .pattern import compile_pattern  # here: checking a file needs neither
    from .search import Search

    return Search(compile_pattern(pattern), text, spend)


@MATCH.function(
    "matches(string, string) -> boolean",
    "Whether the pattern is found anywhere in the text; `^` and `$` tie it to its ends.",
    ('matches("al-2291", "^al-\\\\d+$")', True),
    ('matches("HIGH", "(?i)high|critical")', True),
    ('matches("low", "^h")', False),
    metered=True,
)
def matches(text: str, pattern: str, *, spend: Spend) -> bool:
    return _search(text, pattern, spend).find(0) is not None


@MATCH.function(
    "find(string, string) -> string?",
    "The first part of the text that the pattern matches, null where there is none.",
    ('find("see al-2291 and al-7", "al-\\\\d+")', "al-2291"),
    ('find("nothing", "\\\\d")', None),
    metered=True,
)
def find(text: str, pattern: str, *, spend: Spend) -> str | None:
    search = _search(text, pattern, spend)
    slots = search.find(0)
    return None if slots is None else search.group(slots, 0)


@MATCH.function(
    "find_all(string, string) -> list<string>",
    "Every part of the text that the pattern matches, from left to right.",
    ('find_all("a1 b22", "[0-9]+")', ["1", "22"]),
    metered=True,
)
def find_all(text: str, pattern: str, *, spend: Spend) -> list[str]:
    search = _search(text, pattern, spend)
    return [search.group(slots, 0) or "" for slots in search.all()]


@MATCH.function(
    "capture(string, string) -> map<string?>?",
    "The named groups of the first match, null for one that took no part; null where nothing matches.",
    (
        'capture("v1.20", "v(?P<major>\\\\d+)\\\\.(?P<minor>\\\\d+)(?P<tag>-\\\\w+)?")',
        {"major": "1", "minor": "20", "tag": None},
    ),
    ('capture("none", "(?P<n>\\\\d)")', None),
    metered=True,
)
def capture(text: str, pattern: str, *, spend: Spend) -> dict[str, str | None] | None:
    search = _search(text, pattern, spend)
    slots = search.find(0)
    return None if slots is None else search.named(slots)


@MATCH.function(
    "capture_all(string, string) -> list<map<string?>>",
    "The named groups of every match, from left to right.",
    ('capture_all("a=1 b=2", "(?P<k>\\\\w)=(?P<v>\\\\d)")', [{"k": "a", "v": "1"}, {"k": "b", "v": "2"}]),
    metered=True,
)
def capture_all(text: str, pattern: str, *, spend: Spend) -> list[dict[str, str | None]]:
    search = _search(text, pattern, spend)
    return [search.named(slots) for slots in search.all()]
