"""JSON Schema → type: each form of schema, what notes say, and that nothing hostile gets through."""

import time

import pytest

from compiler.types.from_schema import BadSchema, Note, Parameters, Reading, from_schema, parameters
from stdlib.values.show import show
from stdlib.values.types import NEVER, Field, ListType, LiteralType, MapType, Record, Scalar, Union


def shown(schema: object) -> str:
    reading = from_schema(schema)
    assert isinstance(reading, Reading), reading
    assert not reading.notes, reading.notes
    return show(reading.type)


def noted(schema: object) -> tuple[str, dict[str, str]]:
    reading = from_schema(schema)
    assert isinstance(reading, Reading), reading
    return show(reading.type), {note.pointer: note.why for note in reading.notes}


SAID = [
    ({"type": "string"}, "string"),
    ({"type": "integer", "minimum": 1}, "integer"),
    ({"type": "boolean"}, "boolean"),
    ({"type": "null"}, "null"),
    (True, "json"),
    ({}, "json"),
    ({"description": "anything"}, "json"),
    (False, "nothing"),
    ({"type": "string", "format": "date-time"}, "timestamp"),
    ({"type": "string", "format": "date"}, "date"),
    ({"type": "string", "format": "duration"}, "duration"),
    ({"type": "string", "format": "uri"}, "url"),
    ({"type": "string", "format": "email"}, "email"),
    ({"type": "string", "format": "uuid"}, "uuid"),
    ({"type": "string", "format": "byte"}, "bytes"),
    ({"type": "string", "contentEncoding": "base64"}, "bytes"),
    ({"type": ["string", "null"]}, "string?"),
    ({"type": "string", "nullable": True}, "string?"),
    ({"type": ["string", "integer", "null"]}, "(string | integer)?"),
    ({"enum": ["open", "closed"]}, '"open" | "closed"'),
    ({"enum": ["open", None]}, '"open"?'),
    ({"type": "string", "enum": ["open", None, 3]}, '"open"'),
    ({"type": "string", "enum": ["open", ""], "minLength": 1}, '"open"'),
    ({"type": "integer", "enum": [1, 2.0, 2.5, True]}, "1 | 2"),
    ({"enum": [1, True]}, "1 | true"),
    ({"const": "issue"}, '"issue"'),
    ({"const": None}, "null"),
    ({"type": "array"}, "list<json>"),
    ({"type": "array", "items": {"type": "string"}}, "list<string>"),
    ({"items": {"type": "string"}}, "list<string>"),
    ({"type": "object"}, "map<json>"),
    ({"type": "object", "properties": {}}, "map<json>"),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, "map<integer>"),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"type": "string"}},
        "map<integer>",
    ),
    ({"additionalProperties": {"type": "integer"}}, "map<integer>"),
    ({"type": "object", "additionalProperties": False}, "{}"),
    ({"properties": {"a": {"type": "string"}}}, "{ a: string? }"),
    ({"properties": {"a": {"type": "string"}}, "required": ["a"]}, "{ a: string }"),
    ({"type": "object", "required": ["a"]}, "{ a: json }"),
    ({"type": "object", "required": ["a"], "additionalProperties": False}, "{ a: nothing }"),
    ({"properties": {"a": False, "b": {"type": "string"}}, "additionalProperties": False}, "{ b: string? }"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string?"),
    ({"anyOf": [{"type": "string"}, {"type": "string", "format": "uri"}]}, "string"),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "string | integer"),
    ({"oneOf": [{"const": "a"}, {"const": "b"}]}, '"a" | "b"'),
    ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "integer"),
    ({"allOf": [{"type": "string"}, {"type": "string", "format": "date"}]}, "date"),
    ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "nothing"),
    (
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "allOf": [{"properties": {"b": {"type": "integer"}}, "required": ["a"]}],
        },
        "{ a: string, b: integer? }",
    ),
    ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, "string"),
    ({"$ref": "#/definitions/A", "definitions": {"A": {"type": "string"}}}, "string"),
    ({"$ref": "#a", "$defs": {"A": {"$anchor": "a", "type": "string"}}}, "string"),
    ({"$ref": "#a", "definitions": {"A": {"$id": "#a", "type": "string"}}}, "string"),
    ({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": {"type": "string"}}}, "string"),
    ({"$ref": "#/$defs/A", "nullable": True, "$defs": {"A": {"type": "string"}}}, "string?"),
    (
        {"type": "object", "unevaluatedProperties": False, "allOf": [{"properties": {"a": {"type": "string"}}}]},
        "{ a: string? }",
    ),
]


@pytest.mark.parametrize(("schema", "expected"), SAID)
def test_what_the_language_can_say(schema, expected):
    assert shown(schema) == expected


BEYOND = [
    ({"type": "string", "not": {"const": "x"}}, "string", {"/not": "`not`"}),
    ({"not": {"const": "x"}}, "json", {"/not": "`not`"}),
    ({"if": {"const": 1}, "then": True}, "json", {"/if": "`if`"}),
    (
        {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}], "items": False},
        "list<number | string>",
        {"/prefixItems": "a type for each position"},
    ),
    (
        {"type": "array", "items": [{"type": "number"}], "additionalItems": False},
        "list<number>",
        {"/items": "a type for each position"},
    ),
    (
        {"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False},
        "map<string>",
        {"/patternProperties": "names by pattern"},
    ),
    (
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}},
        "{ a: string? }",
        {"/additionalProperties": "fields that are not declared have a type of their own"},
    ),
    (
        {"type": "object", "properties": {"a": False, "b": {"type": "string"}}},
        "{ b: string? }",
        {"/properties/a": "a field that must not be there"},
    ),
    ({"enum": [{"a": 1}]}, "json", {"/enum": "choices that are lists or objects"}),
    ({"enum": list(range(1001))}, "json", {"/enum": "more than 1000 choices"}),
    ({"type": "array", "uniqueItems": True}, "list<json>", {"/uniqueItems": "no two equal items"}),
    ({"type": "string", "format": "hostname"}, "string", {"/format": "the form 'hostname', which is not checked"}),
    ({"type": "string", "contentSchema": {}}, "string", {"/contentSchema": "what stands in the text"}),
    ({"type": "integer", "divisibleBy": 2}, "integer", {"/divisibleBy": "`divisibleBy`"}),
    (
        {"type": "object", "unevaluatedProperties": False},
        "map<json>",
        {"/unevaluatedProperties": "names that must not be there"},
    ),
    ({"minLength": 3}, "json", {"/minLength": "a limit without a type"}),
    ({"type": "string", "pattern": r"\p{L}+"}, "string", {"/pattern": "a pattern of another dialect"}),
    (
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        "number",
        {"/oneOf": "a value may fit two of the alternatives"},
    ),
    (
        {
            "$ref": "#/$defs/T",
            "$defs": {"T": {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/T"}}}}},
        },
        "{ kids: list<json>? }",
        {"/$defs/T": "refers to itself"},
    ),
    ({"properties": {"self": {"$ref": "#"}}}, "{ self: json? }", {"": "refers to itself"}),
]


@pytest.mark.parametrize(("schema", "expected", "notes"), BEYOND)
def test_what_it_cannot_say_is_noted_with_its_place(schema, expected, notes):
    assert noted(schema) == (expected, notes)


WRONG = [
    ({"type": "any"}, "/type"),
    ({"type": []}, "/type"),
    ({"type": None}, "/type"),
    ({"$ref": "#/$defs/Missing"}, "/$ref"),
    ({"$ref": "https://example.org/other.json"}, "/$ref"),
    ({"$ref": 3}, "/$ref"),
    ({"$ref": "#"}, "/$ref"),
    ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}, "/$defs/B/$ref"),
    ({"properties": {"a": {"type": "text"}}}, "/properties/a/type"),
    ({"properties": []}, "/properties"),
    ({"properties": {"a": "string"}}, "/properties/a"),
    ({"type": "object", "required": True}, "/required"),
    ({"anyOf": []}, "/anyOf"),
    ({"anyOf": {}}, "/anyOf"),
    ({"type": "string", "minLength": "3"}, "/minLength"),
    ({"type": "number", "minimum": float("nan")}, "/minimum"),
    ({"type": "number", "multipleOf": 0}, "/multipleOf"),
    ({"enum": "a"}, "/enum"),
    ("string", ""),
    (None, ""),
]


