"""Patterns of others are compiled, or it is said why not; nothing else is raised and nothing written."""

import pytest

from stdlib.values.pattern import BadPattern, compiled


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(", "missing ), unterminated subpattern"),
        (r"\p{L}", r"bad escape \p"),
        ("a{99999999999999999999}", "a repetition has too large a number"),
        ("(" * 3000 + ")" * 3000, "its groups are nested too deep"),
        ("(?i)a(?i)", "global flags not at the start of the expression"),
    ],
)
def test_what_is_no_pattern_says_why(text: str, why: str):
    with pytest.raises(BadPattern) as told:
        compiled(text)
    assert str(told.value) == why


@pytest.mark.parametrize("text", ["[[a]", "[a||b]", "[a&&b]"])
def test_sets_that_may_be_read_otherwise_one_day_are_read_without_a_warning(text: str):
    assert compiled(text).search("a")  # a warning would be an error here
