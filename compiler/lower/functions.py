"""Calls of built-in functions: arguments by parameter name, and how keys are read."""

from __future__ import annotations

from compiler.check.join import as_list
from compiler.lower.operators import comparable
from compiler.program import Program
from dsl import tree
from stdlib.functions import find
from stdlib.plan.expression import Comparable
from stdlib.values.types import MapType, Record, Type, present, read


def bind_arguments(node: tree.Function) -> dict[str, tree.Expr]:
    """Parameter name → argument, in the order of the parameters."""
    entry = find(node.name.text)
    assert entry is not None, "the checker found this function"
    given: dict[str, tree.Expr] = {}
    positional = iter([p.name for p in entry.signature.parameters])
    for argument in node.arguments:
        given[argument.name.text if argument.name else next(positional)] = argument.value
    return {p.name: given[p.name] for p in entry.signature.parameters if p.name in given}


def function_reading(program: Program, name: str, bound: dict[str, tree.Expr]) -> Comparable | None:
    """How a function that orders or compares reads its keys: by the type of the items, or of their `by` field."""
    entry = find(name)
    if entry is None or entry.ordered is None or entry.ordered not in bound:
        return None
    key: Type = present(program.type_of(bound[entry.ordered]))
    items = as_list(key)
    if items is not None:
        key = items.item
    elif isinstance(key, MapType):
        key = key.value
    by = bound.get("by")
    record = present(key)
    if isinstance(by, tree.Text) and isinstance(record, Record):
        field = record.field(by.plain or "")
        if field is not None:
            key = read(field)
    return comparable(key)
