"""Patterns of JSON Schema, which are those of ECMA-262, in the words of Python's `re`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(r"\\.|\[\^?\]?|[\]$]|[^\\\[\]$]+", re.DOTALL)
_INSIDE: Final = {r"\d": "0-9", r"\w": "A-Za-z0-9_"}
_OUTSIDE: Final = {
    r"\d": "[0-9]",
    r"\D": "[^0-9]",
    r"\w": "[A-Za-z0-9_]",
    r"\W": "[^A-Za-z0-9_]",
}
_LINES: Final = re.compile(r"\(\?[ims]*m[ims]*\)")


@lru_cache(maxsize=512)
def as_python(pattern: str) -> str:
    """With ECMA's meaning (ECMA-262, 22.2.2): `\\d` and `\\w` are ASCII, `$` is the very end of the text."""
    lines = _LINES.match(pattern) is not None
    written: list[str] = []
    inside = False
    for token in _TOKEN.findall(pattern):
        if inside:
            inside = token != "]"
            written.append(_INSIDE.get(token, token))
        elif token.startswith("["):
            inside = True
            written.append(token)
        elif token == "$":
            written.append("$" if lines else r"\Z")
        else:
            written.append(_OUTSIDE.get(token, token))
    return "".join(written)
