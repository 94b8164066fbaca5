"""Texts of a document, which go into prompts and reports: nothing hidden in them, and not endless."""

from __future__ import annotations

import unicodedata
from typing import Final

MOST_DESCRIPTION: Final = 4000
"""Characters of an operation's description."""
MOST_REMARK: Final = 1000
"""Characters of the description of a parameter or field."""

_HIDDEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def plain(text: object, most: int = MOST_REMARK) -> str:
    """The text without control characters, bidi marks and the like; line breaks stay. Cut where it is long."""
    if not isinstance(text, str):
        return ""
    cut = text[: 2 * most].replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(c for c in cut if c in "\n\t" or unicodedata.category(c) not in _HIDDEN).strip()
    return kept if len(kept) <= most and len(text) <= 2 * most else f"{kept[:most].rstrip()} …"
