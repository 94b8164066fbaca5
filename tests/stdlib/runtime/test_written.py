"""Values in the form that a schema takes."""

import pytest

from stdlib.runtime.written import written

TEXT = {"type": "string"}
OWNER = {
    "type": "object",
    "properties": {"login": TEXT, "since": {"type": ["string", "null"]}},
    "required": ["login", "since"],
    "additionalProperties": False,
}
FIELDS = {"type": "object", "properties": {"name": TEXT, "owner": OWNER}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ({"name": None}, FIELDS, {}),
        ({"owner": {"login": "x"}}, FIELDS, {"owner": {"login": "x", "since": None}}),
        ({"owner": {"login": "x", "since": None, "hidden": 1}}, FIELDS, {"owner": {"login": "x", "since": None}}),
        ([{"name": None, "more": 1}], {"type": "array", "items": FIELDS}, [{}]),
        ({"a": {"name": None}}, {"anyOf": [TEXT, {"properties": {"a": FIELDS}, "type": "object"}]}, {"a": {}}),
        (
            {"a": {"name": None}},
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/F"}}, "$defs": {"F": FIELDS}},
            {"a": {}},
        ),
        ({"name": "n", "owner": None}, {**FIELDS, "required": ["owner"]}, {"name": "n", "owner": None}),
    ],
)
def test_absent_and_null_are_written_as_the_schema_has_them(value: object, schema: dict, expected: object):
    assert written(value, schema) == expected


def test_what_fits_is_left_alone():
    value = {"owner": {"login": "x", "since": "2026-01-01"}, "name": "n"}
    assert written(value, FIELDS) is value
