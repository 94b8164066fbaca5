"""Inputs inside a chain: a handle is the value that is stored, and fields with a default are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stdlib.values.types import ERROR, Field, Handle, ListType, MapType, Record, Type, Union, union


def opened(t: Type, kinds: Mapping[str, Type]) -> Type:
    """What a value of the type is inside a chain. Only a whole input or output is a handle, or one or null."""
    match t:
        case Handle(kind=kind):
            return kinds.get(kind, ERROR)
        case Union(members=members) if any(isinstance(m, Handle) for m in members):
            return union(*[opened(m, kinds) for m in members])
        case _:
            return t


def opened_fields(record: Record, kinds: Mapping[str, Type]) -> Record:
    """Parameters as another chain fills them."""
    return replace(record, fields=tuple(replace(f, type=opened(f.type, kinds)) for f in record.fields))


def inside(parameter: Type, kinds: Mapping[str, Type]) -> Type:
    """What the chain itself sees of an input."""
    return opened(complete(parameter), kinds)


def complete(t: Type) -> Type:
    """The type of values whose fields are filled in where they have a default."""
    match t:
        case Record():
            return replace(t, fields=tuple(_field(f) for f in t.fields))
        case ListType():
            return replace(t, item=complete(t.item))
        case MapType():
            return replace(t, value=complete(t.value))
        case Union(members=members):
            return union(*map(complete, members))
        case _:
            return t


def _field(f: Field) -> Field:
    return replace(f, type=complete(f.type), required=f.required or f.default is not None)
