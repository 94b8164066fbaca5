"""What a misspelt name was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The closest of `names`, if one is close."""
    import difflib

    known = list(dict.fromkeys(names))
    close = difflib.get_close_matches(name[:200].lower(), [each.lower() for each in known], 1, 0.6)
    return next((each for each in known if each.lower() == close[0]), None) if close else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`Did you mean …?`, empty where nothing is close."""
    near = nearest(name, names)
    return f"Did you mean `{near}`?" if near is not None else ""
