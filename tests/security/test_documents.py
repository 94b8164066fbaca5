"""OpenAPI documents that are too much: refused or cut, in bounded time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.source import OpenApiSource, Problem
from compiler.types.from_schema import BadSchema, parameters

MOST_SECONDS = 60.0
"""Of the processor; what goes wrong here takes minutes, or never ends."""
MOST_BYTES = 10_000_000
"""Of the tools that are made of a document."""


def _nested(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


_MANY = {f"p{n}": {"type": "string"} for n in range(50_000)}
_WIDE = {
    f"L{n}": {"type": "object", "properties": {k: {"$ref": f"#/components/schemas/L{n + 1}"} for k in "abcdefghij"}}
    for n in range(12)
} | {"L12": {"type": "string"}}

SCHEMAS: dict[str, Any] = {
    "nested 150 deep": _nested(150),
    "50,000 fields": {"type": "object", "properties": _MANY, "required": list(_MANY)},
    "200,000 choices": {"enum": [str(n) for n in range(200_000)]},
    "a pattern that never ends": {"type": "string", "pattern": "^(a+)+$", "default": "a" * 50 + "!"},
    "references that branch": {"$ref": "#/components/schemas/L0"},
    "unions of unions": {"allOf": [{"anyOf": [{"properties": {f"{k}{n}": {}}} for n in range(60)]} for k in "abcdef"]},
    "7 MB of description": {"type": "string", "description": "x" * 7_000_000},
    "7 MB of example": {"type": "string", "example": "x" * 7_000_000},
}


@pytest.mark.parametrize("attack", SCHEMAS)
def test_a_schema_that_is_too_much(attack: str):
    content = {"application/json": {"schema": SCHEMAS[attack]}}
    post = {
        "operationId": "op",
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "", "content": content}},
    }
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "Test", "version": "1"},
        "paths": {"/x": {"post": post}, "/y": {"get": {"operationId": "good", "responses": {}}}},
        "components": {"schemas": _WIDE},
    }
    text = json.dumps(whole)
    began = time.process_time()
    found = read_openapi(lambda _: text, "api.json")
    assert isinstance(found, OpenApiSource)
    assert "good" in found.tools, "one bad operation leaves the others"
    if "op" in found.tools:
        tool = found.tools["op"].tool
        assert not isinstance(parameters(tool.input_schema), BadSchema)
        assert len(json.dumps([tool.description, tool.input_schema, tool.output_schema])) < MOST_BYTES
    else:
        assert [(each.operation, each.reason) for each in found.refused] == [("POST /x", "schema")]
    assert time.process_time() - began < MOST_SECONDS


@pytest.mark.parametrize(
    ("info", "why"),
    [
        ({"description": "x" * 20_000_000}, "It is longer than 16 million characters."),
        ({"x-deep": _nested(300)}, "The JSON is nested more than 200 levels deep."),
    ],
)
def test_a_document_that_is_too_much(info: Any, why: str):
    found = read_openapi(lambda _: json.dumps({"openapi": "3.1.0", "info": info}), "a.json")
    assert isinstance(found, Problem)
    assert found.why == why
