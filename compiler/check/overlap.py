"""Whether two types can have a value in common."""

from __future__ import annotations

from stdlib.values.subtype import base, fits
from stdlib.values.types import (
    JSON,
    ErrorType,
    ListType,
    LiteralType,
    MapType,
    Never,
    Record,
    Scalar,
    Type,
    is_text,
    members,
)


def overlap(a: Type, b: Type) -> bool:
    """False only where no value can be both; what is open counts as possible."""
    return any(_pair(x, y) for x in members(a) for y in members(b))


def _pair(a: Type, b: Type) -> bool:
    if a == b or JSON in (a, b) or isinstance(a, ErrorType | Never) or isinstance(b, ErrorType | Never):
        return True
    if fits(a, b) is None or fits(b, a) is None:
        return True
    if isinstance(a, LiteralType) and isinstance(b, LiteralType):
        return False
    if isinstance(a, LiteralType) or isinstance(b, LiteralType):
        literal, other = (a, b) if isinstance(a, LiteralType) else (b, a)
        assert isinstance(literal, LiteralType), "one of them is"
        if isinstance(other, LiteralType) or is_text(literal):
            return False  # a text that had the format would fit it
        # 2.0 is an integer, too.
        return isinstance(other, Scalar) and base(literal).name == "number" and other.name == "integer"
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return False
    if isinstance(a, ListType) and isinstance(b, ListType):
        return overlap(a.item, b.item)
    if isinstance(a, MapType) and isinstance(b, MapType):
        return overlap(a.value, b.value)
    if isinstance(a, Record) and isinstance(b, Record):
        return _records(a, b) and _records(b, a)
    if isinstance(a, Record | MapType) and isinstance(b, Record | MapType):
        record, other = (a, b) if isinstance(a, Record) else (b, a)
        assert isinstance(record, Record), "not both are maps"
        assert isinstance(other, MapType), "not both are records"
        return all(overlap(f.type, other.value) for f in record.fields if f.required)
    return False


def _records(a: Record, b: Record) -> bool:
    for f in a.fields:
        other = b.field(f.name)
        if other is None:
            if f.required and not b.open:
                return False
        elif not overlap(f.type, other.type) and (f.required or other.required):
            return False
    return True
