"""Schemas of both versions as one dialect."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compiler.types.from_schema import BadSchema, from_schema
from stdlib.values.show import show

from .documents import body, refusal, result, tool

PET = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}}
CAT = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}}}
DOG = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "size": {"type": "string"}}}


def shown(schema: Any) -> str:
    reading = from_schema(schema)
    assert not isinstance(reading, BadSchema), reading
    return show(reading.type)


@pytest.mark.parametrize(
    ("version", "schema", "wanted"),
    [
        ("3.0.3", {"type": "string", "nullable": True}, "string?"),
        ("3.1.0", {"type": ["string", "null"]}, "string?"),
        ("3.1.0", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "string?"),
        ("3.0.3", {"type": "string", "enum": ["a", "b"], "nullable": True}, '("a" | "b") | null'),
        ("3.0.3", {"nullable": True, "allOf": [{"$ref": "#/components/schemas/Pet"}]}, "{ kind: string }?"),
        ("3.0.3", {"$ref": "#/components/schemas/Pet", "nullable": True}, "{ kind: string }?"),
        ("3.0.3", {"type": "array", "items": {"type": "integer", "nullable": True}}, "list<integer?>"),
        ("3.1.0", {"type": ["string", "integer"]}, "string | integer"),
        ("3.0.3", {"type": "object", "additionalProperties": {"type": "number"}}, "map<number>"),
        ("3.0.3", {}, "json"),
        ("3.1.0", True, "json"),
    ],
)
def test_readings(version: str, schema: Any, wanted: str):
    written = result(schema, version, Pet=PET)
    Draft202012Validator.check_schema(written)
    assert shown(written).replace("?", " | null") == wanted.replace("?", " | null")


def test_exclusive_limits_of_3_0():
    written = result(
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}, "3.0.3"
    )
    assert written == {"type": "integer", "exclusiveMinimum": 0, "maximum": 9}


def test_what_is_no_schema_is_left_out():
    given = {
        "type": "string",
        "example": "a",
        "xml": {},
        "externalDocs": {},
        "x-mine": 1,
        "title": "T",
        "description": "D",
    }
    assert result(given) == {"type": "string", "description": "D"}


def test_only_what_is_used_comes_along():
    written = result({"$ref": "#/components/schemas/Pet"}, Pet=PET, Cat=CAT)
    assert written == {"$ref": "#/$defs/Pet", "$defs": {"Pet": PET}}


def test_definitions_of_one_name_are_told_apart():
    inner = {"Pet": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    given = {"anyOf": [{"$ref": "#/components/schemas/Pet"}, {"$ref": "#/components/schemas/Other/$defs/Pet"}]}
    written = result(given, Pet=PET, Other={"$defs": inner})
    assert written["anyOf"] == [{"$ref": "#/$defs/Pet"}, {"$ref": "#/$defs/Pet_2"}]
    assert written["$defs"] == {"Pet": PET, "Pet_2": inner["Pet"]}


def test_recursion_stays_a_reference():
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
    }
    written = result({"$ref": "#/components/schemas/Tree"}, Tree=tree)
    assert written["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert Draft202012Validator(written).is_valid({"children": [{"children": []}]})
    assert not Draft202012Validator(written).is_valid({"children": [{"children": 1}]})


def test_discriminator_by_mapping():
    union = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"cat": "#/components/schemas/Cat", "puppy": "Dog", "dog": "Dog"},
        },
    }
    written = result(union, Cat=CAT, Dog=DOG)
    valid = Draft202012Validator(written).is_valid
    assert valid({"kind": "cat"})
    assert valid({"kind": "puppy"})
    assert not valid({"kind": "bird"})
    assert '"cat"' in shown(written)
    assert '"puppy" | "dog"' in shown(written)


def test_discriminator_by_the_names_of_schemas():
    union = {
        "anyOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind"},
    }
    valid = Draft202012Validator(result(union, Cat=CAT, Dog=DOG)).is_valid
    assert valid({"kind": "Dog", "size": "big"})
    assert not valid({"kind": "dog"})


def test_a_discriminator_that_the_schemas_repeat_adds_nothing():
    cat = {"type": "object", "properties": {"kind": {"const": "meow"}}}
    union = {"oneOf": [{"$ref": "#/components/schemas/Cat"}], "discriminator": {"propertyName": "kind"}}
    assert result(union, Cat=cat)["oneOf"] == [{"$ref": "#/$defs/Cat"}]


ACCOUNT = {
    "type": "object",
    "required": ["id", "name", "password"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string"},
        "password": {"$ref": "#/components/schemas/Password"},
    },
}
PASSWORD = {"type": "string", "writeOnly": True}


def test_each_side_has_its_own_fields():
    taken = body(
        {"type": "array", "items": {"$ref": "#/components/schemas/Account"}}, Account=ACCOUNT, Password=PASSWORD
    )
    assert taken.tool.input_schema["$defs"]["Account"] == {
        "type": "object",
        "required": ["name", "password"],
        "properties": {"name": {"type": "string"}, "password": {"$ref": "#/$defs/Password"}},
    }
    given = result({"$ref": "#/components/schemas/Account"}, Account=ACCOUNT, Password=PASSWORD)
    assert given["$defs"]["Account"]["properties"].keys() == {"id", "name"}
    assert given["$defs"]["Account"]["required"] == ["id", "name"]


def test_old_drafts_inside():
    schema = {"type": "object", "required": True, "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}}
    assert result(schema) == {
        "type": "object",
        "properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}], "items": True}},
    }


def test_a_union_without_end_is_refused():
    loop = {"anyOf": [{"$ref": "#/components/schemas/Loop"}, {"$ref": "#/components/schemas/Loop"}]}
    content = {
        "200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Loop"}}}}
    }
    reason, why = refusal(responses=content, components={"schemas": {"Loop": loop}})
    assert reason == "schema"
    assert why.startswith("What it gives cannot be read at `/$defs/Loop/")


def test_what_is_too_large_may_be_anything():
    wide = {
        f"s{n}": {
            "type": "object",
            "properties": {f"p{i}": {"$ref": f"#/components/schemas/s{(n * 7 + i) % 900}"} for i in range(9)},
        }
        for n in range(900)
    }
    responses = {
        "200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/s0"}}}}
    }
    found = tool(responses=responses, components={"schemas": wide})
    assert found.tool.output_schema is not None
    Draft202012Validator(found.tool.output_schema).validate({"p1": {"p1": {}}})
    assert any("larger than what is read" in note.why for note in found.notes)
    assert len(str(found.tool.output_schema)) < 1_000_000
