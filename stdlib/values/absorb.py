"""One member of a union taking in another."""

from __future__ import annotations

from dataclasses import replace

from .subtype import fits
from .types import Constraints, Field, ListType, LiteralType, MapType, Record, Scalar, Type, Union, members


def absorb(a: Type, b: Type) -> Type | None:
    """`a` without the limits that shut out values of `b`, where every `b` is an `a`; else None.

    A record takes in only one that has all its fields: one that lacks what is optional here fits as well, yet its
    own fields would be lost.
    """
    if isinstance(a, Record) and isinstance(b, Record) and any(b.field(f.name) is None for f in a.fields):
        return None
    return _loosened(a, b) if fits(b, a) is None else None


def _loosened(a: Type, b: Type) -> Type:
    match a, b:
        case Union(), _:
            out = list(a.members)
            for each in members(b):
                at = next((i for i, m in enumerate(out) if fits(each, m) is None), None)
                if at is not None:
                    out[at] = _loosened(out[at], each)
            return Union(tuple(out))
        case _, Union():
            for each in b.members:
                a = _loosened(a, each)
            return a
        case Scalar(), Scalar():
            return Scalar(a.name, _common(a.constraints, b.constraints))
        case Scalar(), LiteralType():
            return Scalar(a.name)
        case ListType(), ListType():
            return ListType(_loosened(a.item, b.item), _common(a.constraints, b.constraints))
        case MapType(), MapType():
            return MapType(_loosened(a.value, b.value))
        case MapType(), Record():
            value = a.value
            for f in b.fields:
                value = _loosened(value, f.type)
            return MapType(value)
        case Record(), Record():
            return Record(tuple(_field(f, b.field(f.name)) for f in a.fields), a.open or b.open)
        case _:
            return a


def _field(a: Field, b: Field | None) -> Field:
    if b is None:
        return replace(a, required=False)
    return replace(a, type=_loosened(a.type, b.type), required=a.required and b.required)


def _common(a: Constraints, b: Constraints) -> Constraints:
    return tuple(limit for limit in a if limit in b)
