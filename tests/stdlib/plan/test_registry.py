"""The compact view: types as the language writes them."""

from typing import Any

import pytest

from stdlib.plan.catalogue import Entry
from stdlib.plan.registry import registry_line, tool_line, type_text


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date-time"}, "timestamp"),
        ({"type": "string", "format": "uri"}, "url"),
        ({"type": "string", "format": "colour"}, "string"),
        ({"type": ["integer", "null"]}, "integer?"),
        ({"type": "null"}, "null"),
        ({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}, "string|number?"),
        ({"enum": ["a", "b", None]}, '"a"|"b"?'),
        ({"const": 1}, "1"),
        ({"type": "array", "items": {"type": "boolean"}}, "list<boolean>"),
        ({"type": "array"}, "list<json>"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map<integer>"),
        ({"type": "object"}, "json"),
        ({}, "json"),
        (True, "json"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a"]},
            "{a:string,b?:number}",
        ),
        ({"$ref": "#/$defs/A"}, "string"),
        ({"$ref": "#/$defs/Loop"}, "json"),
        ({"$ref": "#/$defs/None"}, "json"),
    ],
)
def test_types(schema: Any, text: str):
    root = {"$defs": {"A": {"type": "string"}, "Loop": {"$ref": "#/$defs/Loop"}}}
    assert type_text(schema, root) == text


def test_a_line_of_the_registry():
    entry = Entry.model_validate(
        {
            "id": "show",
            "version": "1.0.0",
            "selection": {"title": "Show"},
            "input": {
                "schema": {
                    "type": "object",
                    "properties": {"rows": {"type": "string"}, "most": {"type": ["integer", "null"]}},
                    "required": ["rows"],
                }
            },
            "output": {"mode": "handle", "kind": "page", "schema": {}},
            "source": {"file": "a.chain", "line": 1},
        }
    )
    assert (
        registry_line(entry, {"rows": "table"}) == "TOOL @show show(rows:handle<table>,most?:integer) -> handle<page>"
    )


def test_a_tool_of_a_source_has_a_line_too():
    schema = {"properties": {"name": {"type": "string"}, "n": {"type": "integer"}}, "required": ["name"]}
    assert tool_line("shop__put", schema) == "TOOL @shop__put shop__put(name:string,n?:integer) -> scalar"
