"""Literals as JSON values: example arguments and declared defaults."""

from __future__ import annotations

from dsl import tree
from stdlib.values.time import duration_text


class NotConstant(Exception):
    """The expression needs a run to have a value."""


def constant(node: tree.Expr) -> object:
    """The JSON value of a literal; durations are ISO 8601 texts. Raises NotConstant for anything else."""
    match node:
        case tree.Text() if node.plain is not None:
            return node.plain
        case tree.Integer(value=value) | tree.Number(value=value) | tree.Size(value=value) | tree.Constant(value=value):
            return value
        case tree.Duration(value=value):
            return duration_text(value)
        case tree.Unary(op="-", operand=tree.Integer(value=value) | tree.Number(value=value)):
            return -value
        case tree.ListLiteral(items=items):
            return [constant(_plain(item)) for item in items]
        case tree.RecordLiteral(fields=fields):
            return dict(_constant_field(f) for f in fields)
        case _:
            raise NotConstant


def _plain(item: tree.Expr | tree.Spread) -> tree.Expr:
    if isinstance(item, tree.Spread):
        raise NotConstant
    return item


def _constant_field(f: tree.Field | tree.ComputedField | tree.Spread) -> tuple[str, object]:
    if not isinstance(f, tree.Field):
        raise NotConstant
    return f.name.text, constant(f.value)
