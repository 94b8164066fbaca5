"""What the seeders of faults share: their form, and ways to choose."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from tests.graphs.specifications import Schema, Tool, Tools
from tests.graphs.translation import walk
from tests.graphs.wiring import Graph, Item, Read
from tests.graphs.writing import Part

T = TypeVar("T")

Seeded = tuple[Graph, tuple[Part, ...]]
"""A graph with a fault, and the parts of it to which a caret may point, the most exact one first."""
Seeder = Callable[[Graph, Tools, random.Random], Iterator[Seeded]]
"""Gives faults of one kind in any order; `tools` are those that the graph could call."""


def shuffled(items: Iterable[T], chance: random.Random) -> list[T]:
    found = list(items)
    chance.shuffle(found)
    return found


def misspelt(name: str, chance: random.Random) -> str:
    """With a letter lost or doubled, two exchanged, or a word put behind it."""
    at = chance.randrange(len(name))
    match chance.randrange(4):
        case 0 if len(name) > 2:
            return name[:at] + name[at + 1 :]
        case 1:
            return name[:at] + name[at] + name[at:]
        case 2 if at > 0 and name[at] != name[at - 1]:
            return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
        case _:
            return name + "Value"


def paths(tool: Tool, chance: random.Random) -> list[tuple[tuple[Read | Item, ...], Schema]]:
    """The fields of a tool's result that have a type, and the fields of those, in any order."""
    found: list[tuple[tuple[Read | Item, ...], Schema]] = []
    for name, schema in (tool.result or {}).get("properties", {}).items():
        inner = schema.get("properties", {}) if schema.get("type") == "object" else {}
        for names in ([name], *([name, each] for each in inner)):
            parts, leaf = walk(tool.result, [(each, None) for each in names])
            if leaf:
                found.append((tuple(parts), leaf))
    return shuffled(found, chance)
