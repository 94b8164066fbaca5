"""A stable topological order, and the circle where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush


@dataclass(frozen=True, slots=True)
class Circle:
    """Names that wait for each other: each needs the next one, the last one the first."""

    names: tuple[str, ...]


def ordered(names: Sequence[str], needs: Mapping[str, Sequence[str]]) -> tuple[list[str], list[Circle]]:
    """All names so that what a name needs stands before it, otherwise in the order given.

    Names in circles come last, in the order given, and every circle is told once.
    """
    place = {name: i for i, name in enumerate(names)}
    sorter = TopologicalSorter({name: needs.get(name, ()) for name in names})
    with suppress(CycleError):  # it still sorts what no circle holds back
        sorter.prepare()
    ready = [place[name] for name in sorter.get_ready()]
    heapify(ready)
    order: list[str] = []
    while ready:
        name = names[heappop(ready)]
        order.append(name)
        sorter.done(name)
        for freed in sorter.get_ready():
            heappush(ready, place[freed])
    if len(order) == len(names):
        return order, []
    done = set(order)
    left = [name for name in names if name not in done]
    return order + left, _circles(left, needs)


def _circles(left: Sequence[str], needs: Mapping[str, Sequence[str]]) -> list[Circle]:
    """One circle for each group of names that reach each other."""
    inside = set(left)
    found: list[Circle] = []
    seen: set[str] = set()
    for start in left:
        if start in seen:
            continue
        path: list[str] = []
        at: str | None = start
        while at is not None and at not in path and at not in seen:
            path.append(at)
            at = next((need for need in needs[at] if need in inside), None)
        if at is not None and at in path:
            found.append(Circle(tuple(path[path.index(at) :])))
        seen.update(path)
    return found
