"""Equality and order of values.

Whole values are equal structurally: true is not 1, 1 is 1.0, integers and doubles compare exactly, a field that is
null differs from one that is absent. Texts compare by code point. Values that are texts on the wire but mean a time
compare by what they mean, where `on` says so (`timestamp`, `date`, `duration`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from .time import read_date, read_duration, read_timestamp

_TIMES = {
    "timestamp": lambda text: read_timestamp(text).nanos,
    "date": read_date,
    "duration": read_duration,
}


def equal(a: object, b: object, on: str = "json") -> bool:
    """Equality of two JSON values, read as `on`. Null equals null only. Raises TimeError for a text that is no time."""
    if on in _TIMES and isinstance(a, str) and isinstance(b, str):
        return _TIMES[on](a) == _TIMES[on](b)
    return identity(a) == identity(b) if isinstance(a, dict | list) and isinstance(b, dict | list) else _same(a, b)


def _same(a: object, b: object) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return a == b


def identity(value: object, on: str = "json") -> Hashable:
    """A hashable stand-in: two values have equal ones where `equal` says so. Raises TimeError."""
    if isinstance(value, str):
        return _TIMES[on](value) if on in _TIMES else value
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, dict):
        return ("record", frozenset((key, identity(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return ("list", tuple(identity(item) for item in value))
    return value if isinstance(value, Hashable) else id(value)


def order_key(value: object, on: str = "json") -> Any:
    """A sort key for a total order: null, truth values, numbers, texts (or times), lists, records.

    Lists compare item by item, records by their sorted fields. Keys of one `on` compare. Raises TimeError.
    """
    if isinstance(value, str):
        return (2, _TIMES[on](value)) if on in _TIMES else (3, value)
    if value is None:
        return (0, 0)
    if isinstance(value, bool):
        return (1, value)
    if isinstance(value, list | tuple):
        return (4, tuple(order_key(item) for item in value))
    if isinstance(value, dict):
        return (5, tuple((key, order_key(value[key])) for key in sorted(value)))
    return (2, value)


def compare(a: object, b: object, on: str = "json") -> int:
    """-1, 0 or 1 in the order of `order_key`."""
    left, right = order_key(a, on), order_key(b, on)
    return 1 if left > right else -1 if left < right else 0
