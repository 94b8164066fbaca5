"""What the tools of drawn programs answer: a function of their arguments and of how often they were tried."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from stdlib.values.canonical import canonical
from tests.dags.sketch import Program

FOREVER = 1_000_000


def value_of(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A number that depends on all arguments, and up to three numbers to loop over."""
    number = _number(tool, arguments) % 1000
    return {"value": number, "few": [number + place for place in range(number % 4)]}


def fails(program: Program, tool: str, arguments: dict[str, Any], tries: int) -> bool:
    """Whether a call fails. `tries`: how often its step, and the steps around it, were tried before."""
    if not program.rarity:
        return False
    number = _number(tool, arguments, program.salt)
    if number % program.rarity:
        return False
    lasts = (1, 2, FOREVER)[number // program.rarity % 3]
    return tries < lasts or tool == "take_back"


def _number(tool: str, arguments: dict[str, Any], salt: int = 0) -> int:
    return crc32(b"%d %s " % (salt, tool.encode()) + canonical(arguments)) >> 3
