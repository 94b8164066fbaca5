"""Stable keys: what makes a repeated call of a side effect the same call.

A key is the digest of the request key, the chain, the path of the step and the keys of the items on the way there.
It stays the same for each attempt and for each run of the same request, wherever an item stands in its list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from ..values.digest import digest
from .principal import Owner

FORM: Final = "chainc.key/1"


@dataclass(frozen=True, slots=True)
class KeyPath:
    """The way to a step: `request` is the request key, `parts` the chain and the names and item keys from there."""

    request: str
    parts: tuple[str, ...]

    def into(self, *parts: str) -> KeyPath:
        return KeyPath(self.request, (*self.parts, *parts))

    def key(self) -> str:
        """64 hexadecimal digits."""
        return digest([FORM, self.request, *self.parts])


def request_key(owner: Owner, chain: str, arguments: Mapping[str, Any]) -> str:
    """What stands for a request of somebody: the key that the client sends, or the arguments."""
    return digest([FORM, owner.tenant, owner.principal, chain, dict(arguments)])


def item_keys(items: list[Any]) -> list[str]:
    """The key of each item: its digest, and how many equal ones stand before it."""
    counts: dict[str, int] = {}
    keys = []
    for item in items:
        text = digest(item)
        counts[text] = counts.get(text, -1) + 1
        keys.append(f"{text}:{counts[text]}")
    return keys


def again(key: str, times: int) -> str:
    """The key of a side effect that was undone so many times: doing it anew is another side effect."""
    return digest([FORM, key, times]) if times else key


def fitted(key: str, schema: Mapping[str, Any]) -> str:
    """The key as a parameter of this schema takes it: as a UUID, or not longer than allowed."""
    if schema.get("format") == "uuid":
        return str(UUID(hex=key[:32], version=5))
    longest = schema.get("maxLength")
    return key[:longest] if isinstance(longest, int) else key
