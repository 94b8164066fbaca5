"""Constants against refinements."""

import pytest

from compiler.types.refinements import Items, breach


@pytest.mark.parametrize(
    ("value", "keyword", "bound", "said"),
    [
        (3, "minimum", 3, None),
        (2, "minimum", 3, "2 is less than 3"),
        (4, "maximum", 3, "4 is more than 3"),
        (3, "exclusiveMinimum", 3, "3 is not more than 3"),
        (3, "exclusiveMaximum", 3, "3 is not less than 3"),
        (5, "multipleOf", 2, "5 is no multiple of 2"),
        (4, "multipleOf", 2, None),
        ("a", "minLength", 2, "it has 1 character and needs at least 2"),
        ("abc", "maxLength", 2, "it has 3 characters and may have at most 2"),
        ("abc", "pattern", "^b", "it does not match the pattern ^b"),
        ("abc", "pattern", "b", None),
        ("abc", "pattern", "(", None),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "pattern", "^(a+)+$", None),
        (Items(0), "minItems", 1, "it has 0 items and needs at least 1"),
        (Items(3), "maxItems", 2, "it has 3 items and may have at most 2"),
        (True, "minimum", 3, None),
        ("abc", "minimum", 3, None),
    ],
)
def test_breach(value: object, keyword: str, bound: object, said: str | None):
    assert breach(value, ((keyword, bound),)) == said
