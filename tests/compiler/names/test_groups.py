"""Which named groups take part in every match."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.names.groups import sure_groups


@pytest.mark.parametrize(
    ("pattern", "sure"),
    [
        ("(?P<a>x)", "a"),
        ("(?P<a>x)?(?P<b>y)", "b"),
        ("(?P<a>x)*(?P<b>y)+?(?P<c>z){0,2}(?P<d>w){1,2}", "bd"),
        ("(?P<a>x)|(?P<b>y)", ""),
        ("(?:(?P<a>x)|y)+(?P<b>z)", "b"),
        ("(?P<a>(?P<b>x)|y)", "a"),
        ("(?:(?i:(?P<a>x)))(?>(?P<b>y))(?=(?P<c>z))(?!(?P<d>w))", "abc"),
        ("(?P<a>x)?(?(a)(?P<b>y)|(?P<c>z))", ""),
        ("(?x) (?P<a> x ) ? # maybe\n (?P<b> y )", "b"),
        (r"\((?P<a>[)?]+)\)?", "a"),
        ("(x)?(?P<a>y)", "a"),
    ],
)
def test_sure_groups(pattern: str, sure: str):
    assert sure_groups(pattern) == set(sure)


PIECES = st.recursive(
    st.sampled_from(["(?P<G>x)", "(?P<G>y)?", "x", "y*", "(?P<G>x|y)"]),
    lambda inner: st.tuples(inner, inner, st.sampled_from(["{}{}", "(?:{}|{})", "(?:{}){{1,2}}{}", "(?:{})*{}"])).map(
        lambda made: made[2].format(made[0], made[1])
    ),
    max_leaves=6,
)


@given(PIECES, st.text("xy", max_size=6))
def test_what_is_sure_is_never_null(pattern: str, text: str):
    named = iter(f"g{n}" for n in range(99))
    pattern = re.sub("<G>", lambda _: f"<{next(named)}>", pattern)
    sure = sure_groups(pattern)
    for match in re.finditer(pattern, text):
        assert all(match[name] is not None for name in sure)
