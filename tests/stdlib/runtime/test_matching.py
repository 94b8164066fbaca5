"""No pattern keeps others waiting, and patterns of schemas mean what ECMA says."""

from __future__ import annotations

import time
from typing import Any

import pytest

from stdlib.plan.plan import ParseRule
from stdlib.runtime import matching
from stdlib.runtime.parse import Unreadable, is_slow, parse_text
from stdlib.runtime.schema import Mismatch, Shape
from stdlib.values.effort import effort


def mismatch(pattern: str, value: Any) -> Mismatch | None:
    return Shape({"type": "string", "pattern": pattern}).mismatch(value)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(x+x+)+y", r"\s+$", "a*a*a*a*a*c"])
def test_a_pattern_that_re_cannot_decide_is_decided_in_linear_time(pattern: str):
    begun = time.thread_time()
    assert mismatch(pattern, "a" * 3000 + "b") is not None
    assert time.thread_time() - begun < 3


def test_the_linear_machine_accepts_too():
    assert mismatch("^(a+)+$", "a" * 3000) is None


def test_what_neither_decides_is_refused_in_plain_words():
    found = mismatch(r"^(?=(a+)+$).*$", "a" * 40 + "b")
    assert found is not None
    assert (
        found.problem == r"cannot be checked: a text in it is too long to be compared with the pattern ^(?=(a+)+$).*$"
    )


def test_all_texts_of_a_value_have_one_patience(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(matching, "PATIENCE", 0.05)
    shape = Shape({"type": "array", "items": {"type": "string", "pattern": "^(a+)+$"}})
    found = shape.mismatch(["a" * 3000] * 1000)
    assert found is not None
    assert "too long" in found.problem
    assert shape.mismatch(["a"]) is None  # the next value begins anew


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("^a$", "a", "a\n"),
        (r"^\d$", "7", "٣"),
        (r"^[\d]$", "7", "٣"),
        (r"^\w$", "_", "é"),
        (r"^\D$", "٣", "7"),
        (r"^[$]\$$", "$$", "a$"),
        (r"(?m)^a$", "a\nb", "ab"),
    ],
)
def test_patterns_of_schemas_are_those_of_ecma(pattern: str, yes: str, no: str):
    assert mismatch(pattern, yes) is None
    assert mismatch(pattern, no) is not None
    assert Shape({"pattern": pattern, "minProperties": 0}).mismatch(no) is not None  # without a quick check


@pytest.mark.parametrize(
    ("pattern", "bound"),
    [
        ("^abc$", 1),
        ("abc", 11),
        (r"^\d+-\d+$", 121),
        ("^a{2,4}(?:b|c)?$", 12),
        ("^a|b", 22),
        ("^[+*]{3}$", 1),
        (r"^\+\(", 1),
        ("^(?P<x>a|b|c)$", 3),
        ("^(ab)*$", float("inf")),
        ("^(a*){9}$", float("inf")),
        (r"^(a)\1$", float("inf")),
        ("^(?P<a>a)(?P=a)$", float("inf")),
        ("(?x)^a # b", float("inf")),
    ],
)
def test_effort(pattern: str, bound: float):
    assert effort(pattern, 10) == bound


def test_matches_that_take_long_are_sought_elsewhere_and_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(matching, "ELSEWHERE", 0.5)
    rule, text = ParseRule(mode="match", pattern="(?m)^(?P<x>(a+)+)$"), "a" * 40 + "b"
    assert is_slow(rule, text)
    with pytest.raises(Unreadable) as found:
        parse_text(rule, text)
    assert found.value.fault_class == "result_too_large"
    assert "(?m)^(?P<x>(a+)+)$" in found.value.problem


def test_matches_of_a_large_text_are_found_elsewhere():
    rule = ParseRule(mode="match", pattern="(?m)^(?P<key>[^=\n]+)=(?P<value>.*)$")
    text = "".join(f"k{n}=ü{n}\n" for n in range(1000))
    assert is_slow(rule, text)
    assert parse_text(rule, text)[999] == {"key": "k999", "value": "ü999"}
    assert not is_slow(rule, "a=1")