@pytest.mark.parametrize(("schema", "pointer"), WRONG)
def test_a_wrong_schema_is_a_value_that_says_where(schema, pointer):
    reading = from_schema(schema)
    assert isinstance(reading, BadSchema)
    assert reading.pointer == pointer
    assert reading.why


def test_limits_docs_and_defaults_are_kept():
    reading = from_schema(
        {
            "type": "object",
            "properties": {
                "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5, "description": "How many."},
                "at": {"$ref": "#/$defs/At"},
                "tags": {"type": "array", "items": {"type": "string", "maxLength": 8}, "maxItems": 3, "minItems": 0},
                "old": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "default": None},
            },
            "required": ["at"],
            "$defs": {"At": {"type": "string", "format": "date-time", "description": "When."}},
        }
    )
    assert reading == Reading(
        Record(
            (
                Field("n", Scalar("integer", (("maximum", 9), ("minimum", 1))), False, "How many.", (5,)),
                Field("at", Scalar("timestamp"), True, "When."),
                Field("tags", ListType(Scalar("string", (("maxLength", 8),)), (("maxItems", 3),)), False),
                Field("old", Scalar("number", (("exclusiveMinimum", 0), ("minimum", 0))), False, None, (None,)),
            )
        )
    )


def test_of_two_limits_the_tighter_one_holds():
    reading = from_schema(
        {"allOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "number", "minimum": 3, "maximum": 20}]}
    )
    assert reading == Reading(Scalar("integer", (("maximum", 9), ("minimum", 3))))


def test_one_and_true_stay_apart():
    reading = from_schema({"enum": [1, True, 0, False]})
    assert reading == Reading(Union(tuple(LiteralType(v) for v in (1, True, 0, False))))


def test_a_closed_record_meets_an_open_one():
    closed = {"properties": {"a": {"type": "string"}}, "additionalProperties": False}
    optional_extra = {"properties": {"b": {"type": "string"}}}
    assert from_schema({"allOf": [closed, optional_extra]}) == Reading(
        Record((Field("a", Scalar("string"), False),), open=False)
    )
    assert from_schema({"allOf": [closed, {"required": ["b"]}]}) == Reading(NEVER)


# ------------------------------------------------------------------ parameters


def test_parameters_are_closed_even_where_the_schema_is_open():
    read = parameters({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    assert read == Parameters(Record((Field("a", Scalar("string")),), open=False))


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "object", "properties": {}}, {}])
def test_a_tool_without_parameters(schema):
    assert parameters(schema) == Parameters(Record((), open=False))


