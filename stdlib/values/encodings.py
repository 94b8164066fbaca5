"""Encodings that a text from outside may name."""

from __future__ import annotations

import codecs
from typing import Final

_OF_TEXTS: Final = ("utf", "iso8859", "cp", "koi8", "mac", "ascii", "big5", "euc", "gb", "shift_jis", "hz")


def text_encoding(name: str) -> str:
    """An encoding of texts that Python knows, else UTF-8. Others of its codecs unpack what they read, or take a time
    that grows with its square."""
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError):
        return "utf-8"
    ours = known.name.startswith(_OF_TEXTS) and getattr(known, "_is_text_encoding", True)
    return known.name if ours else "utf-8"
