"""Tables for people."""

from compiler.cli.columns import columns


def test_columns_are_as_wide_as_what_stands_in_them():
    rows = [["a", "took", "what"], ["long one", "1 s", ""], ["日本", "12 s", "x\ny\x1b[31m"]]
    assert columns(rows, right=(1,)).splitlines() == [
        "a         took  what",
        "long one   1 s",
        "日本      12 s  x␊y␛[31m",
    ]


def test_a_line_ends_where_the_terminal_ends():
    assert columns([["abc", "日本語"]], width=8) == "abc  日…\n"
    assert columns([["abc", "日本語"]], width=11) == "abc  日本語\n"


def test_no_rows():
    assert columns([]) == ""
