"""How long a pattern may keep Python's `re` busy, known before it runs."""

from __future__ import annotations

import math
import re
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<escape>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<flags>\(\?[aiLmsux]+\))|(?P<open>\((?:\?(?:P=|P?<[^=!>)][^>)]*>|<?.))?)|(?P<close>\))|(?P<or>\|)"
    r"|(?P<repeat>(?:[*+?]|\{\d*(?:,\d*)?\})[?+]?)|(?P<other>.)",
    re.DOTALL,
)


def effort(pattern: str, length: int) -> float:
    """Most states that a backtracking search visits in a text of `length` characters; infinite where that is not easily
    bounded: a repeated group, a back reference.

    Every repeat of one character multiplies by what it may take, every alternation by its branches, and a search that
    may begin anywhere by the length.
    """
    most: float = 1.0
    anywhere = not pattern.startswith(("^", r"\A"))
    branches = [1]
    after_group = False
    for match in _TOKEN.finditer(pattern):
        kind, token = match.lastgroup, match.group()
        if _unclear(kind, token):
            return math.inf
        if kind == "open":
            branches.append(1)
        elif kind == "close" and len(branches) > 1:
            most *= branches.pop()
        elif kind == "or":
            branches[-1] += 1
            anywhere = anywhere or len(branches) == 1
        elif kind == "repeat":
            if after_group and token[0] != "?":
                return math.inf
            most *= _choices(token, length)
        after_group = kind == "close"
    return most * math.prod(branches) * (length + 1 if anywhere else 1)


def _unclear(kind: str | None, token: str) -> bool:
    """A back reference, or flags that change what the rest means."""
    if kind == "escape":
        return token[1] in "123456789"
    return (kind == "flags" and "x" in token) or token in ("(?P=", "(?(")


def _choices(repeat: str, length: int) -> int:
    """How many numbers of times the repeat may take."""
    if repeat[0] in "*+":
        return length + 1
    if repeat[0] == "?":
        return 2
    low, comma, high = repeat[1 : repeat.index("}")].partition(",")
    if not comma:
        return 1
    least = int(low or 0)
    return max(1, min(length, int(high) if high else length) - least + 1)
