"""The named groups of a pattern that take part in every match; any other one may give null."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

_REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def sure_groups(pattern: str) -> frozenset[str]:
    """The names of groups that no alternative, no repetition from 0 on and no condition can leave out.

    `pattern` is one that `re` can compile.
    """
    # `re` says which groups there are, not which of them must take part. Its own reading of the pattern does.
    read: Any = import_module("re._parser").parse(pattern)
    found = _sure(read)
    return frozenset(name for name, number in read.state.groupdict.items() if number in found)


def _sure(sequence: Any) -> set[int]:
    found: set[int] = set()
    for operation, argument in sequence:
        name = str(operation)
        if name == "SUBPATTERN":
            number, _, _, inner = argument
            found |= _sure(inner) if number is None else {number} | _sure(inner)
        elif name in _REPEATS and argument[0] > 0:
            found |= _sure(argument[2])
        elif name == "BRANCH":
            found |= set.intersection(*map(_sure, argument[1]))
        elif name == "ATOMIC_GROUP":
            found |= _sure(argument)
        elif name == "ASSERT":
            found |= _sure(argument[1])
    return found
