"""Remarks of schemas: told apart from what is said of values."""

from stdlib.values.plain import plain_schema, remarks, without_remarks

SCHEMA = {
    "title": "Root",
    "properties": {
        "title": {"type": "string", "description": "A\u200b.", "default": {"description": "data"}},
        "b": {"anyOf": [{"enum": ["title"]}, {"$comment": "C.", "items": {"description": "D."}}]},
    },
    "$defs": {"description": {"type": "null"}},
    "required": ["title"],
}


def test_remarks_stand_where_a_schema_has_them():
    assert list(remarks(SCHEMA)) == [
        (("title",), "Root"),
        (("properties", "title", "description"), "A\u200b."),
        (("properties", "b", "anyOf", "1", "$comment"), "C."),
        (("properties", "b", "anyOf", "1", "items", "description"), "D."),
    ]


def test_the_rest_is_what_it_says_of_values():
    assert without_remarks(SCHEMA) == {
        "properties": {
            "title": {"type": "string", "default": {"description": "data"}},
            "b": {"anyOf": [{"enum": ["title"]}, {"items": {}}]},
        },
        "$defs": {"description": {"type": "null"}},
        "required": ["title"],
    }
    assert list(remarks(without_remarks(SCHEMA))) == []
    assert without_remarks(plain_schema(SCHEMA)) == without_remarks(SCHEMA)
