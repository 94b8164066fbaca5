"""Digests of texts and values."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final

from ..values.canonical import JsonError
from ..values.digest import digest as json_digest
from . import ToolFault


def digest(text: str, algorithm: str = "sha256") -> dict[str, str]:
    """Of the text as UTF-8."""
    made = hashlib.new(algorithm, text.encode("utf-8", "replace"), usedforsecurity=False).digest()
    return {"hex": made.hex(), "base64": base64.b64encode(made).decode()}


def of_json(value: Any) -> str:
    """SHA-256 of canonical JSON (RFC 8785, integers exact at any size)."""
    try:
        return json_digest(value)
    except JsonError as error:
        raise ToolFault(str(error).rstrip(".")) from None


TOOLS: Final[dict[str, Any]] = {"digest": digest, "of_json": of_json}
