"""Type variables of the function table: bound by arguments, put into results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.check.join import joined
from stdlib.values.subtype import Misfit, fits
from stdlib.values.types import (
    ERROR,
    INTEGER,
    JSON,
    NEVER,
    NUMBER,
    ErrorType,
    ListType,
    LiteralType,
    MapType,
    Never,
    Record,
    Type,
    Union,
    Variable,
    is_null,
    may_be_null,
    members,
    present,
    read,
    union,
)

Bound = dict[str, Type]


def bind(wanted: Type, found: Type, bound: Bound, path: str = "") -> Misfit | None:
    """Hold an argument against a parameter's type; variables take in what stands in their place."""
    if isinstance(found, ErrorType):
        # Reported already: what the variables stand for is not known, so nothing more is said about the result.
        bound.update(dict.fromkeys(variables(wanted), ERROR))
        return None
    if isinstance(wanted, Variable):
        return _variable(wanted.name, found, bound, path)
    if not has_variable(wanted):
        return fits(found, wanted, path)
    if isinstance(wanted, Union):
        return _union(wanted, found, bound, path)
    if isinstance(found, Union):
        for m in found.members:
            misfit = bind(wanted, m, bound, path)
            if misfit is not None:
                return Misfit(path, "null", m, wanted) if is_null(m) else misfit
        return None
    if isinstance(found, Never):
        return None
    if isinstance(wanted, ListType) and isinstance(found, ListType):
        return bind(wanted.item, found.item, bound, path + "[]")
    if isinstance(wanted, MapType) and isinstance(found, MapType):
        return bind(wanted.value, found.value, bound, path + "[*]")
    if isinstance(wanted, MapType) and isinstance(found, Record):
        for f in found.fields:
            misfit = bind(wanted.value, read(f), bound, f"{path}.{f.name}" if path else f.name)
            if misfit is not None:
                return misfit
        # An open record may hold more than it says: read as a map, that may be anything.
        return bind(wanted.value, JSON, bound, path) if found.open else None
    if isinstance(wanted, Record) and isinstance(found, Record):
        for f in wanted.fields:
            have = found.field(f.name)
            misfit = Misfit(f.name, "missing") if have is None else bind(f.type, read(have), bound, f.name)
            if misfit is not None:
                return misfit
        return None
    return Misfit(path, "null" if is_null(found) else "type", found, wanted)


def _variable(name: str, found: Type, bound: Bound, path: str) -> Misfit | None:
    if isinstance(bound.get(name), ErrorType):
        return None
    if name == "N":
        misfit = fits(found, NUMBER, path)
        if misfit is None:
            whole = all(fits(m, INTEGER) is None for m in members(found))
            bound[name] = INTEGER if whole and bound.get(name, INTEGER) == INTEGER else NUMBER
        return misfit
    bound[name] = joined(bound[name], found) if name in bound else found
    return None


def _union(wanted: Union, found: Type, bound: Bound, path: str) -> Misfit | None:
    """`T?` takes the null away; otherwise the first member that fits."""
    options = [m for m in wanted.members if not is_null(m)]
    rest = present(found) if may_be_null(wanted) and may_be_null(found) else found
    if is_null(rest) and may_be_null(wanted):
        return None
    misfit: Misfit | None = None
    for option in options:
        trial = dict(bound)
        said = bind(option, rest, trial, path)
        if said is None:
            bound.update(trial)
            return None
        misfit = misfit or said
    return misfit


def filled(t: Type, bound: Bound, by: str | None = None) -> Type:
    """The type with its variables replaced. `T.by` is the field `by` of what T is bound to, or that itself."""
    match t:
        case Variable(name=name):
            if "." in name:
                return _keyed(bound.get(name.partition(".")[0], NEVER), by)
            return bound.get(name, NEVER)
        case ListType(item=item):
            return ListType(filled(item, bound, by))
        case MapType(value=value):
            return MapType(filled(value, bound, by))
        case Record(fields=fields):
            return Record(tuple(replace(f, type=filled(f.type, bound, by)) for f in fields), open=False)
        case Union(members=parts):
            return union(*[filled(m, bound, by) for m in parts])
        case _:
            return t


def _keyed(item: Type, by: str | None) -> Type:
    """What is added up: numbers or durations without null, never a literal."""
    if isinstance(item, ErrorType):
        return ERROR
    if by is not None:
        record = present(item)
        found = record.field(by) if isinstance(record, Record) else None
        if found is None:
            return ERROR
        item = read(found)
    item = present(item) if not is_null(item) else NEVER
    if isinstance(item, Never):
        return INTEGER
    if all(isinstance(m, LiteralType) or fits(m, NUMBER) is None for m in members(item)):
        return INTEGER if all(fits(m, INTEGER) is None for m in members(item)) else NUMBER
    return item


def has_variable(t: Type) -> bool:
    return next(variables(t), None) is not None


def variables(t: Type) -> Iterator[str]:
    """The names of the variables in a type."""
    match t:
        case Variable(name=name):
            yield name.partition(".")[0]
        case ListType(item=part) | MapType(value=part):
            yield from variables(part)
        case Record(fields=fields):
            for f in fields:
                yield from variables(f.type)
        case Union(members=parts):
            for part in parts:
                yield from variables(part)
