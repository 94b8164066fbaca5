"""Type → JSON Schema, alone and behind the reading of a schema."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from compiler.types.from_schema import Reading, from_schema
from compiler.types.to_schema import to_schema
from stdlib.values import types as t

ISSUE = t.Record(
    (
        t.Field("title", t.STRING, True, "What it is about."),
        t.Field("labels", t.ListType(t.STRING), False),
        t.Field("owner", t.optional(t.STRING), False),
        t.Field("limit", t.INTEGER, False, None, (10,)),
    )
)


def test_an_input_may_leave_out_what_is_not_required():
    assert to_schema(t.Record(ISSUE.fields, open=False)) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "What it is about."},
            "labels": {"type": "array", "items": {"type": "string"}},
            "owner": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "limit": {"type": "integer", "default": 10},
        },
        "required": ["title"],
        "additionalProperties": False,
    }


def test_an_output_has_every_field_or_null():
    assert to_schema(t.ListType(ISSUE), output=True) == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "What it is about."},
                "labels": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
                "owner": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "required": ["title", "labels", "owner", "limit"],
        },
    }


def test_the_order_of_fields_is_the_authors():
    assert list(to_schema(ISSUE)["properties"]) == ["title", "labels", "owner", "limit"]


@pytest.mark.parametrize(
    ("type_", "schema"),
    [
        (t.JSON, {}),
        (t.TIMESTAMP, {"type": "string", "format": "date-time"}),
        (t.URL, {"type": "string", "format": "uri"}),
        (t.Scalar("integer", (("minimum", 1),)), {"type": "integer", "minimum": 1}),
        (t.LiteralType("a"), {"type": "string", "enum": ["a"]}),
        (t.union(t.LiteralType("a"), t.LiteralType("b")), {"type": "string", "enum": ["a", "b"]}),
        (
            t.optional(t.union(t.LiteralType("a"), t.LiteralType(1), t.LiteralType("b"))),
            {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "integer", "enum": [1]}, {"type": "null"}]},
        ),
        (t.union(t.LiteralType(True), t.LiteralType(False)), {"type": "boolean"}),
        (t.MapType(t.JSON), {"type": "object", "additionalProperties": True}),
        (t.MapType(t.INTEGER), {"type": "object", "additionalProperties": {"type": "integer"}}),
        (t.ListType(t.NEVER), {"type": "array", "items": {}, "maxItems": 0}),
        (t.Record((), open=False), {"type": "object", "properties": {}, "additionalProperties": False}),
        (t.Handle("table"), {"type": "string", "description": "Id of a handle of the kind table."}),
        (t.NEVER, {"not": {}}),
    ],
)
def test_each_type(type_, schema):
    assert to_schema(type_) == schema


def test_the_words_of_a_field_come_before_those_of_its_handle():
    record = t.Record((t.Field("rows", t.Handle("table"), True, "The rows."),))
    assert to_schema(record)["properties"]["rows"]["description"] == "The rows. Id of a handle of the kind table."


# ------------------------------------------------------------------ both ways

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, False, -1, 0, 1, 2, 2.5, "", "a", "b", "2026-01-02"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)


def _limits(*keywords: str):
    return st.dictionaries(st.sampled_from(keywords), st.integers(0, 2), max_size=2)


def _schemas(inner):
    records = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, min_size=1, max_size=3)},
        optional={"required": st.lists(NAMES, max_size=2), "additionalProperties": st.booleans()},
    )
    maps = st.builds(lambda s: {"type": "object", "additionalProperties": s}, inner)
    lists = st.builds(lambda s, n: {"type": "array", "items": s, **n}, inner, _limits("minItems", "maxItems"))
    branches = st.lists(inner, min_size=1, max_size=3)
    combined = st.builds(lambda k, s: {k: s}, st.sampled_from(["anyOf", "oneOf", "allOf"]), branches)
    referred = st.builds(lambda s: {"anyOf": [s, {"type": "null"}]}, inner)
    sharpened = st.builds(lambda r, b: {**r, "allOf": b, "unevaluatedProperties": True}, records, branches)
    return records | maps | lists | combined | referred | sharpened


LEAVES = st.one_of(
    st.just({}),
    st.booleans(),
    st.sampled_from(["null", "boolean", "object", "array"]).map(lambda name: {"type": name}),
    st.builds(lambda n: {"type": "string", **n}, _limits("minLength", "maxLength")),
    st.builds(lambda k, n: {"type": k, **n}, st.sampled_from(["integer", "number"]), _limits("minimum", "maximum")),
    st.builds(lambda n: {"type": "number", **n}, _limits("exclusiveMinimum", "exclusiveMaximum")),
    st.lists(SCALARS, min_size=1, max_size=3).map(lambda values: {"enum": values}),
    SCALARS.map(lambda value: {"const": value}),
    st.lists(st.sampled_from(["string", "integer", "null", "array"]), min_size=1, max_size=3).map(
        lambda n: {"type": n}
    ),
)
SCHEMAS = st.recursive(LEAVES, _schemas, max_leaves=6)


def _admits(schema, value) -> bool:
    return bool(Draft202012Validator(schema).is_valid(value))


@settings(max_examples=300)
@given(SCHEMAS, st.lists(VALUES, min_size=4, max_size=8))
def test_what_goes_through_the_type_admits_the_same_values(schema, values):
    """Where nothing is noted the same, else at least as many."""
    reading = from_schema(schema)
    assert isinstance(reading, Reading)
    written = to_schema(reading.type)
    Draft202012Validator.check_schema(written)
    for value in values:
        if reading.notes:
            assert _admits(written, value) or not _admits(schema, value), (written, value)
        else:
            assert _admits(written, value) == _admits(schema, value), (written, value)


@given(SCHEMAS)
def test_what_is_written_is_read_as_what_it_was(schema):
    reading = from_schema(schema)
    assert isinstance(reading, Reading)
    again = from_schema(to_schema(reading.type))
    assert isinstance(again, Reading)
    assert to_schema(again.type) == to_schema(reading.type)
