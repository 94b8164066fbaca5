"""Comparison: `==`, the order operators, `in`."""

from __future__ import annotations

from compiler.check.fit import constant
from compiler.check.join import as_list
from compiler.check.labels import null_label, type_label
from compiler.check.misfit import FORMS
from compiler.check.overlap import overlap
from compiler.check.scope import Scope
from compiler.types.report import near, shown
from dsl import tree
from stdlib.values.subtype import base
from stdlib.values.types import (
    BOOLEAN,
    JSON,
    STRING,
    ErrorType,
    ListType,
    LiteralType,
    MapType,
    Record,
    Scalar,
    Type,
    is_null,
    is_text,
    may_be_null,
    members,
    present,
)

_MOST_SHOWN = 8
"""So many choices still go into a message."""


def equal(scope: Scope, node: tree.Binary) -> Type:
    """`==` and `!=`: null is a value like others here."""
    left, right = scope.infer(node.left), scope.infer(node.right)
    a, b = _precise(node.left, left), _precise(node.right, right)
    if isinstance(a, ErrorType) or isinstance(b, ErrorType) or is_null(a) or is_null(b):
        return BOOLEAN
    if not overlap(present(a), present(b)):
        _never_equal(scope, node, a, b)
    return BOOLEAN


def _precise(node: tree.Expr, found: Type) -> Type:
    """A literal as itself, not as its type."""
    return constant(node) or found


def _never_equal(scope: Scope, node: tree.Binary, a: Type, b: Type) -> None:
    hint = ""
    for literal, other, place, beside in ((b, a, node.right, node.left), (a, b, node.left, node.right)):
        if isinstance(literal, LiteralType) and isinstance(literal.value, str):
            choices = [m.value for m in members(other) if isinstance(m, LiteralType) and isinstance(m.value, str)]
            close = near(literal.value, choices)
            if choices:
                hint = f'Did you mean "{close}"?' if close else f"Possible is {shown(present(other))}."
                kinds = f"{shown(other)} and {shown(literal)} are never equal."
                if not close or len(choices) > _MOST_SHOWN:
                    kinds = f"`{scope.report.text(beside)}` is never {shown(literal)}."
                scope.report("E0414", place, kinds, helps=hint, also=type_label(scope, beside))
                return
            wanted = present(other)
            if isinstance(wanted, Scalar) and is_text(wanted):
                scope.report("E0414", place, f"{shown(literal)} is no valid {wanted.name}, so they are never equal.")
                return
            if isinstance(wanted, Scalar) and wanted.name in ("integer", "number"):
                hint = "Numbers stand without quotes."
    scope.report("E0414", node, f"{shown(a)} and {shown(b)} are never equal.", helps=hint)


def order_kind(t: Type) -> str | None:
    """number, text, timestamp, date or duration; None for what has no order."""
    kinds = {_kind(m) for m in members(t)}
    return kinds.pop() if len(kinds) == 1 else None


def _kind(t: Type) -> str | None:
    if isinstance(t, LiteralType):
        t = base(t)
    if not isinstance(t, Scalar):
        return None
    if t.name in ("integer", "number"):
        return "number"
    if t.name in ("timestamp", "date", "duration"):
        return t.name
    return "text" if is_text(t) else None


def ordering(scope: Scope, node: tree.Binary) -> Type:
    """`<`, `<=`, `>`, `>=` between values of one kind."""
    left, right = scope.infer(node.left), scope.infer(node.right)
    if isinstance(left, ErrorType) or isinstance(right, ErrorType):
        return BOOLEAN
    for operand, found in ((node.left, left), (node.right, right)):
        if may_be_null(found):
            from compiler.check.operators import null_operand

            null_operand(scope, operand, found, node.op)
            return BOOLEAN
    a, b = order_kind(left), order_kind(right)
    for operand, found, kind in ((node.left, left, a), (node.right, right, b)):
        if kind is None:
            hint = f"Say what it is: `({scope.report.text(operand)} as number)`." if found == JSON else ""
            message = f"`{node.op}` compares numbers, texts and times, but this is {shown(found)}."
            scope.report("E0415", operand, message, helps=hint, also=type_label(scope, operand))
            return BOOLEAN
    if a == b or _reads_as(scope, node.left, left, right) or _reads_as(scope, node.right, right, left):
        return BOOLEAN
    hint = ""
    if {a, b} == {"timestamp", "date"}:
        hint = "A day is no instant: write both in the same way."
    elif {a, b} & {"timestamp", "date", "duration"} and "text" in (a, b):
        time = (a if b == "text" else b) or ""
        hint = f"Say that the text is a {time}: `… as {time}`."
        for operand, found in ((node.left, left), (node.right, right)):
            if isinstance(found, LiteralType) and is_text(found):
                scope.report("E0415", operand, f"{shown(found)} is no valid {time}.", helps=FORMS.get(time, ""))
                return BOOLEAN
    scope.report("E0415", node, f"`{node.op}` cannot compare {shown(left)} with {shown(right)}.", helps=hint)
    return BOOLEAN


def _reads_as(scope: Scope, node: tree.Expr, found: Type, other: Type) -> bool:
    """A literal text beside a time is that time, where it is written like one."""
    return isinstance(found, LiteralType) and is_text(found) and is_text(present(other)) and overlap(found, other)


def contained(scope: Scope, node: tree.Binary) -> Type:
    """`item in list`, `key in map`, `part in text`."""
    container = scope.infer(node.right)
    item = scope.infer(node.left)
    if isinstance(container, ErrorType) or isinstance(item, ErrorType):
        return BOOLEAN
    if may_be_null(container):
        written = scope.report.text(node.right)
        hint = f"Write `({written} ?? [])`." if as_list(present(container)) else ""
        message = f"`{node.op}` needs a list, but this may be null."
        scope.report("E0408", node.right, message, helps=hint, also=null_label(scope, node.right))
        return BOOLEAN
    items = as_list(container)
    if items is not None:
        _item(scope, node, item, items)
    elif isinstance(container, MapType | Record) or is_text(container):
        what = "a part of a text" if is_text(container) else "the key of a map"
        if not overlap(item, STRING) or may_be_null(item):
            said = "it may be null" if may_be_null(item) else f"this is {shown(item)}"
            scope.report("E0415", node.left, f"`{node.op}` looks for {what} here, but {said}.")
    else:
        hint = f"Say what it is: `… in ({scope.report.text(node.right)} as list<string>)`." if container == JSON else ""
        message = f"`{node.op}` looks into lists, maps and texts, but this is {shown(container)}."
        scope.report("E0415", node.right, message, helps=hint)
    return BOOLEAN


def _item(scope: Scope, node: tree.Binary, item: Type, container: ListType) -> None:
    if is_null(item):
        return
    if isinstance(node.right, tree.ListLiteral):
        for part in node.right.items:
            if isinstance(part, tree.Spread):
                continue
            found = _precise(part, scope.file.types[id(part)])
            if not is_null(found) and not isinstance(found, ErrorType) and not overlap(present(item), present(found)):
                _never_equal(scope, tree.Binary(part.start, part.end, "==", node.left, part, part.start), item, found)
        return
    if not overlap(present(item), present(container.item)):
        _never_equal(scope, node, item, container.item)
