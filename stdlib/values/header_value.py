"""Values of headers that come from a variable: `env:NAME`, also behind fixed words as in `Bearer env:NAME`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ENV: Final = "env:"
_BEHIND: Final = re.compile(r"(?P<before>\S+(?: \S+)* )env:(?P<variable>[A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class FromVariable:
    """`before`: fixed words and a blank that stand before what the variable holds, or nothing."""

    before: str
    variable: str


def from_variable(value: str) -> FromVariable | None:
    """None where the value is meant as it is written."""
    if value.startswith(_ENV):
        return FromVariable("", value.removeprefix(_ENV))
    found = _BEHIND.fullmatch(value)
    return None if found is None else FromVariable(found["before"], found["variable"])
