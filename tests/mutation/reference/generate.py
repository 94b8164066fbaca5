"""Values that conform to a JSON Schema, made by chance: absent fields, nulls, empty and long lists, odd texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import ceil
from random import Random
from typing import Any, Final

from tests.mutation.reference.shapes import FORMATS, kinds, nullable, options, resolved
from tests.mutation.reference.values import Opaque, Record, Stored, Text, plain

TEXTS: Final = (
    "",
    "a",
    "acme/app",
    "né 🎉",
    "42",
    "-7",
    "x-y",
    "2026-01-31",
    "line one\nline two",
    "long " * 60,
    "open",
)
FORMATTED: Final = {
    "duration": ("PT0S", "PT4H", "P30D", "PT0.5S", "P90D", "PT20M"),
    "url": ("https://example.org/a?b=c", "urn:x"),
    "email": ("sam@example.org", "a.b+c@example.com"),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000",),
    "bytes": ("", "bsOp", "/w=="),
}
INTEGERS: Final = (0, 1, -1, 2, 3, 7, 24, 500, 2**53 + 1)
NUMBERS: Final = (0.5, 2.5, -0.1, 3, 0, 1e9, 99)
_OFFSETS: Final = ("Z", "+00:00", "+02:00", "+05:30", "-08:00")
_DAY: Final = date(2026, 6, 1).toordinal()
UNFORESEEN: Final = "unforeseen"
"""A field that no schema declares; open records may have it."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How often things are left out or null, how long lists are, whether open records have fields of their own, and
    how often the program's own words come up."""

    absent: float
    null: float
    lengths: tuple[int, ...]
    extra: bool = False
    spoken: float = 0.4


