"""What can never begin with `-`."""

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.names.dashes import excludes_dash, is_choice_or_no_dash, may_be_empty
from stdlib.values.types import BOOLEAN, DATE, INTEGER, JSON, NUMBER, STRING, URL, LiteralType, Scalar, Type, union

SAFE = [
    "^[^-]",
    "^[^-].*$",
    "^[^a-]",
    r"^[^\-x]",
    "^[A-Za-z0-9]+$",
    "^[A-Za-z_][A-Za-z0-9_-]*$",
    r"^\w+",
    r"^\d{4}-\d{2}$",
    r"^[\w.]",
    "^/",
    "^a-b$",
    r"^\./",
]
UNSAFE = [
    "",
    "a",
    "[^-]",
    "^",
    "^.",
    "^-",
    "^[-a]",
    "^[a-]",
    r"^[\-a]",
    "^[+-.]",
    "^[!-~]",
    "^[^a]",
    "^[^a-z]",
    "^[^-]?",
    "^[^-]*",
    "^[^-]{0,3}x",
    "^a|-",
    "^a?-",
    r"^\D",
    r"^[\D]",
    r"^[\S]",
    r"^\S",
    "^(a)?-",
    "^(?:a)?",
    "(?m)^[^-]",
    r"^[\W]",
    r"^\W",
]


@pytest.mark.parametrize("pattern", SAFE)
def test_patterns_that_leave_no_room_for_a_dash(pattern):
    assert excludes_dash(pattern)


@pytest.mark.parametrize("pattern", UNSAFE)
def test_patterns_that_may(pattern):
    assert not excludes_dash(pattern)


@given(pattern=st.text(alphabet="^[]-ab\\wdDS.+*?{}0,|()!~", max_size=12), text=st.text("-ab!0", max_size=6))
@settings(max_examples=500)
def test_what_is_called_safe_accepts_nothing_that_begins_with_a_dash(pattern, text):
    try:
        with warnings.catch_warnings(action="ignore"):
            found = re.search(pattern, f"-{text}")
    except re.error:
        return
    assert not (found and excludes_dash(pattern))


@pytest.mark.parametrize(
    ("found", "safe"),
    [
        (STRING, False),
        (Scalar("string", (("pattern", "^[a-z]"),)), True),
        (INTEGER, False),
        (Scalar("integer", (("minimum", 0),)), True),
        (Scalar("integer", (("minimum", -1),)), False),
        (Scalar("number", (("exclusiveMinimum", 0),)), True),
        (NUMBER, False),
        (BOOLEAN, True),
        (DATE, True),
        (URL, True),
        (JSON, False),
        (LiteralType("-x"), True),
        (LiteralType(-1), True),
        (union(LiteralType("a"), LiteralType("b")), True),
        (union(LiteralType("a"), STRING), False),
        (union(LiteralType("-x"), LiteralType("y"), BOOLEAN), True),
    ],
)
def test_types(found: Type, safe: bool):
    assert is_choice_or_no_dash(found) is safe


@pytest.mark.parametrize(
    ("found", "empty"),
    [
        (STRING, True),
        (Scalar("string", (("minLength", 1),)), False),
        (Scalar("string", (("pattern", "^[a-z]"),)), False),
        (Scalar("string", (("pattern", "^[a-z]*$"),)), True),
        (INTEGER, False),
        (union(LiteralType(""), LiteralType("v")), True),
        (LiteralType("v"), False),
    ],
)
def test_what_may_have_no_character(found: Type, empty: bool):
    assert may_be_empty(found) is empty
