"""A stable topological order, and the circle where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    waiting = {name: len(set(needs.get(name, ()))) for name in names}
    followers: dict[str, list[str]] = {name: [] for name in names}
    for name in names:
        for need in dict.fromkeys(needs.get(name, ())):
            followers[need].append(name)
    ready = [place[name] for name in names if not waiting[name]]
    heapify(ready)
    order: list[str] = []
    while ready:
        name = names[heappop(ready)]
        order.append(name)
        for follower in followers[name]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heappush(ready, place[follower])
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
