"""Comprehensions, and what loops run over."""

from __future__ import annotations

from dataclasses import replace

from compiler.check.join import as_list
from compiler.check.labels import null_label, type_label
from compiler.check.narrowing import when_true
from compiler.check.operators import condition
from compiler.check.origin import blamed, source
from compiler.check.scope import Scope
from compiler.names.chain import check_outside, check_variable
from compiler.types.report import shown
from dsl import tree
from stdlib.values.subtype import fits
from stdlib.values.types import (
    ERROR,
    JSON,
    STRING,
    ErrorType,
    ListType,
    MapType,
    Record,
    Type,
    is_null,
    may_be_null,
    present,
)


def items_of(scope: Scope, node: tree.Expr, what: str) -> Type:
    """The type of an item of the list that a loop runs over."""
    found = scope.infer(node)
    if isinstance(found, ErrorType):
        return ERROR
    written = scope.report.text(node)
    if may_be_null(found):
        hint = f"Write `{written} ?? []`."
        message = f"{what} needs a list, but this may be null ({shown(found)})."
        scope.report("E0408", node, message, helps=hint, also=null_label(scope, node))
        found = ERROR if is_null(found) else present(found)
    items = as_list(found)
    if items is not None:
        return items.item
    if not isinstance(found, ErrorType) and not blamed(scope, node, found):
        hint = ""
        lists = [f.name for f in found.fields if isinstance(f.type, ListType)] if isinstance(found, Record) else []
        if len(lists) == 1:
            hint = f"Did you mean `{written}.{lists[0]}`?"
        elif isinstance(found, MapType | Record):
            hint = f"Write `entries({written})`: each entry has `key` and `value`."
        elif found == JSON:
            hint = f"Say what it is: `{written} as list<…>`."
        elif found == STRING:
            hint = f"Cut it into pieces first: `split({written}, …)` or `lines({written})`."
        elif fits(found, present(found)) is None and shown(found) == "integer":
            hint = f"Write `range({written})`."
        message = f"{what} needs a list, but this is {shown(found)}."
        scope.report("E0407", node, message, helps=hint, also=type_label(scope, node))
    return ERROR


def _inside(scope: Scope, variable: tree.Name, items: tree.Expr, filter: tree.Expr | None) -> Scope:
    item = items_of(scope, items, "`for`")
    if scope.chain is not None:
        free = check_variable(scope.chain.names, variable, scope.variables)
    else:
        free = check_outside(scope.file.names, variable, scope.variables)
    item = item if free else ERROR
    inner = scope.binding(variable.text, item, source(scope, items))
    if scope.hidden == variable.text:
        inner = replace(inner, hidden=None)
    if filter is not None:
        condition(inner, filter, "`if` needs a boolean")
        inner = inner.knowing(when_true(inner, filter))
    return inner


def list_comprehension(scope: Scope, node: tree.ListComprehension) -> Type:
    inner = _inside(scope, node.variable, node.items, node.condition)
    return ListType(inner.infer(node.value))


def map_comprehension(scope: Scope, node: tree.MapComprehension) -> Type:
    inner = _inside(scope, node.variable, node.items, node.condition)
    key(inner, node.key)
    return MapType(inner.infer(node.value))


def key(scope: Scope, node: tree.Expr) -> None:
    """The computed name of a field: a text."""
    found = scope.infer(node)
    if fits(found, STRING) is not None:
        said = f"it may be null ({shown(found)})" if may_be_null(found) else f"this is {shown(found)}"
        hint = "" if may_be_null(found) else f'Write `["${{{scope.report.text(node)}}}"]`.'
        scope.report("E0404", node, f"The name of a field is a text, but {said}.", helps=hint)
