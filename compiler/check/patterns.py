"""Patterns that stand as texts in calls of functions."""

from __future__ import annotations

from compiler.types.report import Report
from dsl import tree
from stdlib.functions.entry import FunctionFault


def bad_pattern(report: Report, node: tree.Text) -> bool:
    """Report a plain text that is no pattern; True where it is none."""
    from stdlib.functions.pattern import compile_pattern  # here: most files have none

    if node.plain is None:
        return False
    try:
        compile_pattern(node.plain)
    except FunctionFault as found:
        report("E0404", node, str(found))
        return True
    return False