def test_alternatives_of_parameters_become_one_record():
    read = parameters(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}},
            "required": ["c"],
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        }
    )
    assert isinstance(read, Parameters)
    assert [(f.name, f.required) for f in read.record.fields] == [("a", False), ("b", False), ("c", True)]
    assert read.notes == (Note("", "alternatives read as one record"),)


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "array"}, {"anyOf": [{"type": "null"}]}, False])
def test_parameters_must_be_an_object(schema):
    assert isinstance(parameters(schema), BadSchema)


def test_parameters_of_any_name_are_noted():
    read = parameters({"type": "object", "additionalProperties": {"type": "string"}})
    assert read == Parameters(Record((), open=False), (Note("", "takes fields of any name"),))


# ------------------------------------------------------------------ hostile schemas


def _deep(levels: int) -> object:
    schema: object = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


def _fan_out(levels: int) -> object:
    defs = {f"d{i}": {"properties": {k: {"$ref": f"#/$defs/d{i + 1}"} for k in "ab"}} for i in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{levels}": {"type": "string"}}}


def _unions(levels: int, width: int) -> object:
    schema: object = {"type": "string"}
    for level in range(levels):
        schema = {"anyOf": [{"properties": {f"p{level}_{i}": schema}} for i in range(width)]}
    return schema


HOSTILE = {
    "deep": _deep(10_000),
    "fan-out": _fan_out(30),
    "deep combinators": {"allOf": [{"anyOf": [{"allOf": [_deep(5_000)] * 3}] * 3}] * 3},
    "wide union": {"anyOf": [{"properties": {f"p{i}": {"type": "string"}}} for i in range(2_000)]},
    "nested unions": _unions(3, 20),
    "product of unions": {"allOf": [{"anyOf": [{"properties": {f"{k}{i}": {}}} for i in range(60)]} for k in "abcdef"]},
    "long enum": {"enum": [str(i) for i in range(200_000)]},
    "many constants": {"anyOf": [{"const": i} for i in range(5_000)]},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_is_read_in_bounded_time_and_noted(name):
    began = time.process_time()
    reading = from_schema(HOSTILE[name])
    assert time.process_time() - began < 3
    assert isinstance(reading, Reading)
    assert reading.notes or name == "many constants"
    assert len(reading.notes) < 200


def test_a_slow_pattern_is_never_tried():
    schema = {"type": "string", "pattern": "^(a+)+$", "enum": ["a" * 40 + "!"]}
    assert noted(schema)[1] == {"/pattern": "a pattern beside choices"}


def test_anything_but_a_schema_is_refused():
    schemas: list[object] = [0, 1, [], "x", 1.5, {"type": {}}, {"properties": {"a": None}}, {"items": 3}]
    schemas += [{"allOf": [3]}, {"items": None, "type": "array"}, {"type": "object", "additionalProperties": 5}]
    for odd in schemas:
        assert isinstance(from_schema(odd), BadSchema), odd


def test_the_map_of_a_record_keeps_its_fields():
    schema = {"allOf": [{"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object"}]}
    assert from_schema(schema) == Reading(MapType(Scalar("string")))
