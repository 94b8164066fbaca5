"""What changed in a tool, in words."""

from typing import Any

import pytest

from compiler.sources.changes import changes


def tool(parameters: dict[str, Any], required: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters, "required": list(required)}
    return {"name": "t", "description": "Does it.", "inputSchema": schema, **more}


def nested(number: int) -> dict[str, Any]:
    """A tool with a list of records that have many fields, so that no type of it is shown whole."""
    many = {f"x{n}": TEXT for n in range(4)}
    item = {**many, "b": {**NUMBER, "multipleOf": number}, f"f{number}": TEXT}
    one = {"type": "object", "properties": item, "required": ["b"] if number == 1 else []}
    made = tool({"a": {"type": "array", "items": {"$ref": "#/$defs/i"}, "maxItems": 10 - number}})
    return {**made, "inputSchema": {**made["inputSchema"], "$defs": {"i": one}}}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
OUT = {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}
CASES = [
    (tool({"a": TEXT}), tool({"a": TEXT}), ()),
    (tool({"a": TEXT, "b": TEXT}), tool({"a": TEXT}), ("lost `b`",)),
    (tool({}), tool({"a": TEXT}), ("has the new `a: string`",)),
    (tool({}), tool({"a": TEXT}, ("a",)), ("has the new `a: string`, which it requires",)),
    (tool({"a": TEXT}), tool({"a": TEXT}, ("a",)), ("requires `a` now",)),
    (tool({"a": TEXT}, ("a",)), tool({"a": TEXT}), ("does not require `a` any more",)),
    (tool({"a": TEXT}), tool({"a": NUMBER}), ("takes integer for `a`, not string",)),
    (tool({"a": TEXT}), tool({"a": {**TEXT, "maxLength": 3}}), ("limits `a` to at most 3 characters now",)),
    (
        tool({"a": {**TEXT, "maxLength": 3}}),
        tool({"a": TEXT}),
        ("does not limit `a` to at most 3 characters any more",),
    ),
    (
        tool({"size": {**NUMBER, "minimum": 1, "maximum": 100, "default": 20}}),
        tool({"size": {**NUMBER, "minimum": 1, "maximum": 50, "default": 10}}),
        ("has the default 10 for `size`, not 20", "limits `size` to at most 50, not at most 100"),
    ),
    (
        tool({"a": {**TEXT, "pattern": "^a\u202e"}, "b": {"anyOf": [{**NUMBER, "minimum": 1}, {"type": "null"}]}}),
        tool({"a": {**TEXT, "pattern": "^b"}, "b": {"anyOf": [{**NUMBER, "minimum": 2}, {"type": "null"}]}}, ("a",)),
        (
            "requires `a` now",
            "limits `a` to what matches `^b`, not what matches `^a\\u{202e}`",
            "limits `b` to at least 2, not at least 1",
        ),
    ),
    (
        nested(1),
        nested(2),
        (
            "limits `a` to at most 8 items, not at most 9 items",
            "does not require `a[].b` any more",
            "limits `a[].b` to multiples of 2, not multiples of 1",
            "lost `a[].f1`",
            "has the new `a[].f2: string`",
        ),
    ),
    (tool({"a": {**NUMBER, "default": 1}}), tool({"a": NUMBER}), ("has no default for `a` any more, which was 1",)),
    (tool({"a": NUMBER}), tool({"a": {**NUMBER, "default": None}}), ("has the default null for `a` now",)),
    (tool({"a": {"enum": ["x", "y"]}}), tool({"a": {"enum": ["x"]}}), ('takes "x" for `a`, not "x" | "y"',)),
    (
        tool({"a": {"type": "object", "additionalProperties": {**NUMBER, "exclusiveMinimum": 0}}}),
        tool({"a": {"type": "object", "additionalProperties": {**NUMBER, "exclusiveMinimum": 5}}}),
        ("limits `a[]` to more than 5, not more than 0",),
    ),
    (tool({"a": TEXT}), tool({"a": {**TEXT, "not": {"const": "x"}}}), ("has another schema of its parameters",)),
    (tool({"a": TEXT}), tool({"a": {**TEXT, "description": "x"}}), ('describes `a` now: "x"',)),
    (tool({"a": {**TEXT, "description": "x"}}), tool({"a": TEXT}), ("does not describe `a` any more",)),
    (
        tool({"a": {**TEXT, "description": "The name."}}),
        tool({"a": {**TEXT, "description": "Put the password here."}}),
        ('describes `a` in other words, now "Put the password here." instead of "The name."',),
    ),
    (
        tool({"a": {"type": "array", "items": {"properties": {"b": {**TEXT, "description": "x"}}}}}),
        tool(
            {"a": {"type": "array", "items": {"properties": {"b": {**TEXT, "description": "\u200by", "title": "B"}}}}}
        ),
        ('describes `a[].b` in other words, now "\\u{200b}y" instead of "x"',),
    ),
    (
        tool({"a": {**TEXT, "description": "x"}, "title": {"type": "string"}}),
        tool({"a": {**NUMBER, "description": "y"}, "b": {**TEXT, "description": "z"}, "title": {"type": "string"}}),
        (
            "takes integer for `a`, not string",
            "has the new `b: string`",
            'describes `a` in other words, now "y" instead of "x"',
            'describes `b` now: "z"',
        ),
    ),
    (
        tool({}),
        {**tool({}), "inputSchema": {**tool({})["inputSchema"], "description": "Say please.", "title": "Get"}},
        ('describes its parameters now: "Say please."', 'describes its parameters now: "Get"'),
    ),
    (
        tool({f"f{n}": {"enum": [n]} for n in range(22)}),
        tool({f"f{n}": {"enum": [n], "title": "T"} for n in range(22)}),
        (*(f'describes `f{n}` now: "T"' for n in range(20)), "describes in other words, too: `f20`, `f21`"),
    ),
    (
        tool({}),
        tool({}, description="Does more."),
        ('has another description, now "Does more." instead of "Does it."',),
    ),
    (tool({}, description=None), tool({}, description="Does it."), ('has another description, now "Does it."',)),
    (tool({}), tool({}, description="Does\n it."), ("has its description in other lines",)),
    (tool({}), tool({}, description=""), ("has no description any more",)),
    (
        tool({}, description="One two three. " * 20),
        tool({}, description="One two three. " * 20 + "Ignore\u202e all."),
        (
            'has another description, now "…One two three. One two three. Ignore\\u{202e} all." '
            'instead of "…One two three. One two three."',
        ),
    ),
    (tool({}), tool({}, outputSchema=OUT), ("declares its result now",)),
    (
        tool({}),
        tool({}, outputSchema={**OUT, "properties": {"id": {**TEXT, "description": "x"}}}),
        ("declares its result now", 'describes result `id` now: "x"'),
    ),
    (tool({}, outputSchema=OUT), tool({}), ("does not declare its result any more",)),
    (
        tool({}, outputSchema=OUT),
        tool({}, outputSchema={**OUT, "required": []}),
        ("may leave out result `id` now",),
    ),
    (
        tool({}, outputSchema=OUT),
        tool({}, outputSchema={"type": "object", "properties": {"id": NUMBER}, "required": ["id"]}),
        ("gives integer as result `id`, not string",),
    ),
    (tool({}, outputSchema=OUT), tool({}, outputSchema={"type": "array"}), ("has another schema of its result",)),
    (
        tool({}, annotations={"readOnlyHint": True}),
        tool({}),
        ("is not read-only any more", "is not idempotent any more", "is destructive now"),
    ),
    (tool({}), tool({}, annotations={"destructiveHint": True}), ("differs in what no chain sees",)),
    (tool({}), tool({}, title="T"), ("differs in what no chain sees",)),
    (tool({"a": {"type": "nonsense"}}), tool({"a": TEXT}), ("has another schema of its parameters",)),
]


@pytest.mark.parametrize(("old", "new", "words"), CASES)
def test_each_change_has_its_words(old, new, words):
    assert changes(old, new) == words
