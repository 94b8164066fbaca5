"""What only all runs together tell: comparisons of what is never equal, fields that no record has.

A single run says little about them, because a value may come from several places and have several types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from dsl import tree
from dsl.tree import Node
from dsl.tree.walk import children
from tests.mutation.reference.values import Text, kind

ENOUGH: Final = 4
"""So many comparisons at one place say something about it."""


@dataclass(slots=True)
class _Side:
    """Of one side: the texts that it can be (None: any), and whether a schema says so."""

    texts: set[str] | None = field(default_factory=set)
    declared: bool = False

    def add(self, value: Any) -> None:
        if self.texts is None:
            return
        if isinstance(value, Text) and value.choices is not None:
            self.texts |= value.choices
            self.declared = True
        elif isinstance(value, Text) and value.literal:
            self.texts.add(str(value))
        else:
            self.texts = None


@dataclass(slots=True)
class _Comparison:
    alike: bool = False
    times: int = 0
    left: _Side = field(default_factory=_Side)
    right: _Side = field(default_factory=_Side)


class Observed:
    def __init__(self) -> None:
        self._seen: dict[int, tuple[Node, _Comparison]] = {}
        self._lacking: dict[int, tuple[Node, str]] = {}
        self._found: set[int] = set()
        self._needed: set[int] = set()

    def read(self, node: Node, found: bool, message: str) -> None:
        """A field is read of a record that the program made: it lacks it, or another one in its place has it."""
        if found:
            self._found.add(id(node))
        else:
            self._lacking.setdefault(id(node), (node, message))

    def lacking(self) -> tuple[Node, str] | None:
        """The first field that no record had."""
        return next((seen for key, seen in self._lacking.items() if key not in self._found), None)

    def needed(self, node: Node) -> None:
        """The right side of a `??` was needed."""
        self._needed.add(id(node))

    def _dead(self, node: Node) -> bool:
        """Whether a `??` within never needed its right side, so that nobody knows what it could have given."""
        if isinstance(node, tree.Binary) and node.op == "??" and id(node) not in self._needed:
            return True
        return any(self._dead(each) for each in children(node))

    def compare(self, node: Node, left: Any, right: Any) -> None:
        """Two values that are compared at a node; nulls say nothing."""
        if left is None or right is None:
            return
        seen = self._seen.setdefault(id(node), (node, _Comparison()))[1]
        seen.times += 1
        left_kind, right_kind = kind(left), kind(right)
        seen.alike = seen.alike or left_kind == right_kind or "json" in (left_kind, right_kind)
        seen.left.add(left)
        seen.right.add(right)

    def fault(self) -> tuple[Node, str] | None:
        """The first read or comparison that makes no sense, and why."""
        if (lacking := self.lacking()) is not None:
            return lacking
        for node, seen in self._seen.values():
            if seen.times < ENOUGH or self._dead(node):
                continue
            if not seen.alike:
                return node, "two kinds of values are compared, they are never equal"
            a, b = seen.left, seen.right
            if a.texts is None or b.texts is None or not (a.declared or b.declared):
                continue
            if a.texts.isdisjoint(b.texts):
                return node, f"{sorted(a.texts)} and {sorted(b.texts)} are never equal"
        return None
