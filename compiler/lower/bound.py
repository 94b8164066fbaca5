"""The most bytes that an output has as JSON (compact, UTF-8), where there is such a number."""

from __future__ import annotations

import json
from typing import Literal

from stdlib.values.types import (
    Handle,
    ListType,
    LiteralType,
    Never,
    Record,
    Scalar,
    Type,
    Union,
    present,
    read,
)

# A character is at most four bytes, or an escape of six.
_CHARACTER = 6
_FIXED = {"boolean": 5, "null": 4, "number": 24, "date": 12, "uuid": 38}
_WRAPPER = len('{"result":}')


def bound(result: Type, made: Type) -> int | Literal["unbounded"]:
    """For an output of the type `result`, which is checked when a chain runs, from a value of the type `made`.

    `made` only says whether a record can have more fields than the output names.
    """
    most = None if isinstance(result, Handle) else most_bytes(result, made)
    if most is None:
        return "unbounded"
    return most if isinstance(result, Record) else most + _WRAPPER


def most_bytes(t: Type, made: Type | None = None) -> int | None:
    """None where there is no such number: texts, lists, maps and integers without a limit, open records."""
    match t:
        case Scalar(name=name, constraints=constraints):
            return _scalar(name, dict(constraints))
        case LiteralType(value=value):
            return _text(value)
        case ListType(item=Never()):
            return 2
        case ListType(item=item, constraints=constraints):
            most = dict(constraints).get("maxItems")
            size = most_bytes(item, made.item if isinstance(made, ListType) else None)
            return 2 + most * (size + 1) if isinstance(most, int) and size is not None else None
        case Record():
            return _record(t, made)
        case Union(members=members):
            return _largest([most_bytes(m, present(made) if made is not None else None) for m in members])
        case _:
            return None


def _record(t: Record, made: Type | None) -> int | None:
    shape = made if isinstance(made, Record) and not made.open else None
    if t.open and (shape is None or any(t.field(f.name) is None for f in shape.fields)):
        return None
    total = 2
    for f in t.fields:
        own = shape.field(f.name) if shape is not None else None
        size = most_bytes(read(f), read(own) if own is not None else None)
        if size is None:
            return None
        total += _text(f.name) + size + 2
    return total


def _scalar(name: str, limits: dict[str, object]) -> int | None:
    if name in _FIXED:
        return _FIXED[name]
    if name == "integer":
        low = limits.get("minimum", limits.get("exclusiveMinimum"))
        high = limits.get("maximum", limits.get("exclusiveMaximum"))
        return max(len(str(low)), len(str(high))) if isinstance(low, int) and isinstance(high, int) else None
    longest = limits.get("maxLength")
    return 2 + _CHARACTER * longest if isinstance(longest, int) else None


def _text(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def _largest(sizes: list[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return max(known) if len(known) == len(sizes) else None
