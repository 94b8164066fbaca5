"""The rules of the formatter, one by one."""

import time
from pathlib import Path

import pytest

from dsl.diagnostics import Sink
from dsl.format import Rules, format_text
from dsl.format.gaps import Gaps
from dsl.source import Source
from dsl.table import table
from tests.dsl.format.programs import GOOD, ROOT


def fmt(text: str) -> str:
    sink = Sink()
    result = format_text(Source("t", text), sink)
    assert not sink.has_errors
    return result


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*/chains/*.chain")), ids=lambda path: path.stem)
def test_examples_are_written_in_the_style(path: Path):
    text = path.read_bytes().decode()
    assert fmt(text) == text


def test_every_alias_of_the_grammar_has_a_rule():
    actions = {action for _, _, action, _ in table().rules if action}
    assert [action for action in sorted(actions) if not callable(getattr(Rules(Gaps()), action, None))] == []


def test_a_text_with_mistakes_is_left_as_it_is():
    sink = Sink()
    assert format_text(Source("t", "let   a = [1\n"), sink) == "let   a = [1\n"
    assert [each.code for each in sink] == ["E0100"]


def test_what_is_written_as_elsewhere_is_left_as_it_is():
    sink = Sink()
    assert format_text(Source("t", "type T =   string[]"), sink) == "type T =   string[]"
    assert [each.code for each in sink] == ["E0110"]


def test_mistakes_of_other_files_do_not_count():
    sink = Sink()
    format_text(Source("other", "let a ="), sink)
    assert format_text(Source("t", "let  a = 1"), sink) == "let a = 1\n"


def test_warnings_do_not_stop_it():
    sink = Sink()
    assert format_text(Source("t", "let  a = b // 2"), sink) == "let a = b // 2\n"
    assert [each.code for each in sink] == ["W0009"]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", ""),
        ("\n \r\n\t\n", ""),
        ("\ufeff", ""),
        ("\ufefflet a=1", "let a = 1\n"),
        ("// c", "// c\n"),
        ("\n\n// c  \r\n\r\n\r\nlet a=1\r\n\r\n", "// c\n\nlet a = 1\n"),
        ("let a: list<string>=[]", "let a: list<string> = []\n"),
        ("let a = [1,]", "let a = [1]\n"),
        ("let a = [\n1]", "let a = [\n  1,\n]\n"),
        ("let a = (\n1)", "let a = (\n  1\n)\n"),
        ("let a = {}", "let a = {}\n"),
        ("let a = {\n\n}", "let a = {}\n"),
        ("let a = a\n\n\n.b", "let a = a.b\n"),
        ("defaults {timeout 1s}", "defaults { timeout 1s }\n"),
        ("defaults {\ntimeout 1s}", "defaults {\n  timeout 1s\n}\n"),
        ("defaults {timeout 1s retry 2}", "defaults {\n  timeout 1s\n  retry 2\n}\n"),
        ("chain c {output = 1}", "chain c {\n  output = 1\n}\n"),
    ],
)
def test_small_texts(text: str, result: str):
    assert fmt(text) == result


@pytest.mark.parametrize("width", [119, 120, 121])
def test_a_line_has_120_columns(width: int):
    text = "let a = [1, " + "b" * (width - 13) + "]"
    assert len(text) == width
    opened = "let a = [\n  1,\n  " + "b" * (width - 13) + ",\n]\n"
    assert fmt(text) == (text + "\n" if width <= 120 else opened)


@pytest.mark.parametrize("width", [120, 121])
def test_what_follows_a_bracket_has_to_fit_too(width: int):
    text = "chain c {\n  step s = a.b(c: " + "d" * (width - 21) + ") {\n    timeout 1s\n    retry 2\n  }\n}\n"
    assert len(text.split("\n")[1]) == width
    assert (fmt(text) == text) == (width <= 120)


def test_deep_brackets():
    depth = 400
    assert fmt("let a = " + "(" * depth + "1" + ")" * depth).count("(") == depth


def test_five_thousand_lines_in_well_under_a_second():
    text = "\n".join(GOOD)
    text = text * (5000 // text.count("\n") + 1)
    began = time.process_time()
    format_text(Source("t", text))
    assert time.process_time() - began < 1.5  # 0.25 where this was written; machines under test are slow and busy
