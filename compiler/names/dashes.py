"""Which types have only values that do not begin with `-`, so that no program takes one for an option."""

from __future__ import annotations

import re

from stdlib.values.types import ErrorType, LiteralType, Scalar, Type, members

_SAFE = frozenset({"boolean", "timestamp", "date", "uuid", "url", "bytes"})
_NUMBERS = frozenset({"integer", "number"})

# `^` and then a character or a class of which `-` is no member, which must be there.
_BEGINNING = re.compile(
    r"\^(?:"
    r"(?P<char>[A-Za-z0-9_/@:%=~#,;!<>&'\" ]|\\[wdDAZ./]|\\[.])"
    r"|\[(?P<not>\^)?(?P<class>(?:\\[wdsDS.\-\\\]/]|[^\\\]])+)\]"
    r")(?P<after>.*)",
    re.DOTALL,
)


def never_a_dash(found: Type) -> bool:
    """Whether the text of every value is known to begin with something else."""
    return all(_safe(member) for member in members(found))


def _safe(member: Type) -> bool:
    if isinstance(member, ErrorType):
        return True
    if isinstance(member, LiteralType):
        return isinstance(member.value, bool) or not str(member.value).startswith("-")
    if not isinstance(member, Scalar):
        return False
    constraints = dict(member.constraints)
    if member.name in _NUMBERS:
        least = constraints.get("minimum", constraints.get("exclusiveMinimum"))
        return isinstance(least, int | float) and least >= 0
    if member.name in _SAFE:
        return True
    pattern = constraints.get("pattern")
    return isinstance(pattern, str) and excludes_dash(pattern)


def excludes_dash(pattern: str) -> bool:
    """Whether what the pattern accepts is known to begin with a character other than `-`. Careful: False where it is
    not obvious."""
    found = _BEGINNING.fullmatch(pattern)
    if found is None or "|" in pattern or re.match(r"[?*]|\{0?[,}]|\{0", found["after"]):
        return False
    if found["char"]:
        return found["char"] not in (r"\D", r"\A", r"\Z")
    inside = found["class"]
    if found["not"]:
        return "-" in (inside[0], inside[-1]) or r"\-" in inside
    # A range such as `a-z` has `-` as its sign; first, last or escaped it is a member, and so in `\D` and `\S`.
    if r"\-" in inside or r"\D" in inside or r"\S" in inside or "-" in (inside[0], inside[-1]):
        return False
    ranges = re.findall(r"([^\\])-([^\\])", inside)
    return not any(first <= "-" <= last for first, last in ranges)
