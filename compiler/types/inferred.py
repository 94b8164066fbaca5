"""A type for values that were seen: what `chainc infer` proposes. Every one of the values fits it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from stdlib.values.formats import valid_format
from stdlib.values.types import (
    BOOLEAN,
    FORMATS,
    INTEGER,
    JSON,
    NUMBER,
    SCALARS,
    STRING,
    Field,
    ListType,
    LiteralType,
    MapType,
    Record,
    Type,
    optional,
    union,
)

MOST_DEEP: Final = 20
"""So many records and lists inside one another are told apart; what lies deeper is json."""
MOST_PARTS: Final = 4000
"""Of types with more parts the deeper levels are json."""
MOST_CHOICES: Final = 8
_MOST_KINDS: Final = 3
_MOST_FIELDS: Final = 300
_MOST_KEYS: Final = 12
"""An object with more keys, none of which another one has, is a map."""

Hints = Mapping[str, Collection[str]]
"""Field → the texts that it may have, as somebody said; empty: those that were seen."""


def inferred(values: Sequence[Any], hints: Hints) -> Type:
    """The narrowest type, in the words of a claim, that all values fit. They are clean JSON values."""
    deep = MOST_DEEP
    while True:
        found = _Reading(hints, deep)
        made = found.of(values, "", 0)
        if found.parts <= MOST_PARTS or deep == 1:
            return made
        deep = deep // 2


def sayable(text: str) -> bool:
    """Whether a text can stand in quotes as it is: nothing in it is hidden, nor begins an interpolation."""
    return text.isprintable() and "${" not in text


class _Reading:
    def __init__(self, hints: Hints, deep: int) -> None:
        self._hints, self._deep = hints, deep
        self.parts = 0

    def of(self, values: Sequence[Any], name: str, level: int) -> Type:
        """`name`: of the field that holds the values, empty at the top."""
        self.parts += 1
        if level > self._deep:
            return JSON
        texts = [each for each in values if isinstance(each, str)]
        truths = [each for each in values if isinstance(each, bool)]
        numbers = [each for each in values if isinstance(each, int | float) and not isinstance(each, bool)]
        lists = [each for each in values if isinstance(each, list)]
        objects = [each for each in values if isinstance(each, dict)]
        found: list[Type] = []
        if texts:
            found.append(self._text(texts, name))
        if numbers:
            found.append(INTEGER if all(isinstance(each, int) for each in numbers) else NUMBER)
        if truths:
            found.append(BOOLEAN)
        if lists:
            items = [item for each in lists for item in each]
            found.append(ListType(self.of(items, name, level + 1) if items else JSON))
        if objects:
            found.append(self._object(objects, level))
        if not found or len(found) > _MOST_KINDS:
            return JSON
        made = union(*found)
        return made if None not in values else optional(made)

    def _text(self, texts: list[str], name: str) -> Type:
        seen = dict.fromkeys(texts)
        choices = self._choices(seen, name)
        if choices:
            return union(*map(LiteralType, choices))
        for format_name in FORMATS:
            if format_name != "bytes" and all(_has_format(format_name, each) for each in seen):
                return SCALARS[format_name]
        return STRING

    def _choices(self, seen: Collection[str], name: str) -> list[str]:
        """The texts that a field may have, where somebody said so and all that were seen are among them."""
        said = list(self._hints.get(name, ()))
        if name not in self._hints or not all(map(sayable, said or seen)):
            return []
        if not said:
            return sorted(seen) if len(seen) <= MOST_CHOICES else []
        return said if all(each in said for each in seen) else []

    def _object(self, objects: list[dict[str, Any]], level: int) -> Type:
        names = list(dict.fromkeys(key for each in objects for key in each))
        if self._are_data(names, objects):
            return MapType(self.of([value for each in objects for value in each.values()], "", level + 1))
        fields = []
        for name in names:
            if not sayable(name):
                continue  # a record may have further fields
            held = [each[name] for each in objects if name in each]
            made = self.of(held, name, level + 1)
            always = len(held) == len(objects)
            fields.append(Field(name, made if always else optional(made), required=always))
        return Record(tuple(fields))

    def _are_data(self, names: list[str], objects: list[dict[str, Any]]) -> bool:
        """Whether the keys look like values: none is a word, or many, of which none is in two objects."""
        if len(names) > _MOST_FIELDS:
            return True
        if len(names) > 1 and not any(name[:1].isalpha() and _is_word(name) for name in names):
            return True
        return len(objects) > 1 and len(names) > _MOST_KEYS and sum(map(len, objects)) == len(names)


def _is_word(name: str) -> bool:
    """Whether a name may be a field's, and no id, path, address or date."""
    return (
        len(name) <= 60 and all(each.isalnum() or each in "_- .$" for each in name) and not valid_format("uuid", name)
    )


def _has_format(name: str, text: str) -> bool:
    return valid_format(name, text) and (name != "url" or "://" in text)
