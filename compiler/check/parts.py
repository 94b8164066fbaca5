"""Parts of types by their path, as mistakes name them."""

from __future__ import annotations

import re
from collections.abc import Callable

from stdlib.values.types import ErrorType, ListType, MapType, Record, Type, members, optional, present, read, union

Parts = tuple[str, ...]
"""Names of fields, ITEM and VALUE: `a[].b` is ("a", "[]", "b")."""

ITEM = "[]"
"""Any item of a list."""

VALUE = "[*]"
"""Any value of a map."""

Bad = Callable[[Type | None], bool]
"""Whether a part of such a type (None: where there is no such part) is what a mistake tells of."""


def parts(path: str) -> Parts:
    """A path as text, taken apart."""
    return tuple(re.findall(r"\[\*?\]|[^.\[\]]+", path))


def part(whole: Type | None, path: Parts) -> Type | None:
    """The type of the part that the path leads to; None where one of the forms has none."""
    found = whole
    for name in path:
        if found is None:
            return None
        inner = [_below(each, name) for each in members(present(found))]
        there = [each for each in inner if each is not None]
        found = union(*there) if len(there) == len(inner) else None
    return found


def _below(whole: Type, name: str) -> Type | None:
    match whole:
        case ErrorType():
            return whole
        case ListType(item=item):
            return item if name == ITEM else None
        case MapType(value=value):
            return None if name == ITEM else value if name == VALUE else optional(value)
        case Record(fields=fields):
            if name == VALUE:
                return union(*(read(f) for f in fields)) if fields else None
            f = whole.field(name)
            return read(f) if f is not None else None
        case _:
            return None
