"""Schema Objects → JSON Schema 2020-12 that stands alone.

OpenAPI 3.0 has a dialect of its own (`nullable`, `exclusiveMinimum: true`, nothing beside `$ref`); 3.1 has 2020-12.
What is written is read by either rule, because documents mix them. References become `#/$defs/NAME`; only what is
used comes along. What no side sends is left out: `readOnly` fields of requests, `writeOnly` fields of responses.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final, Literal

from compiler.sources.openapi.documents import At, Documents
from compiler.sources.openapi.source import Note, Place, Unserved
from stdlib.values.plain import plain

MOST_SCHEMAS: Final = 1000
"""So many schemas one side of a tool may have, the nearest first; what lies behind further references may be anything.
In some documents every schema leads to every other one, and each tool would carry all of them."""
MOST_DEEP: Final = 64

Side = Literal["request", "response"]

_COPIED: Final = (
    "type", "enum", "const", "format", "pattern", "multipleOf", "maximum", "minimum", "exclusiveMaximum",
    "exclusiveMinimum", "maxLength", "minLength", "maxItems", "minItems", "uniqueItems", "maxProperties",
    "minProperties", "required", "dependentRequired", "contentEncoding", "contentMediaType", "minContains",
    "maxContains", "default", "deprecated",
)  # fmt: skip
_SCHEMA: Final = (
    "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "additionalItems",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")
_NULL: Final = {"type": "null"}


class SchemaWriter:
    """Writes the schemas of one side of one tool; `finish` adds the definitions that they refer to."""

    def __init__(self, documents: Documents, side: Side) -> None:
        self.side: Side = side
        self._documents = documents
        self._hidden = "readOnly" if side == "request" else "writeOnly"
        self._names: dict[Place, str] = {}
        self._waiting: deque[tuple[str, At]] = deque()
        self._left = MOST_SCHEMAS
        self.notes: dict[Note, None] = {}
        self.instead: dict[Place, dict[str, Any]] = {}
        """What is written for the schemas in these places."""

    def finish(self, root: dict[str, Any]) -> dict[str, Any]:
        """The schema with all that it refers to. Raises Unserved."""
        definitions: dict[str, Any] = {}
        while self._waiting:
            name, at = self._waiting.popleft()
            definitions[name] = self.write(at)
        return {**root, "$defs": dict(sorted(definitions.items()))} if definitions else root

    def write(self, at: At, deep: int = 0) -> dict[str, Any]:
        """One schema. Raises Unserved."""
        self._left -= 1
        if self._left < 0 or deep > MOST_DEEP:
            why = "larger than what is read of one schema" if self._left < 0 else f"nested more than {MOST_DEEP} deep"
            self.notes.setdefault(Note(at.place, f"This is {why}; it may be anything."))
            return {}
        if at.place in self.instead:
            return dict(self.instead[at.place])
        if at.value is True or at.value is None:
            return {}
        if at.value is False:
            return {"not": {}}
        schema = at.record("A schema")
        if "$ref" in schema:
            return self._reference(at, deep)
        written: dict[str, Any] = {key: schema[key] for key in _COPIED if key in schema}
        remark = plain(schema.get("description"))
        if remark:
            written["description"] = remark
        for key in _SCHEMA:
            if key in schema:
                inner = schema[key]
                written[key] = inner if isinstance(inner, bool) else self.write(at.get(key), deep + 1)
        if "items" in schema:
            self._items(at, written, deep)
        for key in _LISTS:
            if key in schema:
                parts = at.get(key).list(f"`{key}`")
                written[key] = [self.write(at.get(key, i), deep + 1) for i in range(len(parts))]
        for key in _MAPS:
            if key in schema:
                written[key] = self._map(at.get(key), deep, key == "properties")
        self._without_hidden(at, written)
        _numeric_limits(written)
        self._discriminated(at, written)
        return _nullable(written) if schema.get("nullable") is True else written

    def _reference(self, at: At, deep: int) -> dict[str, Any]:
        """Beside `$ref` 3.1 may say more (and 3.0 ignores it, though people write it)."""
        target = self._documents.follow(at.value["$ref"], at.place.at("$ref"))
        ref = {"$ref": f"#/$defs/{self._name(target)}"}
        beside = {key: value for key, value in at.value.items() if key not in ("$ref", "nullable")}
        written = {**(self.write(At(beside, at.place), deep + 1) if beside else {}), **ref}
        return _nullable(written) if at.value.get("nullable") is True else written

    def _name(self, target: At) -> str:
        """The definition of a place: its last word, numbered where another one has it."""
        if target.place not in self._names:
            last = target.place.pointer.rpartition("/")[2] or target.place.file.rpartition("/")[2].partition(".")[0]
            word = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in last)[:80] or "schema"
            taken, name, n = set(self._names.values()), word, 1
            while name in taken:
                n += 1
                name = f"{word}_{n}"
            self._names[target.place] = name
            self._waiting.append((name, target))
        return self._names[target.place]

    def _items(self, at: At, written: dict[str, Any], deep: int) -> None:
        items = at.value["items"]
        if isinstance(items, list):  # drafts before 2020-12
            written["prefixItems"] = [self.write(at.get("items", i), deep + 1) for i in range(len(items))]
            written["items"] = written.pop("additionalItems", True)
        else:
            written["items"] = items if isinstance(items, bool) else self.write(at.get("items"), deep + 1)

    def _map(self, at: At, deep: int, properties: bool) -> dict[str, Any]:
        found = at.record("This")
        return {
            name: self.write(at.get(name), deep + 1) for name in found if not (properties and self.hides(at.get(name)))
        }

    def hides(self, at: At) -> bool:
        """Whether a field is not sent by this side: `readOnly` or `writeOnly`, by itself or where it refers to."""
        return any(each.flag(self._hidden) for each in self._documents.followed(at))

    def _without_hidden(self, at: At, written: dict[str, Any]) -> None:
        required = written.get("required")
        if not isinstance(required, list):
            written.pop("required", None)  # 3.0 documents keep the `required: true` of old drafts
            return
        own = at.value.get("properties")
        own = own if isinstance(own, dict) else {}
        kept = [n for n in required if not isinstance(n, str) or n not in own or n in written.get("properties", {})]
        written["required"] = kept
        if not kept:
            del written["required"]

    def _discriminated(self, at: At, written: dict[str, Any]) -> None:
        """Each alternative of a discriminator has its own value in that property (OpenAPI 3.1 section 4.8.25)."""
        discriminator = at.get("discriminator")
        name = discriminator.text("propertyName")
        keyword = next((each for each in ("oneOf", "anyOf") if each in written), "")
        if not name or not keyword:
            return
        mapping = discriminator.get("mapping").value
        values: dict[Place, list[str]] = {}
        for value, ref in mapping.items() if isinstance(mapping, dict) else ():
            if isinstance(ref, str):
                place = self._mapped(ref, discriminator.place)
                if place is not None:
                    values.setdefault(place, []).append(value)
        for i, branch in enumerate(at.value[keyword]):
            if not isinstance(branch, dict) or "$ref" not in branch:
                continue  # discriminators are about references only
            target = self._documents.follow(branch["$ref"], at.place.at(keyword, i, "$ref"))
            own = target.get("properties", name).value
            if isinstance(own, dict) and ("const" in own or "enum" in own):
                continue  # it says so itself
            given = values.get(target.place) or [target.place.pointer.rpartition("/")[2]]
            only = {"const": given[0]} if len(given) == 1 else {"enum": given}
            says = {"type": "object", "properties": {name: only}, "required": [name]}
            written[keyword][i] = {"allOf": [written[keyword][i], says]}

    def _mapped(self, ref: str, place: Place) -> Place | None:
        """A value of `mapping`: a reference, or the name of a schema of the components."""
        for each in (f"#/components/schemas/{ref}", ref):
            try:
                return self._documents.follow(each, place).place
            except Unserved:
                continue
        return None


def _numeric_limits(written: dict[str, Any]) -> None:
    """`exclusiveMinimum: true` sharpens `minimum` (3.0); in 2020-12 it is the limit itself."""
    for keyword, plain_keyword in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(written.get(keyword), bool) and written.pop(keyword) and plain_keyword in written:
            written[keyword] = written.pop(plain_keyword)


def _nullable(written: dict[str, Any]) -> dict[str, Any]:
    """The schema, or null."""
    given = written.get("type")
    simple = not any(key in written for key in ("$ref", "const", "allOf", "anyOf", "oneOf", "not", "if"))
    if isinstance(given, str) and simple:
        nullable = {**written, "type": [given, "null"]}
        if isinstance(nullable.get("enum"), list) and None not in nullable["enum"]:
            nullable["enum"] = [*nullable["enum"], None]
        return nullable
    if (isinstance(given, list) and "null" in given) or written == {}:
        return written
    outside: dict[str, Any] = {
        key: written.pop(key) for key in ("description", "default", "deprecated") if key in written
    }
    return {"anyOf": [written, dict(_NULL)], **outside}
