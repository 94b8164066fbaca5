"""Absent fields of outputs."""

from typing import Any

import pytest

from stdlib.runtime.complete import completed

TEXT = {"type": "string"}
MAYBE = {"anyOf": [TEXT, {"type": "null"}]}
PERSON = {"type": "object", "properties": {"name": TEXT, "mail": MAYBE}, "required": ["name", "mail"]}
ROOM = {"type": "object", "properties": {"seats": {"type": "integer"}, "note": MAYBE}, "required": ["seats", "note"]}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (PERSON, {"name": "Ada"}, {"name": "Ada", "mail": None}),
        (PERSON, {"name": "Ada", "mail": "a@b", "more": 1}, {"name": "Ada", "mail": "a@b", "more": 1}),
        (PERSON, {"mail": None}, {"mail": None}),  # a name cannot be null: it stays absent, and is told
        ({"type": "array", "items": PERSON}, [{"name": "Ada"}], [{"name": "Ada", "mail": None}]),
        (
            {"type": "object", "additionalProperties": PERSON},
            {"first": {"name": "Ada"}},
            {"first": {"name": "Ada", "mail": None}},
        ),
        ({"anyOf": [PERSON, ROOM]}, {"seats": 3}, {"seats": 3, "note": None}),
        ({"anyOf": [PERSON, {"type": "null"}]}, None, None),
        ({"anyOf": [PERSON, ROOM]}, {"floor": 2}, {"floor": 2}),
        (
            {"type": "object", "properties": {"who": PERSON}, "required": ["who"]},
            {"who": {"name": "Ada"}},
            {"who": {"name": "Ada", "mail": None}},
        ),
        (PERSON, ["no record"], ["no record"]),
        ({}, {"anything": 1}, {"anything": 1}),
    ],
)
def test_null_stands_for_what_is_absent(schema: dict[str, Any], value: Any, expected: Any):
    assert completed(value, schema) == expected


def test_the_value_itself_is_not_changed():
    value = {"name": "Ada"}
    completed(value, PERSON)
    assert value == {"name": "Ada"}
