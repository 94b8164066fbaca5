"""A receipt without what may be personal: its names and digests become other signs, equal where they were equal."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, Final

_PLAIN: Final = frozenset(
    (
        *("run", "step", "item", "at", "purpose", "tool", "version", "schema", "outcome", "fault", "refused"),
        *("verified", "ms", "bytes", "attempt", "replayed", "completes", "trace"),
    )
)
"""What says nothing of anybody: ids that were drawn, names of steps, tools and classes, times and sizes."""

_NAMES: Final = frozenset(("principal", "tenant", "arguments", "key"))
"""Digests, too: what is guessed right has the same digest. Whatever is in neither list is left out."""

_SIGNS: Final = 32


def redacted(line: Mapping[str, Any], salt: bytes) -> dict[str, Any]:
    """`line`: a receipt as JSON. The same salt makes the same signs."""
    told: dict[str, Any] = {}
    for name, value in line.items():
        if name in _PLAIN:
            told[name] = value
        elif name in _NAMES:
            told[name] = _sign(value, salt)
        elif name == "approval":
            told[name] = {
                key: each if key == "approved" else _sign(each, salt)
                for key, each in value.items()
                if key in ("approved", "by", "digest")
            }
    return told


def _sign(value: Any, salt: bytes) -> str:
    return hmac.new(salt, str(value).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_SIGNS]
