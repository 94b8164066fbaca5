"""Going through a tree without recursion."""

from __future__ import annotations

from collections.abc import Iterator

from dsl.tree.node import Node

_NAMES: dict[type[Node], tuple[str, ...]] = {}


def field_names(kind: type[Node]) -> tuple[str, ...]:
    """The fields of a node that say something: all but the place."""
    names = _NAMES.get(kind)
    if names is None:
        names = tuple(name for name in kind.__match_args__ if name not in ("start", "end", "source"))
        _NAMES[kind] = names
    return names


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
