"""The types of the language: one definition for the checker, the function table and the runtime.

Structural and immutable. Optional (`T?`) is a union with `NULL`; unions are flat and
hold no member twice (build them with `union`). Reading an absent field gives null, so a
field that may be absent reads as its type or null (`read`).
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as slot
from typing import Final

_MANY: Final = 32
"""A record of so many fields or more is asked for one by a table."""

Constraints = tuple[tuple[str, object], ...]
"""Refinements as sorted (JSON Schema keyword, value) pairs: minLength, maxLength, pattern, minimum, maximum,
exclusiveMinimum, exclusiveMaximum, multipleOf, minItems, maxItems. Subtyping ignores them; literals and the boundary
check them."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """`string integer number boolean null json timestamp date duration url email uuid bytes`."""

    name: str
    constraints: Constraints = ()


@dataclass(frozen=True, slots=True, eq=False)
class LiteralType:
    """One text, number or truth value. Equal as `same_value` has it: 1 and 1.0 are, 1 and true are not."""

    value: str | int | float | bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LiteralType) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[bool, str | int | float | bool]:
        return isinstance(self.value, bool), self.value


@dataclass(frozen=True, slots=True)
class ListType:
    item: Type
    constraints: Constraints = ()


@dataclass(frozen=True, slots=True)
class MapType:
    """Any text as key; reading a key gives the value type or null."""

    value: Type


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record. `required`: always present. A field that is not required reads as `type` or null.

    `default` is the JSON value a schema or an input declares, wrapped in a 1-tuple (None: no default).
    """

    name: str
    type: Type
    required: bool = True
    doc: str | None = None
    default: tuple[object] | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """`open`: values may carry further fields (which the language cannot read)."""

    fields: tuple[Field, ...]
    open: bool = True
    _named: dict[str, Field] | None = slot(default=None, init=False, repr=False, compare=False)

    def field(self, name: str) -> Field | None:
        if len(self.fields) < _MANY:
            return next((f for f in self.fields if f.name == name), None)
        if self._named is None:
            # Schemas come from outside: comparing two records of very many fields must not take a pass for each field.
            object.__setattr__(self, "_named", {f.name: f for f in reversed(self.fields)})
        assert self._named is not None, "made above"
        return self._named.get(name)


@dataclass(frozen=True, slots=True)
class Union:
    """At least two members, none of them a union; made by `union`."""

    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Handle:
    """A stored value of a declared kind; equal by kind name only."""

    kind: str


@dataclass(frozen=True, slots=True)
class Never:
    """The item type of `[]`: fits everywhere."""


@dataclass(frozen=True, slots=True)
class ErrorType:
    """The type of what was already reported: fits everywhere, so that one mistake gives one message."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A type variable in a signature of the function table."""

    name: str


Type = Scalar | LiteralType | ListType | MapType | Record | Union | Handle | Never | ErrorType | Variable

STRING: Final = Scalar("string")
INTEGER: Final = Scalar("integer")
NUMBER: Final = Scalar("number")
BOOLEAN: Final = Scalar("boolean")
NULL: Final = Scalar("null")
JSON: Final = Scalar("json")
TIMESTAMP: Final = Scalar("timestamp")
DATE: Final = Scalar("date")
DURATION: Final = Scalar("duration")
URL: Final = Scalar("url")
EMAIL: Final = Scalar("email")
UUID: Final = Scalar("uuid")
BYTES: Final = Scalar("bytes")
ERROR: Final = ErrorType()
NEVER: Final = Never()

FORMATS: Final = {
    "timestamp": "date-time",
    "date": "date",
    "duration": "duration",
    "url": "uri",
    "email": "email",
    "uuid": "uuid",
    "bytes": "byte",
}
"""Type name → JSON Schema `format`; all of them are subtypes of string."""

OF_FORMAT: Final = {json_format: name for name, json_format in FORMATS.items()}
"""JSON Schema `format` → type name."""

SCALARS: Final = {
    t.name: t for t in (STRING, INTEGER, NUMBER, BOOLEAN, JSON, TIMESTAMP, DATE, DURATION, URL, EMAIL, UUID, BYTES)
}
"""The scalar types an author can write."""

UNTYPED_RESULT: Final = Record((Field("text", STRING), Field("content", ListType(JSON))))
"""What a tool without an output schema and without a claim gives."""


def is_text(t: Type) -> bool:
    """string, a format of string, or a literal text."""
    if isinstance(t, LiteralType):
        return isinstance(t.value, str)
    return isinstance(t, Scalar) and (t.name == "string" or t.name in FORMATS)


def members(t: Type) -> tuple[Type, ...]:
    return t.members if isinstance(t, Union) else (t,)


def is_null(t: Type) -> bool:
    return isinstance(t, Scalar) and t.name == "null"


def may_be_null(t: Type) -> bool:
    """True where the type has null among its members; `json` does not count."""
    return any(is_null(m) for m in members(t))


def optional(t: Type) -> Type:
    """`t?`; flat: json, error types and what is optional already stay as they are."""
    if t == JSON or isinstance(t, ErrorType) or may_be_null(t):
        return t
    return union(t, NULL)


def present(t: Type) -> Type:
    """The type without null."""
    if not isinstance(t, Union):
        return t
    rest = tuple(m for m in t.members if not is_null(m))
    return rest[0] if len(rest) == 1 else Union(rest)


def read(f: Field) -> Type:
    """What reading the field gives."""
    return f.type if f.required else optional(f.type)


def union(*types: Type) -> Type:
    """The flat union: equal members once, members that fit another one absorbed, null last."""
    from .absorb import absorb

    out: list[Type] = []
    # There may be thousands of literals. They are told apart by hash: no literal takes in another one.
    literals: set[Type] = set()
    wide: list[int] = []
    for given in types:
        for m in members(given):
            if isinstance(m, ErrorType):
                return ERROR
            is_literal = isinstance(m, LiteralType)
            if is_literal and m in literals:
                continue
            for i, o in [(at, out[at]) for at in wide] if is_literal else enumerate(out):
                wider = o if m == o else absorb(o, m)
                if wider is not None:
                    out[i] = wider
                    break
            else:
                if is_literal:
                    literals.add(m)
                    out.append(m)
                    continue
                kept: list[Type] = []
                for o in out:
                    wider = absorb(m, o)
                    if wider is None:
                        kept.append(o)
                    else:
                        m = wider
                out = [*kept, m]
                literals = {o for o in out if isinstance(o, LiteralType)}
                wide = [i for i, o in enumerate(out) if not isinstance(o, LiteralType)]
    nulls = [m for m in out if is_null(m)]
    out = [m for m in out if not is_null(m)] + nulls
    if not out:
        return NEVER
    return out[0] if len(out) == 1 else Union(tuple(out))
