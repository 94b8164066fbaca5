"""base64 (RFC 4648)."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final

from . import ToolFault

_OUTSIDE: Final = re.compile(r"\s+")


def encode(text: str, url_safe: bool = False) -> str:
    data = text.encode("utf-8", "replace")
    return (base64.urlsafe_b64encode(data) if url_safe else base64.b64encode(data)).decode()


def decode(encoded: str) -> str:
    """Both alphabets, with or without padding; line breaks are skipped (MIME writes them)."""
    plain = _OUTSIDE.sub("", encoded).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise ToolFault("this is no base64") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ToolFault("what is encoded is no UTF-8 text") from None


TOOLS: Final[dict[str, Any]] = {"encode": encode, "decode": decode}
