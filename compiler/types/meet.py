"""The values that two types share, and whether they share any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stdlib.values.absorb import absorb
from stdlib.values.subtype import base, fits, same_value
from stdlib.values.types import (
    JSON,
    NEVER,
    NULL,
    Constraints,
    Field,
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
    members,
)

MOST_MEMBERS = 64
"""So many members that are no literals a union may have; so many pairs of types are met in one reading × 100."""


class Meeting:
    """Meets types. The result never lacks a value that both have; where it has more, `tell` is given the reason."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._left = MOST_MEMBERS * 100

    def meet(self, a: Type, b: Type) -> Type:
        self._left -= 1
        if self._left < 0:
            self._tell("too many combinations to work out")
            return a
        if a == b or b == JSON or isinstance(a, Never):
            return a
        if a == JSON or isinstance(b, Never):
            return b
        if isinstance(a, Union) or isinstance(b, Union):
            return self.join([self.meet(x, y) for x in members(a) for y in members(b)])
        match a, b:
            case LiteralType(), LiteralType():
                return a if same_value(a.value, b.value) else NEVER
            case LiteralType(), Scalar():
                return _literal(a, b)
            case Scalar(), LiteralType():
                return _literal(b, a)
            case Scalar(), Scalar():
                return self._scalars(a, b)
            case ListType(), ListType():
                return ListType(self.meet(a.item, b.item), self._constraints(a.constraints, b.constraints))
            case MapType(), MapType():
                value = self.meet(a.value, b.value)
                return Record((), open=False) if isinstance(value, Never) else MapType(value)
            case Record(), MapType():
                return self._with_map(a, b)
            case MapType(), Record():
                return self._with_map(b, a)
            case Record(), Record():
                return self._records(a, b)
            case _:
                return NEVER

    def join(self, types: list[Type]) -> Type:
        """The union, quick for many literals; one with too many other members is json."""
        from stdlib.values.types import union

        literals: dict[LiteralType, int] = {}
        others: list[tuple[int, Type]] = []
        nulls = False
        for at, m in enumerate(m for t in types for m in members(t)):
            if isinstance(m, LiteralType):
                literals.setdefault(m, at)
            elif is_null(m):
                nulls = True
            elif not isinstance(m, Never) and all(m != o for _, o in others):
                others.append((at, m))
            if len(others) > MOST_MEMBERS:
                self._tell(f"more than {MOST_MEMBERS} alternatives")
                return JSON
        joined = list(members(union(*(o for _, o in others)))) if others else []
        given = [o for _, o in others]
        kept: list[tuple[int, Type]] = []
        for literal, at in literals.items():
            for i, j in enumerate(joined):
                if (wider := absorb(j, literal)) is not None:
                    joined[i] = wider
                    break
            else:
                kept.append((at, literal))
        if any(j not in given for j in joined):
            self._tell("limits of one alternative that another does not have")
        kept += [(next(at for at, o in others if fits(o, j) is None), j) for j in joined]
        out = tuple(m for _, m in sorted(kept, key=lambda each: each[0]))
        if nulls and JSON not in joined:
            out = (*out, NULL)
        return NEVER if not out else out[0] if len(out) == 1 else Union(out)

    def _scalars(self, a: Scalar, b: Scalar) -> Type:
        if a.name == b.name:
            name = a.name
        elif {a.name, b.name} == {"integer", "number"}:
            name = "integer"
        elif is_text(a) and is_text(b):
            if "string" not in (a.name, b.name):
                self._tell(f"both {a.name} and {b.name}")
            name = b.name if a.name == "string" else a.name
        else:
            return NEVER
        return Scalar(name, self._constraints(a.constraints, b.constraints))

    def _constraints(self, a: Constraints, b: Constraints) -> Constraints:
        """Both sets of limits; of two for one keyword the tighter."""
        out = dict(a)
        for keyword, value in b:
            mine = out.get(keyword, value)
            if isinstance(mine, int | float) and isinstance(value, int | float) and keyword != "multipleOf":
                out[keyword] = max(mine, value) if "min" in keyword.lower() else min(mine, value)
                continue
            if mine != value:
                self._tell(f"two values for {keyword}")
            out[keyword] = mine
        return tuple(sorted(out.items()))

    def _with_map(self, record: Record, rest: MapType) -> Type:
        if record.open and rest.value != JSON:
            self._tell("fields that are not declared have a type of their own")
        return self._fields(record, {f.name: self.meet(f.type, rest.value) for f in record.fields})

    def _records(self, a: Record, b: Record) -> Type:
        mine = {f.name for f in a.fields}
        merged: list[Field] = []
        types: dict[str, Type] = {}
        for f in a.fields:
            other = b.field(f.name)
            if other is not None:
                merged.append(_both(f, other))
                types[f.name] = self.meet(f.type, other.type)
            elif b.open or f.required:
                merged.append(f)
                types[f.name] = f.type if b.open else NEVER
        for f in b.fields:
            if f.name not in mine and (a.open or f.required):
                merged.append(f)
                types[f.name] = f.type if a.open else NEVER
        return self._fields(Record(tuple(merged), a.open and b.open), types)

    def _fields(self, record: Record, types: dict[str, Type]) -> Type:
        """The record with new types; a field without values is left out, and if it is required there is no value."""
        gone = [f for f in record.fields if isinstance(types[f.name], Never)]
        if any(f.required for f in gone):
            return NEVER
        if gone and record.open:
            self._tell(f"the field {gone[0].name} must not be there")
        kept = tuple(replace(f, type=types[f.name]) for f in record.fields if not isinstance(types[f.name], Never))
        return Record(kept, record.open) if kept or not record.open else MapType(JSON)


