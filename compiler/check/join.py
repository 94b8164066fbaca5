"""The type of a value that comes from one of several places: branches, items of a list."""

from __future__ import annotations

from stdlib.values.types import (
    BOOLEAN,
    STRING,
    Field,
    ListType,
    LiteralType,
    Record,
    Type,
    is_text,
    members,
    union,
)

MOST_LITERALS = 24
"""So many different texts in one place are still a choice; more are string."""


def joined(*types: Type) -> Type:
    """The union; closed records (those of literals) become one record, in which some fields may be absent."""
    found = union(*types)
    parts = members(found)
    if len(parts) == 1:
        return found
    records = [m for m in parts if isinstance(m, Record)]
    if len(records) > 1 and not any(r.open for r in records) and not _told_apart(records):
        return joined(_merged(records), *[m for m in parts if not isinstance(m, Record)])
    texts = [m for m in parts if isinstance(m, LiteralType) and is_text(m)]
    if len(texts) > MOST_LITERALS:
        return union(STRING, *[m for m in parts if m not in texts])
    if {True, False} <= {m.value for m in parts if isinstance(m, LiteralType) and isinstance(m.value, bool)}:
        return union(BOOLEAN, *parts)
    return found


def _told_apart(records: list[Record]) -> bool:
    """Whether a field with a different literal in each record says which one it is."""
    for f in records[0].fields:
        values = [r.field(f.name) for r in records]
        kinds = {v.type for v in values if v is not None and v.required and isinstance(v.type, LiteralType)}
        if len(kinds) == len(records):
            return True
    return False


def _merged(records: list[Record]) -> Record:
    names = dict.fromkeys(f.name for r in records for f in r.fields)
    fields: list[Field] = []
    for name in names:
        found = [r.field(name) for r in records]
        have = [f for f in found if f is not None]
        type = joined(*[f.type for f in have])
        required = len(have) == len(records) and all(f.required for f in have)
        fields.append(Field(name, type, required))
    return Record(tuple(fields), open=False)


def as_list(t: Type) -> ListType | None:
    """The list type of a list, or of a union of lists; None where it is no list."""
    parts = [m for m in members(t) if isinstance(m, ListType)]
    if not parts or len(parts) < len(members(t)):
        return None
    return parts[0] if len(parts) == 1 else ListType(joined(*[m.item for m in parts]))
