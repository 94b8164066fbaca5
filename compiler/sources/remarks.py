"""What descriptions say now and said before: models read them, and take them for orders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compiler.loader.lock_shape import visible
from stdlib.values.plain import remarks
from stdlib.values.reworded import reworded

MOST_TOLD = 400
"""Characters of what is said now, and of what was said before."""
MOST_PLACES = 20
"""Places of a schema of which is told what they say now."""
MOST_NAMED = 200
"""Further ones that are named."""


def changed_remarks(whole: str, old: dict[str, Any], new: dict[str, Any], *, same_places: bool) -> Iterator[str]:
    """What descriptions inside of a schema say now, as ends of sentences. `whole`: what the schema is about.
    `same_places`: apart from descriptions the two are equal, so one that is missing was taken away alone."""
    before, after = dict(remarks(old)), dict(remarks(new))
    told: list[tuple[str, str]] = []
    for place, text in after.items():
        name = _name(whole, place)
        words = "" if _only_a_name(place, text) else reworded(before.get(place, ""), text, MOST_TOLD)
        if words and place in before:
            told.append((name, f"describes {name} in other words, now {words}"))
        elif words:
            told.append((name, f"describes {name} now: {words}"))
    if same_places:
        for place, text in before.items():
            if place not in after and not _only_a_name(place, text):
                name = _name(whole, place)
                told.append((name, f"does not describe {name} any more"))
    yield from (words for _, words in told[:MOST_PLACES])
    if others := list(dict.fromkeys(name for name, _ in told[MOST_PLACES:])):
        rest = f" and {len(others) - MOST_NAMED:,} more" if len(others) > MOST_NAMED else ""
        yield f"describes in other words, too: {', '.join(others[:MOST_NAMED])}{rest}"


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
