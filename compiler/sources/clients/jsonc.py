"""JSON with comments and trailing commas, as editors write their settings."""

from __future__ import annotations

import re
from typing import Any

from stdlib.values.canonical import read_json

_COMMENT = r"//[^\n]*+|(?>/\*.*?(?:\*/|\Z))"
_PARTS = re.compile(
    rf'(?P<text>"(?:[^"\\\n]|\\.)*+"?)|(?P<comment>{_COMMENT})|,(?=(?:\s|{_COMMENT})*+[\]}}])',
    re.DOTALL,
)
"""Nothing in it is tried twice, so that its time grows with the text alone; hence a text that has no end, too."""


def read_jsonc(text: str) -> Any:
    """The value of a text. Raises `JsonError`, whose places are those of the text."""
    return read_json(_PARTS.sub(_plain, text.removeprefix("\ufeff")))


def _plain(found: re.Match[str]) -> str:
    """A text as it is; of anything else blanks, and its line ends, so that lines and columns stay."""
    return found[0] if found["text"] is not None else re.sub(r"[^\n]", " ", found[0])
