"""How a run of the reference interpreter ends before its output."""

from __future__ import annotations

from dsl.tree import Node


class ShapeFault(Exception):
    """What types must rule out: a field that is not there, a value of the wrong kind, a name without meaning."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message


class DesignFault(Exception):
    """What only a run can tell, by design: `!` on null, `as` that does not fit, division by 0, limits, failed calls."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message


class TooLong(Exception):
    """The run needs more steps than it is worth."""
