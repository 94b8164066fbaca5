"""Names that were probably meant."""

import pytest

from compiler.types.report import did_you_mean, listing, near


@pytest.mark.parametrize(
    ("written", "names", "meant"),
    [
        ("get_isue", ["get_issue", "list_issues"], "get_issue"),
        ("updatedat", ["updated_at", "created_at"], "updated_at"),
        ("Title", ["title"], "title"),
        ("xyz", ["title"], None),
        ("open", [], None),
        ("item-error", ["error", "item_error"], "item_error"),
    ],
)
def test_near(written: str, names: list[str], meant: str | None):
    assert near(written, names) == meant
    assert did_you_mean(written, names) == (f"Did you mean `{meant}`?" if meant else "")


def test_listings_are_cut():
    assert listing("It has", []) == ""
    assert listing("It has", ["a", "b"]) == "It has: `a`, `b`."
    assert listing("It has", "abcdef", most=3) == "It has: `a`, `b`, `c`, …."
