"""Texts of others, which go into prompts and reports: nothing hidden in them, and not endless."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Final

MOST_DESCRIPTION: Final = 4000
"""Characters of a tool's description."""
MOST_REMARK: Final = 1000
"""Characters of the description of a parameter or field."""

_HIDDEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_REMARKS: Final = frozenset(("description", "title", "$comment"))
_NAMED: Final = frozenset(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"))
_DATA: Final = frozenset(("const", "enum", "default", "example", "examples"))


def unhidden(text: str) -> str:
    """The text without control characters, bidi marks, zero-width and tag characters; line breaks and tabs stay."""
    if text.isprintable():
        return text
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _HIDDEN)


def written_out(text: str) -> str:
    """The text with what nobody sees in it as `\\u{…}`, line breaks and tabs, too."""
    if text.isprintable():
        return text
    return "".join(f"\\u{{{ord(c):x}}}" if unicodedata.category(c) in _HIDDEN else c for c in text)


def plain(text: object, most: int = MOST_REMARK) -> str:
    """The text without anything hidden, cut where it is long; nothing for what is no text."""
    if not isinstance(text, str):
        return ""
    kept = unhidden(text[: 2 * most].replace("\r\n", "\n").replace("\r", "\n")).strip()
    return kept if len(kept) <= most and len(text) <= 2 * most else f"{kept[:most].rstrip()} …"


def plain_schema(schema: Any) -> Any:
    """A JSON Schema whose remarks are plain; what it says of values stays as it is."""
    if isinstance(schema, list):
        return [plain_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _plain_keyword(key, value) for key, value in schema.items()}


def remarks(schema: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The remarks in a JSON Schema, each with the keys that lead there."""
    if isinstance(schema, list):
        for number, each in enumerate(schema):
            yield from remarks(each, (*at, str(number)))
    elif isinstance(schema, dict):
        for key, value in schema.items():
            here = (*at, key)
            if key in _REMARKS and isinstance(value, str):
                yield here, value
            elif key in _NAMED and isinstance(value, dict):
                for name, each in value.items():
                    yield from remarks(each, (*here, name))
            elif key not in _DATA:
                yield from remarks(value, here)


def without_remarks(schema: Any) -> Any:
    """What a JSON Schema says of values alone."""
    if isinstance(schema, list):
        return [without_remarks(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _REMARKS or not isinstance(value, str)}
    return {key: _bare_keyword(key, value) for key, value in kept.items()}


def _bare_keyword(key: str, value: Any) -> Any:
    if key in _NAMED and isinstance(value, dict):
        return {name: without_remarks(each) for name, each in value.items()}
    return value if key in _DATA else without_remarks(value)


def _plain_keyword(key: str, value: Any) -> Any:
    if key in _REMARKS and isinstance(value, str):
        return plain(value)
    if key in _NAMED and isinstance(value, dict):
        return {name: plain_schema(each) for name, each in value.items()}
    return value if key in _DATA else plain_schema(value)
