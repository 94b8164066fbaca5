"""What descriptions say now and said before: models read them, and take them for orders."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from compiler.loader.lock_shape import visible
from stdlib.values.plain import remarks

MOST_TOLD = 200
"""Characters of what is said now."""
MOST_BEFORE = 100
"""Of what was said before."""
MOST_COMMON = 30
"""So many of them may be as they were."""
MOST_PLACES = 20
"""Places of a schema that are told one by one."""


def reworded(old: str, new: str) -> str:
    """`"what is said now" instead of "what was said before"`, both from where they begin to differ; empty where they
    differ in blanks alone."""
    before, after = " ".join(old.split()), " ".join(new.split())
    if before == after:
        return ""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    start = after.rfind(" ", 0, max(same - MOST_COMMON, 0)) + 1
    told = _cut(after, start, MOST_TOLD)
    return f"{told} instead of {_cut(before, start, MOST_BEFORE)}" if before else told


def changed_remarks(whole: str, old: dict[str, Any], new: dict[str, Any], *, same_places: bool) -> Iterator[str]:
    """What descriptions inside of a schema say now, as ends of sentences. `whole`: what the schema is about.
    `same_places`: apart from descriptions the two are equal, so one that is missing was taken away alone."""
    before, after = dict(remarks(old)), dict(remarks(new))
    told: list[str] = []
    for place, text in after.items():
        words = "" if _only_a_name(place, text) else reworded(before.get(place, ""), text)
        if words and place in before:
            told.append(f"describes {_name(whole, place)} in other words, now {words}")
        elif words:
            told.append(f"describes {_name(whole, place)} now: {words}")
    if same_places:
        lost = [place for place, text in before.items() if place not in after and not _only_a_name(place, text)]
        told += [f"does not describe {_name(whole, place)} any more" for place in lost]
    yield from told[:MOST_PLACES]
    if len(told) > MOST_PLACES:
        yield f"describes {len(told) - MOST_PLACES} more places in other words"


def _cut(text: str, start: int, most: int) -> str:
    end = start + most
    return f'"{"…" if start else ""}{visible(text[start:end], most)}{"…" if len(text) > end else ""}"'


def _only_a_name(place: tuple[str, ...], text: str) -> bool:
    """Whether it is a title that repeats the name of what it stands in, as schemas that programs make have them."""
    return place[-1] == "title" and len(place) > 1 and _letters(text) == _letters(place[-2])


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _name(whole: str, place: tuple[str, ...]) -> str:
    """`a.b[]` for what stands below `properties`, `properties`, `items`."""
    names: list[str] = []
    keys = iter(place[:-1])
    for key in keys:
        if key in ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"):
            names.append(next(keys, ""))
        elif key == "items" and names:
            names[-1] += "[]"
    said = visible(".".join(names))
    result = "result " if whole == "its result" else ""
    return f"{result}`{said}`" if said else whole
