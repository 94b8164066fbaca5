"""Structural subtyping that says where and why a value does not fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .show import show
from .types import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    ErrorType,
    Handle,
    ListType,
    LiteralType,
    MapType,
    Never,
    Record,
    Scalar,
    Type,
    Union,
    is_null,
    is_text,
    may_be_null,
    members,
)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a type does not fit: `path` leads to the place (`owner`, `labels[].name`; empty at the top).

    `reason` is `null` (may be null), `missing` (a field is), `extra` (a field is not accepted), `open` (a record may
    have further fields, which a map would show), `undeclared` (one of those may be the field that is wanted) or `type`.
    """

    path: str
    reason: str
    found: Type | None = None
    wanted: Type | None = None

    def __str__(self) -> str:
        if self.reason == "missing":
            return f"field `{self.path}` is missing"
        if self.reason == "extra":
            return f"field `{self.path}` is not accepted"
        subject = f"`{self.path}`" if self.path else "it"
        if self.reason == "null":
            return f"{subject} may be null"
        if self.reason == "open":
            return f"{subject} may have further fields of any type"
        if self.reason == "undeclared":
            return f"field `{self.path}` is not declared, so it may be anything"
        if isinstance(self.wanted, Union):
            return f"{subject} is {show(self.found)}, none of {show(self.wanted)}"
        return f"{subject} is {show(self.found)}, not {show(self.wanted)}"


def base(t: LiteralType) -> Scalar:
    """The scalar type of a literal."""
    if isinstance(t.value, bool):
        return BOOLEAN
    if isinstance(t.value, str):
        return STRING
    return INTEGER if isinstance(t.value, int) else NUMBER


def same_value(a: object, b: object) -> bool:
    """Equality of scalar JSON values: true is not 1, and 1 is 1.0."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return a == b and isinstance(a, str) == isinstance(b, str)


def fits(a: Type, b: Type, path: str = "") -> Misfit | None:
    """None where a value of type `a` can stand where `b` is wanted, else the first place where it cannot.

    Records fit by width and depth; `json` accepts everything and is accepted only by itself.
    Refinements (`min`, `pattern`, …) are ignored: the boundary checks them.
    """
    if a == b or isinstance(a, ErrorType | Never) or isinstance(b, ErrorType):
        return None
    if isinstance(b, Scalar) and b.name == "json":
        return None
    if isinstance(a, Union):
        choices = {m for m in b.members if isinstance(m, LiteralType)} if isinstance(b, Union) else set()
        for m in a.members:
            if isinstance(m, LiteralType) and m in choices:
                continue
            misfit = fits(m, b, path)
            if misfit:
                return Misfit(path, "null", m, b) if is_null(m) else misfit
        return None
    if isinstance(b, Union):
        return _fits_union(a, b, path)
    if isinstance(a, LiteralType):
        return _literal_fits(a, b, path)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        if a.name == b.name or (a.name == "integer" and b.name == "number") or (b.name == "string" and is_text(a)):
            return None
    elif isinstance(a, ListType) and isinstance(b, ListType):
        return fits(a.item, b.item, path + "[]")
    elif isinstance(a, MapType) and isinstance(b, MapType):
        return fits(a.value, b.value, path + "[*]")
    elif isinstance(a, Handle) and isinstance(b, Handle) and a.kind == b.kind:
        return None
    elif isinstance(a, Record) and isinstance(b, Record):
        return _record_fits(a, b, path)
    elif isinstance(a, Record) and isinstance(b, MapType):
        for f in a.fields:
            misfit = fits(f.type, b.value, join(path, f.name))
            if misfit:
                return misfit
        # An open record may hold more than it says, of any type: as a map, that would be read.
        return Misfit(path, "open", a, b) if a.open and not _takes_anything(b.value) else None
    return Misfit(path, "null" if is_null(a) else "type", a, b)


def _takes_anything(t: Type) -> bool:
    return isinstance(t, ErrorType) or any(isinstance(m, Scalar) and m.name == "json" for m in members(t))


def _fits_union(a: Type, b: Union, path: str) -> Misfit | None:
    misfits: list[Misfit] = []
    for m in b.members:
        misfit = fits(a, m, path)
        if misfit is None:
            return None
        misfits.append(misfit)
    # Where only one member has the right form, its own misfit says more than the list of members.
    same = [
        x for x, m in zip(misfits, b.members, strict=True) if type(m) is type(a) and isinstance(a, Record | ListType)
    ]
    return same[0] if len(same) == 1 else Misfit(path, "null" if is_null(a) else "type", a, b)


def _literal_fits(a: LiteralType, b: Type, path: str) -> Misfit | None:
    if isinstance(b, LiteralType):
        return None if same_value(a.value, b.value) else Misfit(path, "type", a, b)
    if isinstance(b, Scalar) and is_text(a) and is_text(b) and b.name != "string":
        from .formats import valid_format

        ok = isinstance(a.value, str) and valid_format(b.name, a.value)
        return None if ok else Misfit(path, "type", a, b)
    return None if fits(base(a), b) is None else Misfit(path, "type", a, b)


def _record_fits(a: Record, b: Record, path: str) -> Misfit | None:
    undeclared: Misfit | None = None
    for want in b.fields:
        have = a.field(want.name)
        at = join(path, want.name)
        if have is None:
            if want.required and not may_be_null(want.type):
                return Misfit(at, "missing", None, want.type)
            # Absent is fine, but an open record may hold it all the same, with a value of any type.
            if a.open and undeclared is None and not _takes_anything(want.type):
                undeclared = Misfit(at, "undeclared", a, want.type)
            continue
        misfit = fits(have.type, want.type, at)
        if misfit:
            # Null is left out where the field may be absent.
            if misfit.path == at and misfit.reason == "null" and not want.required:
                from .types import present

                misfit = fits(present(have.type), want.type, at) if not is_null(have.type) else None
            if misfit:
                return misfit
        if not have.required and want.required and not may_be_null(want.type):
            return Misfit(at, "null", have.type, want.type)
    if not b.open:
        extra = next((f for f in a.fields if b.field(f.name) is None), None)
        if extra:
            return Misfit(join(path, extra.name), "extra", extra.type, None)
    return undeclared


def closed(t: Type) -> Type:
    """The type of values whose records hold what is declared and nothing else, however deep."""
    match t:
        case Record(fields=fields):
            return Record(tuple(replace(f, type=closed(f.type)) for f in fields), open=False)
        case ListType(item=item):
            return replace(t, item=closed(item))
        case MapType(value=value):
            return MapType(closed(value))
        case Union(members=parts):
            return Union(tuple(map(closed, parts)))
        case _:
            return t


def join(path: str, name: str) -> str:
    """`path.name`."""
    return f"{path}.{name}" if path else name
