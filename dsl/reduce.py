"""The rules of the table bound to the methods of a builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dsl.table import Table

MOST_STATES: Final = 1000
"""More open rules than text of sensible depth needs; a guard against `[[[[…`."""
MOST_LEVELS: Final = 100
"""How deep expressions and types may be nested; later stages recurse over the tree."""

Reduction = tuple[str, int, Callable[..., Any] | None, tuple[int, ...]]
"""The symbol a rule makes, how many values it takes, what makes the new one (None hands one on), its holes."""


def reductions(grammar: Table, builder: object) -> list[Reduction]:
    """One row for each rule of the table."""
    return [
        (origin, length, getattr(builder, action) if action else None, holes)
        for origin, length, action, holes in grammar.rules
    ]
