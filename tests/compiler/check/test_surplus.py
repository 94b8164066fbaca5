"""Values by position where names are needed: the fix writes a program without mistakes."""

import pytest

from dsl.diagnostics import Diagnostic
from tests.compiler.world import body, checked


def mended(found: Diagnostic, text: str) -> str:
    """The text with the edits of the only fix."""
    (fix,) = found.fixes
    for edit in sorted(fix.edits, key=lambda each: -each.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('substring("abc", 1, 3)', 'substring("abc", from: 1, to: 3)'),
        ("slice([1, 2], 1)", "slice([1, 2], from: 1)"),
        ('sort([1, 2], "desc")', 'sort([1, 2], order: "desc")'),
        ("range(1, 9, 2)", "range(9, from: 1, step: 2)"),
        ("round(1.25, 1)", "round_to(1.25, 1)"),
        ("max(1, 2)", "greatest(1, 2)"),
    ],
)
def test_the_fix_names_the_values(wrong: str, right: str):
    text = body(f"output = {wrong}")
    (found,) = checked(text)[1]
    assert (found.code, found.helps) == ("E0501", (f"Write `{right}`.",))
    assert mended(found, text) == body(f"output = {right}")
    assert checked(body(f"output = {right}"))[1] == []


@pytest.mark.parametrize("call", ['substring("abc", "a")', 'split("a", ",", 2)', 'fixed(2.5, 2, " ", 3)'])
def test_what_cannot_be_meant_is_not_proposed(call: str):
    (found,) = checked(body(f"output = {call}"))[1]
    assert (found.code, found.fixes) == ("E0501", ())
    assert found.helps[0].startswith("Its form is")
