"""What is said of a value that does not fit: the language's words, never those of JSON Schema."""

from typing import Any

import pytest

from stdlib.runtime.schema import Shape

FORMS = {"anyOf": [{"type": "string"}, {"type": "integer"}]}


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"type": "string"}, [1], "is list, not string: [1]"),
        ({"type": ["array", "object"]}, 1, "is integer, not list or record: 1"),
        ({"minimum": 1}, 0, "is 0, less than allowed (min: 1)"),
        ({"exclusiveMinimum": 0}, 0, "is 0, not above 0"),
        ({"exclusiveMaximum": 5}, 5, "is 5, not below 5"),
        ({"type": "string"}, None, "is null, not string"),
        ({"multipleOf": 5}, 3, "is 3, no multiple of 5"),
        ({"maxLength": 2}, "abc", 'is too long (max_length: 2): "abc"'),
        ({"minItems": 2}, [1], "is too short (min_items: 2): [1]"),
        ({"maxProperties": 0}, {"a": 1}, 'has more than 0 fields: {"a": 1}'),
        ({"uniqueItems": True}, [1, 1], "has an item twice: [1, 1]"),
        (FORMS, True, "fits none of the forms that it may have: true"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, 'lacks a field that another field needs: {"a": 1}'),
        ({"additionalProperties": False}, {"a": 1}, "has no place for the field `a`"),
        ({"not": {}}, 1, "is not allowed by its schema: 1"),
        ({"contains": {"type": "string"}}, [1], "lacks an item that must be there: [1]"),
    ],
)
def test_a_problem_is_told_in_the_words_of_the_language(schema: dict[str, Any], value: Any, problem: str):
    found = Shape(schema).mismatch(value)
    assert found is not None
    assert found.problem == problem
