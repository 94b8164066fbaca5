"""Fixes are applied until none is left, and never on top of each other."""

from collections.abc import Iterable

import pytest

from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.format import fix_text, format_text
from dsl.format.fixes import MOST_ROUNDS, fixed_once
from dsl.source import Source, Span


def mistake(source: Source, *fixes: tuple[tuple[int, int, str], ...]) -> Diagnostic:
    made = tuple(Fix("f", tuple(Edit(Span(source, start, end), text) for start, end, text in edits)) for edits in fixes)
    return Diagnostic(code="E0001", message="M.", span=None, fixes=made)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("let a = 'x';", 'let a = "x"'),
        ("let a = b && !c", "let a = b and not c"),
        ("type T = string[]", "type T = list<string>"),
        ("let a = [x.b for x in xs] # all", "let a = [x.b for x in xs] // all"),
        ("let a = { b: 1 c: 2 }", "let a = { b: 1, c: 2 }"),
        ("let a = 1", "let a = 1"),
        ("let a = @", "let a = @"),
    ],
)
def test_mistakes_of_other_languages(text: str, result: str):
    assert fix_text(Source("t", text)).strip() == result


def test_a_fixed_text_can_be_formatted():
    text = fix_text(Source("t", "type T = { a: string[] b?: 'x'; }"))
    assert format_text(Source("t", text)) == 'type T = { a: list<string>, b: "x"? }\n'


def test_the_first_fix_of_every_diagnostic_is_applied():
    source = Source("t", "abc")
    said = [
        mistake(source, ((0, 1, "x"),), ((0, 1, "y"),)),
        mistake(source),
        mistake(source, ((1, 1, "-"), (2, 3, "z"))),
    ]
    assert fixed_once(source, said) == "xbc"
    assert fixed_once(source, said[1:]) == "a-bz"


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ((0, 2, "x"), (1, 3, "y"), "xcd"),
        ((1, 3, "x"), (0, 2, "y"), "axd"),
        ((0, 2, "x"), (2, 4, "y"), "xy"),
        ((2, 4, "x"), (0, 2, "y"), "yx"),
        ((2, 2, "x"), (2, 2, "y"), "abxcd"),
        ((2, 2, "x"), (0, 2, "y"), "abxcd"),
        ((2, 2, "x"), (2, 4, "y"), "abxcd"),
        ((2, 2, "x"), (3, 4, "y"), "abxcy"),
        ((1, 2, "x"), (1, 2, "x"), "axcd"),
    ],
)
def test_fixes_that_touch_wait(first: tuple[int, int, str], second: tuple[int, int, str], result: str):
    source = Source("t", "abcd")
    assert fixed_once(source, [mistake(source, (first,)), mistake(source, (second,))]) == result


def test_fixes_of_other_files_are_left_out():
    here, there = Source("a", "abcd"), Source("b", "abcd")
    assert fixed_once(here, [mistake(there, ((0, 1, "x"),))]) == "abcd"


def test_rounds_end():
    rounds = 0

    def growing(source: Source) -> Iterable[Diagnostic]:
        nonlocal rounds
        rounds += 1
        return [mistake(source, ((0, 0, "x"),))]

    assert fix_text(Source("t", ""), growing) == "x" * MOST_ROUNDS
    assert rounds == MOST_ROUNDS


def test_a_round_may_open_the_way_for_the_next():
    def two_steps(source: Source) -> Iterable[Diagnostic]:
        following = {"a": "b", "b": "c"}.get(source.text)
        return [] if following is None else [mistake(source, ((0, 1, following),))]

    assert fix_text(Source("t", "a"), two_steps) == "c"