BARE: Final = Mode(1, 1, (0,))
FULL: Final = Mode(0, 0, (1, 2, 3))
MIXED: Final = Mode(0.4, 0.4, (0, 1, 2, 2, 3, 5))
RARE: Final = Mode(0.15, 0.15, (1, 2, 3, 4))
LONG: Final = Mode(0.2, 0.2, (12, 25))
EXTRA: Final = Mode(0.3, 0.3, (0, 1, 2, 3), extra=True)
SPOKEN: Final = Mode(0.2, 0.2, (2, 3, 5), spoken=0.85)
MODES: Final = (MIXED, FULL, BARE, SPOKEN, EXTRA, MIXED, RARE, SPOKEN, LONG, FULL)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a program speaks of: values like these take its branches. `shapes` are the schemas that it casts to."""

    texts: tuple[str, ...] = ()
    integers: tuple[int, ...] = ()
    shapes: tuple[dict[str, Any], ...] = ()


class Generator:
    def __init__(self, chance: Random, mode: Mode, vocabulary: Vocabulary) -> None:
        self.chance = chance
        self.mode = mode
        self.vocabulary = vocabulary

    def happens(self, probability: float) -> bool:
        return self.chance.random() < probability

    def value(self, schema: Any, root: Any = None, depth: int = 0) -> Any:
        """A value that fits the schema, marked with what the schema declares."""
        root = schema if root is None else root
        schema = resolved(schema, root)
        if depth > 0 and nullable(schema, root) and self.happens(self.mode.null):
            return None
        if (alternatives := options(schema)) is not None:
            present = [each for each in alternatives if kinds(resolved(each, root)) != ["null"]] or alternatives
            return self.value(self.chance.choice(present), root, max(depth, 1))
        if "x-handle" in schema:
            return Stored(schema["x-handle"], None)
        if "const" in schema or "enum" in schema:
            choices = [schema["const"]] if "const" in schema else schema["enum"]
            chosen = self.chance.choice([each for each in choices if each is not None] or [None])
            texts = frozenset(each for each in choices if isinstance(each, str))
            return Text(chosen, choices=texts) if isinstance(chosen, str) else chosen
        allowed = [each for each in kinds(schema) if each != "null"]
        if not kinds(schema):
            return self.anything()
        return self.of_kind(self.chance.choice(allowed) if allowed else "null", schema, root, depth)

    def of_kind(self, kind: str, schema: dict[str, Any], root: Any, depth: int) -> Any:
        match kind:
            case "string":
                return self.text(schema)
            case "integer":
                return self.number(schema, INTEGERS)
            case "number":
                return self.number(schema, NUMBERS)
            case "boolean":
                return self.chance.random() < 0.5
            case "array":
                wanted = schema.get("items", {})
                return [self.value(wanted, root, depth + 1) for _ in range(self.length(schema, depth))]
            case "object":
                return self.record(schema, root, depth)
        return None

    def text(self, schema: dict[str, Any]) -> Text:
        name = FORMATS.get(schema.get("format", ""))
        if name is not None:
            return Text(self.formatted(name), form=name)
        chosen = self.chance.choice(TEXTS)
        if self.vocabulary.texts and self.happens(self.mode.spoken):
            word = self.chance.choice(self.vocabulary.texts)
            chosen = self.chance.choice((word, word, f"{word} {chosen}", f"{chosen}{word}"))
        return Text(chosen.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")])

    def formatted(self, name: str) -> str:
        """Days within some weeks, so that comparisons turn out in both ways; now and then one far off."""
        if name not in ("timestamp", "date"):
            return self.chance.choice(FORMATTED[name])
        far = self.chance.choice((-9000, 600)) if self.happens(0.1) else 0
        day = date.fromordinal(_DAY + far + self.chance.randint(-40, 40)).isoformat()
        if name == "date":
            return day
        clock = f"{self.chance.randrange(24):02d}:{self.chance.choice(('00', '30', '59'))}:00"
        return f"{day}T{clock}{self.chance.choice(_OFFSETS)}"

    def number(self, schema: dict[str, Any], pool: tuple[Any, ...]) -> Any:
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        high = schema.get("maximum", schema.get("exclusiveMaximum"))
        chosen = self.chance.choice(pool)
        if self.vocabulary.integers and self.happens(self.mode.spoken):
            chosen = self.chance.choice(self.vocabulary.integers) + self.chance.choice((-1, 0, 0, 1))
        if (low is not None and chosen < low) or (high is not None and chosen > high):
            bound = low if low is not None else high
            return bound if pool is NUMBERS else ceil(bound or 0)
        return chosen

    def length(self, schema: dict[str, Any], depth: int) -> int:
        # Long lists only near the top, or their product becomes too much work.
        chosen = self.chance.choice(self.mode.lengths) if depth < 3 else min(self.chance.choice(self.mode.lengths), 3)
        return int(min(max(chosen, schema.get("minItems", 0)), schema.get("maxItems", chosen + 99)))

    def record(self, schema: dict[str, Any], root: Any, depth: int) -> Record:
        properties: dict[str, Any] = schema.get("properties", {})
        more = schema.get("additionalProperties", True)
        if not properties and more is not False:
            rest = more if isinstance(more, dict) else {}
            keys = self.chance.sample(("alpha", "beta", "a", "né", "x-y", "open"), min(self.length({}, 3), 3))
            return Record({key: self.value(rest, root, depth + 1) for key in keys}, None)
        made = {}
        for name, wanted in properties.items():
            if name in schema.get("required", ()) or not self.happens(self.mode.absent):
                made[name] = self.value(wanted, root, depth + 1)
        if self.mode.extra and more is not False:
            made[UNFORESEEN] = Opaque(self.chance.choice(TEXTS))
        return Record(made, frozenset(properties))

    def anything(self) -> Any:
        """A value where the schema says nothing."""
        if self.vocabulary.shapes and self.happens(0.6):
            value = plain(self.value(self.chance.choice(self.vocabulary.shapes), depth=1))
            return None if value is None else Opaque(value)
        chosen = self.chance.choice(("x", 7, 2.5, True, ["x", 7], {"theme": "dark", "depth": 3}, {"a": None}, None))
        return None if chosen is None else Opaque(chosen)
