"""The values of the reference interpreter: JSON values that know what may be read from them.

A program may read only what a schema or a literal declares, so records carry the names of their fields, texts their
format and their choices, and a value of the type `json` is closed until it is cast.
"""

from __future__ import annotations

from typing import Any


class Text(str):
    """A text with what is known about it.

    `form`: timestamp, date, duration, url … or None. `choices`: all texts that its schema allows, or None.
    `literal`: it stands in the program as it is.
    """

    form: str | None
    choices: frozenset[str] | None
    literal: bool

    def __new__(
        cls, value: str, form: str | None = None, choices: frozenset[str] | None = None, literal: bool = False
    ) -> Text:
        made = super().__new__(cls, value)
        made.form, made.choices, made.literal = form, choices, literal
        return made


class Record(dict[str, Any]):
    """A record with the names that may be read; a map where `fields` is None. `made`: by a literal of the program."""

    fields: frozenset[str] | None
    made: bool

    def __init__(self, values: dict[str, Any], fields: frozenset[str] | None, made: bool = False) -> None:
        super().__init__(values)
        self.fields, self.made = fields, made


class Opaque:
    """A value (never null) of the type `json`: nothing can be read from it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"json({self.value!r})"


class Stored:
    """What a handle stands for."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: Any) -> None:
        self.kind, self.value = kind, value


def plain(value: Any) -> Any:
    """The JSON value without what is known about it."""
    if isinstance(value, Opaque):
        return value.value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Stored):
        return "handle"
    return value


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def kind(value: Any) -> str:
    """null, boolean, number, text, list, record, json or handle."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    if isinstance(value, dict):
        return "record"
    return "handle" if isinstance(value, Stored) else "json"


def text_format(value: Any) -> str | None:
    return value.form if isinstance(value, Text) else None