def satisfies(value: object, constraints: Constraints) -> bool:
    """Whether a text or number keeps its limits; patterns are not tried, because one from outside may take for ever."""
    limits = {key: limit for key, limit in constraints if isinstance(limit, int | float)}
    if isinstance(value, str):
        return limits.get("minLength", 0) <= len(value) <= limits.get("maxLength", len(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return (
        limits.get("minimum", value) <= value <= limits.get("maximum", value)
        and not value <= limits.get("exclusiveMinimum", value - 1)
        and not value >= limits.get("exclusiveMaximum", value + 1)
        and not ("multipleOf" in limits and value % limits["multipleOf"])
    )


def disjoint(a: Type, b: Type) -> bool:
    """True where it is certain that no value belongs to both."""
    return all(_apart(x, y) for x in members(a) for y in members(b))


def _apart(a: Type, b: Type) -> bool:
    if isinstance(a, Never) or isinstance(b, Never):
        return True
    if a == JSON or b == JSON:
        return False
    if _form(a) != _form(b):
        return True
    if isinstance(a, LiteralType) and isinstance(b, LiteralType):
        return not same_value(a.value, b.value)
    if isinstance(a, Record) and isinstance(b, Record):
        return _records_apart(a, b) or _records_apart(b, a)
    return False


def _records_apart(a: Record, b: Record) -> bool:
    for f in a.fields:
        other = b.field(f.name)
        if f.required and ((other is None and not b.open) or (other is not None and disjoint(f.type, other.type))):
            return True
    return False


def _form(t: Type) -> str:
    if isinstance(t, LiteralType):
        t = base(t)
    if isinstance(t, Scalar):
        return "text" if is_text(t) else "number" if t.name == "integer" else t.name
    return "list" if isinstance(t, ListType) else "object"


def _literal(literal: LiteralType, scalar: Scalar) -> Type:
    fitting = fits(literal, scalar) is None and satisfies(literal.value, scalar.constraints)
    return literal if fitting else NEVER


def _both(a: Field, b: Field) -> Field:
    default = a.default if a.default is not None else b.default
    return replace(a, required=a.required or b.required, doc=a.doc or b.doc, default=default)
