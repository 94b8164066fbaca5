"""What tools answer, and what becomes of it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from stdlib.plan.plan import ParseRule
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.parse import Unreadable, parse_text
from stdlib.runtime.result import NOTHING, Reading, ToolAnswer, read_answer
from stdlib.runtime.schema import Shape

NUMBERS = {"type": "array", "items": {"type": "integer"}}


def texts(*given: str, error: bool = False) -> ToolAnswer:
    return ToolAnswer(tuple({"type": "text", "text": each} for each in given), NOTHING, error)


def read(answer: ToolAnswer, schema: Any = None, parse: ParseRule | None = None, limit: int = 10_000) -> Any:
    return read_answer("`git.log`", Reading(Shape(schema) if schema is not None else None, parse), answer, limit)


def refused(answer: ToolAnswer, schema: Any = None, parse: ParseRule | None = None, limit: int = 10_000) -> Fault:
    with pytest.raises(RunFault) as found:
        read(answer, schema, parse, limit)
    return found.value.fault


def test_without_a_schema_the_result_is_text_and_content():
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    answer = ToolAnswer(({"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}), {"ignored": 1})
    assert read(answer) == {
        "text": "a\nb",
        "content": [{"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}],
    }


def test_structured_content_counts_before_text():
    assert read(ToolAnswer(({"type": "text", "text": "[9]"},), [1, 2]), NUMBERS) == [1, 2]
    assert read(ToolAnswer((), None), {"type": "null"}) is None


def test_a_single_text_is_read_as_json_and_several_as_a_list():
    assert read(texts("[1, 2]"), NUMBERS) == [1, 2]
    assert read(texts("1", "2"), NUMBERS) == [1, 2]
    assert read(texts("plain"), {"type": "string"}) == "plain"
    assert read(texts("12"), {"type": "string"}) == "12"
    assert read(texts("123456789012345678901234567890"), {"type": "integer"}) == 123456789012345678901234567890


def test_a_wrapped_result_is_unwrapped_only_where_the_schema_says_so():
    assert read(ToolAnswer((), {"result": [1]}), NUMBERS) == [1]
    wrapper = {"type": "object", "properties": {"result": NUMBERS}, "required": ["result"]}
    assert read(ToolAnswer((), {"result": [1]}), wrapper) == {"result": [1]}
    assert read(texts('{"result": [1]}'), NUMBERS) == [1]
    assert refused(ToolAnswer((), {"result": ["x"]}), NUMBERS).fault_class == "shape_mismatch"


def test_another_form_is_told_with_its_path_and_an_excerpt():
    fault = refused(ToolAnswer((), [1, "x" * 500]), NUMBERS)
    assert fault.fault_class == "shape_mismatch"
    assert fault.details == {"path": "[1]"}
    assert fault.message.startswith('The result of `git.log` has another form: `[1]` is string, not integer: "xxx')
    assert len(fault.message) < 200
    assert refused(texts("no json"), NUMBERS).message.startswith("`git.log` answered no JSON in the text (")
    assert refused(ToolAnswer(), NUMBERS).message == "`git.log` answered neither structured content nor text."


def test_an_error_brings_the_text_of_the_tool_bounded():
    assert refused(texts("no such repository", error=True)).message == "`git.log` failed: no such repository"
    fault = refused(texts("x" * 10_000, error=True))
    assert fault.fault_class == "tool_error"
    assert len(fault.message) < 2200
    assert refused(ToolAnswer(is_error=True)).message == "`git.log` failed: no reason given"


def test_sizes_are_limited():
    assert refused(texts("x" * 101), limit=100).message == "`git.log` answered 101 bytes; at most 100 are taken."
    assert refused(ToolAnswer((), ["x" * 100]), NUMBERS, limit=100).fault_class == "result_too_large"
    assert refused(texts("ü" * 60), limit=100).fault_class == "result_too_large"


def test_values_are_cleaned():
    assert read(ToolAnswer((), {"a\ud800": "b\udfff"}), {"type": "object"}) == {"a\ufffd": "b\ufffd"}
    assert read(texts("\ud83d")) == {"text": "\ufffd", "content": [{"type": "text", "text": "\ufffd"}]}
    for number in (math.nan, math.inf):
        assert refused(ToolAnswer((), [number]), NUMBERS).fault_class == "shape_mismatch"
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    assert refused(ToolAnswer((), deep), {}).fault_class == "shape_mismatch"


@pytest.mark.parametrize(
    ("mode", "text", "value"),
    [
        ("text", "as it is\n", "as it is\n"),
        ("json", ' {"a": 1.5} ', {"a": 1.5}),
        ("jsonl", '{"a": 1}\n\n2\r\n', [{"a": 1}, 2]),
        ("lines", "a\r\n\nb\u2028c\n", ["a", "", "b\u2028c"]),
        ("lines", "", []),
        ("csv", 'a,b\r\n1,"x ""y"", z"\n2\n', [{"a": "1", "b": 'x "y", z'}, {"a": "2", "b": None}]),
        ("csv", "", []),
    ],
)
def test_parse_rules(mode: Any, text: str, value: Any):
    assert parse_text(ParseRule(mode=mode), text) == value


def test_parse_match_gives_a_record_a_match():
    rule = ParseRule(mode="match", pattern=r"(?m)^(?P<name>\w+)=(?P<value>\d+)?$")
    assert parse_text(rule, "a=1\nb=\nc: 3") == [{"name": "a", "value": "1"}, {"name": "b", "value": None}]
    assert parse_text(rule, "") == []


@pytest.mark.parametrize(
    ("mode", "text", "problem"),
    [
        ("json", "{", "no JSON in the text"),
        ("json", "NaN", "no JSON"),
        ("json", '{"a": 1, "a": 2}', "no JSON"),
        ("jsonl", "1\n{", "no JSON in line 2"),
        ("csv", "a\n1,2", "row 2 has 2 fields, its header 1"),
        ("csv", 'a\n"open', "no CSV"),
    ],
)
def test_texts_of_another_form(mode: Any, text: str, problem: str):
    with pytest.raises(Unreadable, match=problem):
        parse_text(ParseRule(mode=mode), text)


def test_a_parse_rule_reads_the_text_and_its_value_is_checked():
    rule = ParseRule(mode="match", pattern=r"(?P<n>\d+)")
    schema = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "string"}}}, "maxItems": 2}
    assert read(ToolAnswer(({"type": "text", "text": "1 2"},), {"result": "1 2"}), schema, rule) == [
        {"n": "1"},
        {"n": "2"},
    ]
    assert refused(texts("1 2 3"), schema, rule).fault_class == "shape_mismatch"
    assert refused(texts("{"), {}, ParseRule(mode="json")).message.startswith("`git.log` answered no JSON")
