"""Handles inside a chain: there a handle is the value that is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stdlib.values.types import ERROR, Handle, Record, Type, Union, union


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
