"""How large a type is: named types are put in where they are used, so a few lines can stand for very much."""

from __future__ import annotations

from stdlib.values.types import ListType, MapType, Record, Type, Union

DEEPEST = 60
"""So deep may a type be, with all that it names put in."""

MOST_OPEN = 150
"""So many types may be begun and not ended while one is read: more than `DEEPEST` types and as many names are."""

MOST_PLACES = 20_000
"""So many types may stand within one, itself included."""


class Extent:
    """Measures types that stay alive, each only once: what is shared is not walked through again."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int]] = {}

    def of(self, found: Type) -> tuple[int, int]:
        """Depth and number of places."""
        known = self._known.get(id(found))
        if known is None:
            parts = [self.of(part) for part in _parts(found)]
            depth = 1 + max((depth for depth, _ in parts), default=0)
            known = self._known[id(found)] = depth, 1 + sum(places for _, places in parts)
        return known


def _parts(found: Type) -> tuple[Type, ...]:
    match found:
        case ListType(item=part) | MapType(value=part):
            return (part,)
        case Record(fields=fields):
            return tuple(f.type for f in fields)
        case Union(members=parts):
            return parts
        case _:
            return ()
