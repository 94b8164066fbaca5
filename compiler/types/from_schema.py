"""JSON Schema → type, as servers send it: 2020-12 and draft-07, OpenAPI's `nullable`, older limits.

The type never lacks a value that the schema admits. Where it has more, because the language cannot say it, a note
tells the place and why; the schema itself is still enforced when a chain runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from compiler.types.keywords import (
    CHOICES_CAP,
    Invalid,
    choices,
    count,
    excludes_all,
    names,
    note_unsaid,
    scalar,
    schemas,
    type_names,
)
from compiler.types.meet import Meeting, disjoint
from compiler.types.refs import References, below
from stdlib.values.plain import plain
from stdlib.values.types import (
    BOOLEAN,
    JSON,
    NEVER,
    NULL,
    Constraints,
    Field,
    ListType,
    MapType,
    Never,
    Record,
    Type,
    members,
    optional,
)

MOST_DEEP = 32
"""So many schemas inside one another are read; what lies deeper is json."""
MOST_READ = 10_000
"""So many schemas are read, a definition once for each use; what comes after is json."""


@dataclass(frozen=True, slots=True)
class Note:
    """A place (JSON pointer, empty for the whole schema) that the type says less about than the schema does."""

    pointer: str
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A type, and what it leaves unsaid."""

    type: Type
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a tool takes: a closed record, because a server ignores or refuses what it does not declare."""

    record: Record
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class BadSchema:
    """No type: the schema is wrong at this place, or never comes to an end."""

    pointer: str
    why: str


def from_schema(schema: object) -> Reading | BadSchema:
    """The type of the values that `schema` (an object, true or false) admits."""
    reader = _Reader(schema)
    try:
        return Reading(reader.read(schema, "", 0), tuple(reader.notes))
    except Invalid as wrong:
        return BadSchema(wrong.pointer, wrong.why)


def parameters(schema: object) -> Parameters | BadSchema:
    """The parameters of a tool by its input schema, whose values must be objects.

    Alternatives of whole objects become one record that has the fields of all of them.
    """
    reading = from_schema(schema)
    if isinstance(reading, BadSchema):
        return reading
    notes = list(reading.notes)
    forms = [m for m in members(reading.type) if isinstance(m, Record | MapType)]
    if reading.type == JSON:
        forms = [MapType(JSON)]
    if not forms:
        return BadSchema("", "what a tool takes must be an object")
    records = [m if isinstance(m, Record) else Record(()) for m in forms]
    if any(isinstance(m, MapType) and m.value != JSON for m in forms):
        notes.append(Note("", "takes fields of any name"))
    if len(records) > 1:
        notes.append(Note("", "alternatives read as one record"))
    meeting = Meeting(lambda why: notes.append(Note("", why)))
    return Parameters(_merged(records, meeting), tuple(notes))


def _merged(records: list[Record], meeting: Meeting) -> Record:
    """Every field of every record; required where all require it."""
    fields: dict[str, Field] = {}
    for f in (f for record in records for f in record.fields):
        known = fields.setdefault(f.name, f)
        if known is not f:
            fields[f.name] = replace(known, type=meeting.join([known.type, f.type]), doc=known.doc or f.doc)
    required = {name for name in fields if all((own := r.field(name)) and own.required for r in records)}
    return Record(tuple(replace(f, required=f.name in required) for f in fields.values()), open=False)


class _Reader:
    def __init__(self, root: object) -> None:
        self.references = References(root)
        self.notes: dict[Note, None] = {}
        self._left = MOST_READ
        self._open: dict[str, int] = {}  # definitions being read → how many values deep they began

    def read(self, schema: object, pointer: str, level: int, deep: int = 0) -> Type:
        """`level` counts the values around this one, `deep` the schemas."""
        self._left -= 1
        if self._left < 0 or deep > MOST_DEEP:
            why = f"nested more than {MOST_DEEP} deep" if deep > MOST_DEEP else f"more than {MOST_READ} schemas"
            self.note(pointer if deep > MOST_DEEP else "", why)
            return JSON
        if schema is True or schema is False:
            return JSON if schema else NEVER
        if not isinstance(schema, dict):
            raise Invalid(pointer, "a schema is an object, true or false")
        meeting = Meeting(lambda why: self.note(pointer, why))
        types = [self._own(schema, pointer, level, deep)]
        if "$ref" in schema:
            types.append(self._reference(schema["$ref"], below(pointer, "$ref"), level, deep))
        for i, part in enumerate(schemas(schema, "allOf", pointer)):
            types.append(self.read(part, below(pointer, "allOf", i), level, deep + 1))
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                types.append(self._alternatives(schema, keyword, pointer, level, deep, meeting))
        out = NEVER if excludes_all(schema) else types[0]
        for t in types[1:]:
            out = meeting.meet(out, t)
        if "enum" in schema or "const" in schema:
            out = self._choices(schema, pointer, out, meeting)
        if schema.get("unevaluatedProperties") is False and isinstance(out, Record):
            out = Record(out.fields, open=False)
        elif schema.get("unevaluatedProperties") is False and isinstance(out, MapType):
            self.note(below(pointer, "unevaluatedProperties"), "names that must not be there")
        if schema.get("nullable") is True:
            out = optional(out)
        note_unsaid(schema, lambda key, why: self.note(below(pointer, key), why))
        return out

    def note(self, pointer: str, why: str) -> None:
        self.notes.setdefault(Note(pointer, why))

    def _own(self, schema: dict[str, Any], pointer: str, level: int, deep: int) -> Type:
        """What `type` and the keywords that go with it say."""
        types: list[Type] = []
        for name in type_names(schema, pointer):
            match name:
                case "object":
                    types.append(self._object(schema, pointer, level, deep))
                case "array":
                    types.append(self._array(schema, pointer, level, deep))
                case "boolean":
                    types.append(BOOLEAN)
                case "null":
                    types.append(NULL)
                case _:
                    types.append(scalar(name, schema, pointer, lambda key, why: self.note(below(pointer, key), why)))
        return Meeting(lambda why: self.note(pointer, why)).join(types) if types else JSON

    def _object(self, schema: dict[str, Any], pointer: str, level: int, deep: int) -> Type:
        required = dict.fromkeys(names(schema, "required", pointer))
        rest = schema.get("additionalProperties", True)
        patterns = self._mapping(schema, "patternProperties", pointer)
        fields: list[Field] = []
        for name, sub in self._mapping(schema, "properties", pointer).items():
            t = self.read(sub, below(pointer, "properties", name), level + 1, deep + 1)
            if not isinstance(t, Never) or name in required:
                fields.append(self._field(name, sub, t, name in required, below(pointer, "properties", name)))
            elif rest is not False:
                self.note(below(pointer, "properties", name), "a field that must not be there")
        known = {f.name for f in fields}
        others = (
            NEVER if rest is False else self.read(rest, below(pointer, "additionalProperties"), level + 1, deep + 1)
        )
        for name in required:
            if name not in known:
                fields.append(Field(name, JSON if patterns else others))
        if patterns:
            self.note(below(pointer, "patternProperties"), "names by pattern")
        if fields:
            if not isinstance(others, Never) and others != JSON:
                self.note(
                    below(pointer, "additionalProperties"), "fields that are not declared have a type of their own"
                )
            return Record(tuple(fields), open=bool(patterns) or not isinstance(others, Never))
        values = [
            self.read(sub, below(pointer, "patternProperties", name), level + 1, deep + 1)
            for name, sub in patterns.items()
        ]
        t = Meeting(lambda why: self.note(pointer, why)).join([*values, others])
        return Record((), open=False) if isinstance(t, Never) else MapType(t)

    def _field(self, name: str, schema: object, t: Type, required: bool, pointer: str) -> Field:
        own: dict[str, Any] = schema if isinstance(schema, dict) else {}
        doc = own.get("description")
        if doc is None and isinstance(own.get("$ref"), str):
            found = self.references.resolve(own["$ref"], pointer)
            doc = found[1].get("description") if found and isinstance(found[1], dict) else None
        default = (own["default"],) if "default" in own else None
        return Field(name, t, required, plain(doc) or None, default)

    def _array(self, schema: dict[str, Any], pointer: str, level: int, deep: int) -> Type:
        limits = ((key, count(schema, key, pointer)) for key in ("maxItems", "minItems") if key in schema)
        constraints: Constraints = tuple((key, n) for key, n in limits if n or key == "maxItems")
        items = schema.get("items", True)
        tuple_keyword = "items" if isinstance(items, list) else "prefixItems"
        places = schemas(schema, tuple_keyword, pointer) if tuple_keyword in schema and items is not None else []
        if isinstance(items, list):
            items = schema.get("additionalItems", True)
        rest = self.read(items, below(pointer, "items"), level + 1, deep + 1)
        if not places:
            return ListType(rest, constraints)
        self.note(below(pointer, tuple_keyword), "a type for each position")
        of_places = [
            self.read(sub, below(pointer, tuple_keyword, i), level + 1, deep + 1) for i, sub in enumerate(places)
        ]
        return ListType(Meeting(lambda why: self.note(pointer, why)).join([*of_places, rest]), constraints)

    def _alternatives(
        self, schema: dict[str, Any], keyword: str, pointer: str, level: int, deep: int, meeting: Meeting
    ) -> Type:
        branches = [
            self.read(branch, below(pointer, keyword, i), level, deep + 1)
            for i, branch in enumerate(schemas(schema, keyword, pointer))
        ]
        if keyword == "oneOf" and len(branches) <= CHOICES_CAP and not _pairwise_disjoint(branches):
            self.note(below(pointer, keyword), "a value may fit two of the alternatives")
        return meeting.join(branches)

    def _choices(self, schema: dict[str, Any], pointer: str, t: Type, meeting: Meeting) -> Type:
        for keyword in ("enum", "const"):
            if keyword in schema:
                found = choices(schema, keyword, pointer)
                if isinstance(found, str):
                    self.note(below(pointer, keyword), found)
                    continue
                t = meeting.meet(t, meeting.join(found))
                if "pattern" in schema:
                    self.note(below(pointer, "pattern"), "a pattern beside choices")
        return t

    def _reference(self, ref: object, pointer: str, level: int, deep: int) -> Type:
        if not isinstance(ref, str):
            raise Invalid(pointer, "a reference is a text")
        found = self.references.resolve(ref, pointer)
        if found is None:
            place = "nothing has this name" if ref.startswith("#") else "it is outside of the schema"
            raise Invalid(pointer, f"cannot find {ref[:200]}: {place}")
        target, schema = found
        began = self._open.get(target, 0 if target == "" else None)
        if began is not None:
            if began == level:
                raise Invalid(pointer, f"{ref[:200]} refers to itself without end")
            self.note(target, "refers to itself")
            return JSON
        self._open[target] = level
        try:
            return self.read(schema, target, level, deep + 1)
        finally:
            del self._open[target]

    @staticmethod
    def _mapping(schema: dict[str, Any], keyword: str, pointer: str) -> dict[str, Any]:
        found = schema.get(keyword, {})
        if not isinstance(found, dict):
            raise Invalid(below(pointer, keyword), "must be an object of schemas")
        return found


def _pairwise_disjoint(types: list[Type]) -> bool:
    return all(disjoint(a, b) for i, a in enumerate(types) for b in types[i + 1 :])
