import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdlib.functions import FunctionFault
from stdlib.functions import find as entry
from stdlib.functions.pattern import compile_pattern
from stdlib.functions.search import Search


def call(name, text, pattern):
    row = entry(name)
    assert row is not None
    return row.call({"text": text, "pattern": pattern})


ATOMS = st.sampled_from(
    ["a", "b", "-", ".", r"\d", r"\w", r"\S", "[ab]", "[^a]", "[a-c1]", r"[\d-]", r"\.", "(a|b-)", "(?:ab)", "(?P<n>b)"]
)
REPEATED = st.tuples(ATOMS, st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{,2}", "*?", "+?", "??"])).map(
    "".join
)
EDGES = st.sampled_from(["", "", "^", "$", r"\b", r"\B"])
PIECES = st.tuples(EDGES, st.lists(REPEATED, min_size=1, max_size=4).map("".join), EDGES).map("".join)
PATTERNS = (
    st.tuples(st.sampled_from(["", "(?i)", "(?m)"]), st.lists(PIECES, min_size=1, max_size=3).map("|".join))
    .map("".join)
    .filter(lambda pattern: pattern.count("(?P<n>") < 2)
)
# Not empty: what `\\B` says about an empty text differs between versions of Python.
TEXTS = st.text("abAB1-. é", min_size=1, max_size=12)


@given(PATTERNS, TEXTS)
def test_finds_what_python_finds(pattern, text):
    ours = Search(compile_pattern(pattern), text, lambda _: None)
    slots = ours.find(0)
    theirs = re.search(pattern, text)
    assert (slots is None) == (theirs is None)
    if slots is not None and theirs is not None:
        assert (slots[0], slots[1]) == theirs.span()
        assert [ours.group(slots, n + 1) for n in range(ours.program.groups)] == list(theirs.groups())


@given(st.text("ab*+?{}()[]|^$\\.-1,P<>=!:ismd", max_size=12))
def test_any_pattern_is_read_or_refused_and_never_hangs(pattern):
    try:
        compile_pattern(pattern)
    except FunctionFault as fault:
        message = fault.message
    else:
        message = ""
        call("matches", "aab1" * 20, pattern)
    assert message[-1:] in ("", ".")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(a", r"a `\)` is missing"),
        ("a)", "closes nothing"),
        ("[a", r"a `\]` is missing"),
        ("*a", r"written `\\\*`"),
        ("a**", "cannot be repeated"),
        ("a{3,2}", "bounds"),
        ("(?=a)", "look-around"),
        (r"(a)\1", "has no meaning"),
        (r"\q", "has no meaning"),
        ("(?P<n>a)(?P<n>b)", "name of its own"),
        ("(?x)a", "look-around"),
        ("[b-a]", "range"),
        ("a" * 1001, "1,000 characters"),
        ("(?:a{1000}){1000}", "too large"),
        ("(" * 60 + ")" * 60, "too deep"),
    ],
)
def test_what_is_refused_says_why(pattern, message):
    with pytest.raises(FunctionFault, match=message):
        compile_pattern(pattern)


def test_patterns_that_ruin_backtracking_end():
    started = time.process_time()
    assert not call("matches", "a" * 2000, "(a+)+$b")
    assert not call("matches", "a" * 2000, "(?:a|a)*(?:a|a)*b")
    with pytest.raises(FunctionFault, match="too long"):
        call("find_all", "a" * 200_000, "(?:a|b|c|d|e){0,50}z")
    assert time.process_time() - started < 20


def test_lines_and_flags():
    log = "Commit: 12\nAuthor: sam\ncommit: 34\n"
    assert call("find_all", log, "(?im)^commit: .+$") == ["Commit: 12", "commit: 34"]
    assert call("capture", log, r"(?s)Commit: (?P<a>\d+).*commit: (?P<b>\d+)") == {"a": "12", "b": "34"}
    assert call("find", log, "Author.*") == "Author: sam"
    assert not call("matches", "ABC", "(?i)[^a-c]")


def test_empty_matches():
    assert call("find_all", "ab", "x*") == ["", "", ""]
