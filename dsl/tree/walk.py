"""Going through a tree without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache

from dsl.tree.node import Node


@cache
def field_names(kind: type[Node]) -> tuple[str, ...]:
    """The fields of a node that say something: all but the place."""
    return tuple(field.name for field in fields(kind) if field.name not in ("start", "end", "source"))


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order of its fields."""
    for name in field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item
