"""Literals as JSON values: what a schema can show as a default."""

from __future__ import annotations

from dsl import tree
from stdlib.values.time import duration_text


class NotConstant(Exception):
    """The expression has a value only when a chain runs."""


def json_value(node: tree.Expr) -> object:
    """The JSON value of a literal; durations as ISO 8601 texts. Raises NotConstant for anything else."""
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
            return [json_value(item) for item in map(_no_spread, items)]
        case tree.RecordLiteral(fields=fields):
            return {f.name.text: json_value(f.value) for f in map(_named, fields)}
        case _:
            raise NotConstant


def _no_spread(item: tree.Expr | tree.Spread) -> tree.Expr:
    if isinstance(item, tree.Spread):
        raise NotConstant
    return item


def _named(f: tree.Field | tree.ComputedField | tree.Spread) -> tree.Field:
    if not isinstance(f, tree.Field):
        raise NotConstant
    return f


def shown_default(node: tree.Expr | None) -> tuple[object] | None:
    """A declared default as `Field.default` holds it; None where there is none, or it needs a run."""
    if node is None:
        return None
    try:
        return (json_value(node),)
    except NotConstant:
        return None
