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


def chosen(found: Type) -> bool:
    """Whether it is a choice of values that are written out in the program."""
    return all(isinstance(member, LiteralType) for member in members(found))


def is_choice_or_no_dash(found: Type) -> bool:
    """Whether each value is written out in the program, with a `-` where its author wants one, or begins without."""
    return all(_safe(member) for member in members(found))


def may_be_empty(found: Type) -> bool:
    """Whether the text of a value may have no character at all, so that what follows begins it."""
    return any(_empty(member) for member in members(found))


def _empty(member: Type) -> bool:
    if isinstance(member, LiteralType):
        return member.value == ""
    if not isinstance(member, Scalar) or member.name not in ("string", "bytes"):
        return False
    constraints = dict(member.constraints)
    least, pattern = constraints.get("minLength"), constraints.get("pattern")
    has_length = isinstance(least, int) and least > 0
    return not (has_length or (isinstance(pattern, str) and excludes_dash(pattern)))


def _safe(member: Type) -> bool:
    if isinstance(member, ErrorType | LiteralType):
        return True
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
