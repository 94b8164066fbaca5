"""The quick check says yes exactly where the library does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stdlib.runtime.accept import quick_check
from stdlib.runtime.schema import Shape

VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 1.5, 1e300]), st.sampled_from("abcx")
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keywords = {
        "type": st.one_of(
            st.sampled_from(TYPES), st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True)
        ),
        "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
        "additionalProperties": st.one_of(st.booleans(), inner),
        "items": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=3),
        "enum": st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=3, unique=True),
        "const": st.sampled_from(["a", None]),
        "minimum": st.integers(-2, 2),
        "exclusiveMaximum": st.sampled_from([-1, 0.5, 2]),
        "minLength": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "pattern": st.sampled_from(["^a", "[bc]"]),
        "description": st.just("a note"),
    }
    return st.fixed_dictionaries({}, optional=keywords)


SCHEMAS = st.recursive(
    st.one_of(st.just({}), st.fixed_dictionaries({"type": st.sampled_from(TYPES)})), _grown, max_leaves=5
)


@settings(max_examples=300)
@given(SCHEMAS, VALUES)
def test_it_agrees_with_the_library(schema: dict[str, Any], value: Any):
    quick = quick_check(schema)
    assert quick is not None
    assert quick(value) == (Shape(schema)._explained(value) is None)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {}}},
        {"oneOf": [{}]},
        {"properties": {"a": {"not": {}}}},
        {"enum": [1, True]},
        {"items": [{}]},
        {"type": "whole"},
        {"minimum": True},
        {"pattern": "\\p{L}"},
        {"properties": 7},
    ],
)
def test_what_it_does_not_know_it_does_not_decide(schema: dict[str, Any]):
    assert quick_check(schema) is None


def test_formats_of_the_language_are_checked_and_others_are_notes():
    date = quick_check({"format": "date"})
    assert date is not None
    assert date("2026-06-01")
    assert not date("yesterday")
    assert date(7)
    other = quick_check({"format": "hostname"})
    assert other is not None
    assert other("???")
