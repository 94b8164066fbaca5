"""Bodies → arguments, and how they are written."""

from __future__ import annotations

from typing import Any

import pytest

from .documents import TEXT, body, refusal, takes, tool


def test_fields_by_allof():
    base = {"type": "object", "required": ["a"], "properties": {"a": TEXT, "b": {"type": "integer"}}}
    more = {
        "allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"b": {"minimum": 1}, "c": TEXT}}],
        "required": ["c"],
    }
    found = body({"$ref": "#/components/schemas/More"}, Base=base, More=more)
    assert takes(found) == {"a": True, "b": False, "c": True}
    assert found.tool.input_schema["properties"]["b"] == {"allOf": [{"type": "integer"}, {"minimum": 1}]}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": TEXT},
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": True},
        {"type": "object", "properties": {"a": TEXT}, "minProperties": 1},
        {"type": ["object", "null"], "properties": {"a": TEXT}},
        {"type": "object", "properties": {"a": TEXT}, "nullable": True},
        {"oneOf": [{"type": "object", "properties": {"a": TEXT}}, {"type": "object", "properties": {"b": TEXT}}]},
        {"type": "object"},
        TEXT,
        {},
    ],
)
def test_a_body_that_is_one_argument(schema: Any):
    found = body(schema)
    assert takes(found) == {"body": True}
    assert found.binding.body is not None
    assert found.binding.body.argument == "body"


def test_optional_bodies():
    schema = {"type": "object", "properties": {"a": TEXT}}
    assert takes(body(schema, required=False)) == {"a": False}
    assert takes(body({**schema, "required": ["a"]}, required=False)) == {"body": False}


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (("application/xml", "application/json; charset=utf-8"), "json"),
        (("multipart/form-data", "application/x-www-form-urlencoded"), "form"),
        (("application/merge-patch+json",), "json"),
        (("text/plain", "application/octet-stream"), "text"),
        (("image/png",), "file"),
        (("*/*",), "json"),
    ],
)
def test_the_media_type_that_is_sent(content: tuple[str, ...], encoding: str):
    schema = {"type": "object", "properties": {"a": TEXT}}
    found = tool(method="post", requestBody={"content": {media: {"schema": schema} for media in content}})
    assert found.binding.body is not None
    assert found.binding.body.encoding == encoding
    assert "*" not in found.binding.body.media_type


def test_bodies_that_cannot_be_written():
    xml: dict[str, Any] = {"content": {"application/xml": {}}}
    assert refusal(method="post", requestBody={**xml, "required": True})[0] == "request_body"
    found = tool(method="post", requestBody=xml)
    assert found.binding.body is None
    assert "application/xml" in found.notes[0].why
    assert found.notes[0].lost
    form = {"required": True, "content": {"multipart/form-data": {"schema": {"type": "array", "items": TEXT}}}}
    assert refusal(method="post", requestBody=form)[0] == "request_body"


def test_parts_of_a_multipart_body():
    schema = {
        "type": "object",
        "required": ["file"],
        "properties": {
            "file": {"type": "string", "format": "binary", "description": "The picture."},
            "raw": {"type": "string", "contentMediaType": "image/png"},
            "maybe": {"anyOf": [{"type": "string", "format": "binary"}, {"type": "null"}]},
            "many": {"type": "array", "items": {"type": "string", "format": "binary"}},
            "meta": {"type": "object", "properties": {"a": TEXT}},
            "tags": {"type": "array", "items": TEXT},
            "page": {"type": "string"},
        },
    }
    found = body(
        schema,
        "multipart/form-data",
        encoding={"file": {"contentType": "image/png, image/jpeg"}, "page": {"contentType": "text/html"}},
    )
    assert found.binding.body is not None
    assert {f.name: (f.content, f.media_type) for f in found.binding.body.fields} == {
        "file": ("file", "image/png"),
        "raw": ("file", "application/octet-stream"),
        "maybe": ("file", "application/octet-stream"),
        "many": ("file", "application/octet-stream"),
        "meta": ("json", "application/json"),
        "tags": ("text", None),
        "page": ("text", "text/html"),
    }
    properties = found.tool.input_schema["properties"]
    assert properties["file"] == {"type": "string", "format": "byte", "description": "The picture."}
    assert properties["many"] == {"type": "array", "items": {"type": "string", "format": "byte"}}


BINARY = {"type": "string", "format": "binary"}
BYTES = {"type": "string", "format": "byte"}


