"""The base of every node, and names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A word or, where the language allows it, a quoted name (`text` is then unquoted)."""

    text: str
    quoted: bool = False
