"""`--arg name=text` as the schema of the input has it."""

import pytest

from compiler.cli.exits import Usage
from compiler.cli.values import read_arguments, read_json

TEXT = {"type": "string"}
NULL = {"type": "null"}


def read(text: str, schema: dict, **root) -> object:
    return read_arguments([f"x={text}"], {"properties": {"x": schema}, **root})["x"]


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("7", TEXT, "7"),
        ("", TEXT, ""),
        ("a=b", TEXT, "a=b"),
        ("null", TEXT, "null"),
        ("null", {"anyOf": [TEXT, NULL]}, "null"),
        ("null", {"type": ["integer", "null"]}, None),
        ("7", {"type": ["integer", "null"]}, 7),
        ("7", {"type": "integer"}, 7),
        ("123456789012345678901234567890", {"type": "integer"}, 123456789012345678901234567890),
        ("7", {"type": "number"}, 7),
        ("-7.5e3", {"type": "number"}, -7500.0),
        ("true", {"type": "boolean"}, True),
        ("open", {"enum": ["open", "closed"]}, "open"),
        ("open", {"const": "open"}, "open"),
        ("2", {"enum": [1, 2]}, 2),
        ("[1, 2]", {"type": "array"}, [1, 2]),
        ('{"a": null}', {"type": "object"}, {"a": None}),
        ("4h", {"type": "string", "format": "duration"}, "PT4H"),
        ("PT240M", {"type": "string", "format": "duration"}, "PT4H"),
        ("30s", {"anyOf": [{"type": "string", "format": "duration"}, NULL]}, "PT30S"),
        ("2026-01-01", {"type": "string", "format": "date"}, "2026-01-01"),
        ("7", {"type": ["integer", "string"]}, 7),
        ("seven", {"type": ["integer", "string"]}, "seven"),
        ('"7"', {"type": ["integer", "string"]}, '"7"'),
        ("[1]", {}, [1]),
        ('"a"', {}, "a"),
    ],
)
def test_the_schema_decides(text: str, schema: dict, value: object):
    got = read(text, schema)
    assert got == value
    assert type(got) is type(value)


def test_references_are_followed():
    schema = {"$ref": "#/$defs/a~1b"}
    assert read("7", schema, **{"$defs": {"a/b": {"type": "integer"}}}) == 7
    assert read("[7]", {"$ref": "#/$defs/a"}, **{"$defs": {"a": {"$ref": "#/$defs/a"}}}) == [7]


@pytest.mark.parametrize(
    ("text", "schema", "said"),
    [
        ("x", {"type": "integer"}, "the input `x` wants a whole number, not `x`."),
        ("1.5", {"type": "integer"}, "the input `x` wants a whole number, not `1.5`."),
        ("true", {"type": "integer"}, "the input `x` wants a whole number, not `true`."),
        ("yes", {"type": ["boolean", "null"]}, "the input `x` wants true or false, not `yes`."),
        ("a", {"type": ["array", "object"]}, "the input `x` wants a JSON list or a JSON object, not `a`."),
        ("NaN", {"type": "number"}, "the input `x` wants a number, not `NaN`."),
        ("1e999", {"type": "number"}, "the input `x` wants a number, not `1e999`."),
        ("hello", {}, "the input `x` wants JSON, not `hello`."),
        ("soon", {"type": "string", "format": "duration"}, "the input `x` does not fit: `soon` is no duration"),
    ],
)
def test_what_does_not_fit_is_said(text: str, schema: dict, said: str):
    with pytest.raises(Usage) as caught:
        read(text, schema)
    assert caught.value.message.startswith(said)


@pytest.mark.parametrize(
    ("pairs", "message", "hint"),
    [
        (["repo"], "--arg wants NAME=VALUE, not `repo`.", ""),
        (["reop=a"], "the chain has no input `reop`.", "Did you mean `repo`?"),
        (["zzz=a"], "the chain has no input `zzz`.", "It has: repo, number."),
        (["repo=a", "repo=b"], "the input `repo` is given twice.", "A list is JSON: --arg 'repo=[1, 2]'"),
    ],
)
def test_pairs_must_name_inputs(pairs: list[str], message: str, hint: str):
    with pytest.raises(Usage) as caught:
        read_arguments(pairs, {"properties": {"repo": TEXT, "number": {"type": "integer"}}})
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_json_must_be_an_object():
    assert read_json('{"a": [1]}', "stdin") == {"a": [1]}
    assert read_json('\ufeff{"a": [1]}', "stdin") == {"a": [1]}
    with pytest.raises(Usage, match="The file is no JSON: Expecting value"):
        read_json("x", "The file")
    with pytest.raises(Usage, match="stdin must hold one JSON object"):
        read_json("[]", "stdin")


def test_a_field_that_stands_there_twice_is_refused():
    with pytest.raises(Usage) as told:
        read_json('{"a": 1, "b": {"c": 1, "c": 2}}', "stdin")
    assert (told.value.message, told.value.hint) == ("stdin has the field `c` twice.", "Keep one of them.")
    for schema in ({"type": "object"}, {"type": ["object", "string"]}):
        with pytest.raises(Usage, match="the input `x` has the field `a` twice"):
            read('{"a": 1, "a": 2}', schema)


def test_what_is_nested_too_deeply_is_said():
    deep = "[" * 100_000
    with pytest.raises(Usage, match=r"stdin is no JSON: it is nested too deeply\."):
        read_json(deep, "stdin")
    with pytest.raises(Usage) as told:
        read_arguments([f"x={deep}"], {"properties": {"x": {"type": "array"}}})
    assert told.value.message == f"the input `x` wants a JSON list, not `{'[' * 60}…`."