def test_files_of_a_body_that_is_one_argument():
    """An optional body with required fields, and alternatives of whole objects."""
    properties = {
        "archive": {"type": "string", "contentMediaType": "application/zip"},
        "many": {"type": ["array", "null"], "items": {"$ref": "#/components/schemas/Blob"}, "maxItems": 3},
        "either": {"anyOf": [BINARY, {"type": "array", "items": BINARY}, {"type": "null"}]},
        "by_parts": {"description": "A picture.", "allOf": [{"$ref": "#/components/schemas/Blob"}]},
        "info": {"type": "object", "properties": {"inner": BINARY}},
        "words": {"anyOf": [BINARY, TEXT]},
    }
    whole = {"type": "object", "required": ["archive"], "properties": properties}
    for schema, nested in (
        ({"$ref": "#/components/schemas/Whole"}, False),
        ({"oneOf": [{"$ref": "#/components/schemas/Whole"}, {"type": "object", "properties": {"url": TEXT}}]}, True),
    ):
        found = body(schema, "multipart/form-data", required=nested, Whole=whole, Blob=BINARY)
        assert takes(found) == {"body": nested}
        assert found.binding.body is not None
        files = {f.name for f in found.binding.body.fields if f.content == "file"}
        assert files == {"archive", "many", "either", "by_parts"}
        seen = found.tool.input_schema["$defs"]["Whole"]["properties"]
        assert seen["archive"] == BYTES
        assert seen["many"] == {"type": "array", "items": BYTES, "maxItems": 3}
        assert seen["either"] == {"anyOf": [BYTES, {"type": "array", "items": BYTES}]}
        assert seen["by_parts"] == {**BYTES, "description": "A picture."}
        # What a part holds as JSON is text, and so is what may be text.
        assert seen["info"]["properties"]["inner"] == BINARY
        assert seen["words"] == {"anyOf": [BINARY, TEXT]}


def test_a_part_that_is_a_file_in_one_alternative_only_is_text():
    one, other = ({"type": "object", "properties": {"a": kind}} for kind in (BINARY, TEXT))
    found = body({"oneOf": [one, other]}, "multipart/form-data")
    assert found.binding.body is not None
    assert found.binding.body.fields == ()


def test_lists_of_themselves_are_no_files():
    circle = {"type": "array", "items": {"$ref": "#/components/schemas/Circle"}}
    whole = {"properties": {"a": {"$ref": "#/components/schemas/Circle"}}}
    many = {"anyOf": [{"$ref": "#/components/schemas/Many"}] * 30 + [BINARY]}
    with_many = {**whole, "properties": {**whole["properties"], "b": {"$ref": "#/components/schemas/Many"}}}
    sent = {"required": True, "content": {"multipart/form-data": {"schema": with_many}}}
    assert refusal(method="post", requestBody=sent, components={"schemas": {"Circle": circle, "Many": many}})
    found = body(whole, "multipart/form-data", Circle=circle)
    assert found.binding.body is not None
    assert found.binding.body.fields[0].content != "file"


def test_fields_of_a_form():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": TEXT},
            "b": {"type": "object", "properties": {"c": TEXT}},
            "d": {"type": "object", "properties": {"e": TEXT}},
        },
    }
    found = body(
        schema,
        "application/x-www-form-urlencoded",
        encoding={"a": {"style": "pipeDelimited", "explode": False}, "d": {"style": "deepObject"}},
    )
    assert found.binding.body is not None
    assert [(f.name, f.content, f.style, f.explode) for f in found.binding.body.fields] == [
        ("a", "text", "pipeDelimited", False),
        ("b", "json", "form", True),
        ("d", "text", "deepObject", True),
    ]


def test_fields_of_a_form_that_cannot_be_written():
    deep = {"type": "object", "properties": {"c": {"type": "array", "items": TEXT}}}
    schema = {"type": "object", "properties": {"a": TEXT, "b": deep}}
    how = {"b": {"style": "deepObject", "explode": True}}
    found = body(schema, "application/x-www-form-urlencoded", encoding=how)
    assert takes(found) == {"a": False}
    assert [note.why for note in found.notes] == ["`b` is left out. `b` holds what deepObject cannot write."]
    content = {"application/x-www-form-urlencoded": {"schema": {**schema, "required": ["b"]}, "encoding": how}}
    assert refusal(method="post", requestBody={"required": True, "content": content})[0] == "request_body"
