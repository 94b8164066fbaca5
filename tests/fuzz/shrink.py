"""A smaller input that fails in the same way (delta debugging)."""

import re
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T", str, bytes)
_WORDS = re.compile(r"\w+|\s+|.", re.S)


def shrink(given: str | bytes, fails: Callable[[str | bytes], bool], most: int = 600) -> str | bytes:
    """Leave out lines, then words, then characters (of bytes: bytes), as long as `fails` says yes.

    At most so many trials are made; where they suffice, no single character of the result can be left out.
    """
    left = [most]
    if isinstance(given, bytes):
        kept = _fewer([given[i : i + 1] for i in range(len(given))], lambda parts: fails(b"".join(parts)), left)
        return b"".join(kept)
    lines = _fewer(given.splitlines(keepends=True), lambda parts: fails("".join(parts)), left)
    words: list[str] = _WORDS.findall("".join(lines))
    words = _fewer(words, lambda parts: fails("".join(parts)), left)
    return "".join(_fewer(list("".join(words)), lambda parts: fails("".join(parts)), left))


def _fewer(parts: list[_T], fails: Callable[[list[_T]], bool], left: list[int]) -> list[_T]:
    """Leave out stretches, long ones first, until no single part can go; `left` is how many trials there still are."""
    length = max(len(parts) // 2, 1)
    while True:
        at, shorter = 0, False
        while at < len(parts):
            if left[0] <= 0:
                return parts
            left[0] -= 1
            trial = parts[:at] + parts[at + length :]
            if fails(trial):
                parts, shorter = trial, True
            else:
                at += length
        if length > 1:
            length //= 2
        elif not shorter:
            return parts
