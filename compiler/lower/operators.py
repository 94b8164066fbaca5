"""Which reading of values an operator needs: decided from the proven types of its operands."""

from __future__ import annotations

from typing import Literal

from stdlib.plan.expression import Comparable
from stdlib.values.subtype import base, fits
from stdlib.values.types import (
    BOOLEAN,
    NUMBER,
    LiteralType,
    Scalar,
    Type,
    is_null,
    is_text,
    members,
)

Quantity = Literal["number", "timestamp", "date", "duration"]
_TEMPORAL: dict[str, Literal["timestamp", "date", "duration"]] = {
    "timestamp": "timestamp",
    "date": "date",
    "duration": "duration",
}


def comparable(*types: Type) -> Comparable:
    """How values of these types are compared with each other; null is left aside.

    A literal text beside a timestamp is read as one; mixed types are compared as whole values.
    """
    parts = [m for t in types for m in members(t) if not is_null(m)]
    temporal = {m.name for m in parts if isinstance(m, Scalar) and m.name in _TEMPORAL}
    if len(temporal) == 1 and all(is_text(m) and (isinstance(m, LiteralType) or _name(m) in temporal) for m in parts):
        return _TEMPORAL[temporal.pop()]
    if parts and all(is_text(m) for m in parts):
        return "text"
    if parts and all(fits(m, NUMBER) is None for m in parts):
        return "number"
    if parts and all(fits(m, BOOLEAN) is None for m in parts):
        return "boolean"
    return "json"


def quantity(t: Type) -> Quantity:
    """What a term of a sum or product is."""
    for m in members(t):
        if isinstance(m, Scalar) and m.name in _TEMPORAL:
            return _TEMPORAL[m.name]
    return "number"


def _name(t: Type) -> str:
    return base(t).name if isinstance(t, LiteralType) else t.name if isinstance(t, Scalar) else ""
