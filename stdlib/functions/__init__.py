"""THE table of functions: the checker reads the signatures, the runtime the bodies, the reference the sentences."""

from __future__ import annotations

from typing import Final

from .convert import CONVERT
from .entry import Demand, Entry, Example, Family, FunctionFault
from .foreign import FOREIGN
from .keyed import KEYED
from .lists import LISTS
from .maps import MAPS
from .match import MATCH
from .numbers import NUMBERS
from .signature import Parameter, Signature
from .text import TEXT
from .times import TIMES

__all__ = [
    "FAMILIES",
    "FOREIGN",
    "Demand",
    "Entry",
    "Example",
    "FunctionFault",
    "Parameter",
    "Signature",
    "find",
    "names",
]

FAMILIES: Final[tuple[Family, ...]] = (LISTS, KEYED, MAPS, TEXT, MATCH, NUMBERS, TIMES, CONVERT)
"""The families in the order of the reference."""

_TABLE: Final[dict[str, Entry]] = {entry.name: entry for family in FAMILIES for entry in family.entries}


def find(name: str) -> Entry | None:
    """The function of this name; None where there is none (FOREIGN may know what was meant)."""
    return _TABLE.get(name)


def names() -> tuple[str, ...]:
    """All names in the order of the reference."""
    return tuple(_TABLE)
