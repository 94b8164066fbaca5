"""Expressions: tree → plan. Types decide readings; names of file-level lets are replaced by their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from compiler.check.functions import PREDICATES
from compiler.check.join import as_list
from compiler.lower.functions import bind_arguments, function_reading
from compiler.lower.operators import comparable, quantity
from compiler.lower.scope import Scope
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.plan import expression as plan
from stdlib.values.show import show
from stdlib.values.time import duration_text
from stdlib.values.types import Record, present


def lower_expression(scope: Scope, node: tree.Expr) -> plan.Expression:
    """The plan's form of a checked expression."""
    return _HANDLERS[type(node)](scope, node)


def _text(scope: Scope, node: tree.Text) -> plan.Expression:
    if node.plain is not None:
        return plan.Const(value=node.plain)
    return plan.Text(parts=tuple(p if isinstance(p, str) else lower_expression(scope, p) for p in node.parts))


def _literal(scope: Scope, node: tree.Integer | tree.Number | tree.Size | tree.Constant) -> plan.Expression:
    return plan.Const(value=node.value)


def _duration(scope: Scope, node: tree.Duration) -> plan.Expression:
    return plan.Const(value=duration_text(node.value))


def _ref(scope: Scope, node: tree.Ref) -> plan.Expression:
    if node.name not in scope.names and node.name != "run":
        let = scope.file_let(node.name)
        if let is not None:
            return lower_expression(scope.within(scope.module), let.value)
    return plan.Ref(name=node.name)


def _member(scope: Scope, node: tree.Member) -> plan.Expression:
    if isinstance(node.base, tree.Ref) and node.base.name not in scope.names:
        module = scope.imported(node.base.name)
        if module is not None:
            inner = scope.within(module)
            let = inner.file_let(node.name.text)
            assert let is not None, "the checker found this let"
            return lower_expression(inner, let.value)
    return plan.Member(base=lower_expression(scope, node.base), name=node.name.text, optional=node.optional)


def _index(scope: Scope, node: tree.Index) -> plan.Expression:
    return plan.Index(
        base=lower_expression(scope, node.base),
        index=lower_expression(scope, node.index),
        optional=node.optional,
    )


def _present(scope: Scope, node: tree.Present) -> plan.Expression:
    return plan.Present(
        base=lower_expression(scope, node.base),
        text=scope.text(node.base),
        origin=scope.origin(node),
    )


def _unary(scope: Scope, node: tree.Unary) -> plan.Expression:
    operand = lower_expression(scope, node.operand)
    if node.op == "not":
        return plan.Not(operand=operand)
    on_duration = quantity(scope.program.type_of(node.operand)) == "duration"
    return plan.Negate(operand=operand, on="duration" if on_duration else "number")


def _binary(scope: Scope, node: tree.Binary) -> plan.Expression:
    left, right = lower_expression(scope, node.left), lower_expression(scope, node.right)
    left_type, right_type = scope.program.type_of(node.left), scope.program.type_of(node.right)
    match node.op:
        case "and" | "or":
            return plan.Logic(op=node.op, left=left, right=right)
        case "??":
            return plan.Logic(op="else", left=left, right=right)
        case "==" | "!=" | "<" | "<=" | ">" | ">=":
            return plan.Compare(op=node.op, left=left, right=right, on=comparable(left_type, right_type))
        case "in" | "not in":
            return plan.Contains(
                item=left,
                container=right,
                on=_contained(left_type, right_type),
                negated=node.op == "not in",
            )
        case _:
            return plan.Arithmetic(
                op=cast(Any, node.op),
                left=left,
                right=right,
                left_type=quantity(left_type),
                right_type=quantity(right_type),
                origin=scope.origin(node) if node.op in "/%" else None,
            )


def _contained(item: Any, container: Any) -> plan.Comparable:
    items = as_list(present(container))
    return comparable(item, items.item) if items is not None else "text"


def _cast(scope: Scope, node: tree.Cast) -> plan.Expression:
    wanted = scope.program.type_of(node.type)
    return plan.Cast(
        value=lower_expression(scope, node.value),
        json_schema=to_schema(wanted),
        type=show(wanted),
        origin=scope.origin(node),
    )


def _if(scope: Scope, node: tree.If) -> plan.Expression:
    return plan.If(
        condition=lower_expression(scope, node.condition),
        then=lower_expression(scope, node.then),
        otherwise=lower_expression(scope, node.otherwise),
    )


def _function(scope: Scope, node: tree.Function) -> plan.Expression:
    name = node.name.text
    if name in PREDICATES:
        step = node.arguments[0].value
        assert isinstance(step, tree.Ref)
        return plan.Outcome(step=step.name, **{"is": cast(Any, name)})
    bound = bind_arguments(node)
    return plan.Call(
        function=name,
        arguments={parameter: lower_expression(scope, value) for parameter, value in bound.items()},
        on=function_reading(scope.program, name, bound),
        origin=scope.origin(node),
    )


def _list(scope: Scope, node: tree.ListLiteral) -> plan.Expression:
    return plan.ListOf(items=tuple(_item(scope, item) for item in node.items))


def _item(scope: Scope, node: tree.Expr | tree.Spread) -> Any:
    if isinstance(node, tree.Spread):
        return plan.Spread(value=lower_expression(scope, node.value))
    return lower_expression(scope, node)


def _record(scope: Scope, node: tree.RecordLiteral) -> plan.Expression:
    fields: list[plan.FieldOf | plan.Spread] = []
    for f in node.fields:
        if isinstance(f, tree.Spread):
            given = present(scope.program.type_of(f.value))
            seen = tuple(each.name for each in given.fields) if isinstance(given, Record) else None
            fields.append(plan.Spread(value=lower_expression(scope, f.value), fields=seen))
        elif isinstance(f, tree.ComputedField):
            fields.append(plan.FieldOf(key=lower_expression(scope, f.key), value=lower_expression(scope, f.value)))
        else:
            fields.append(plan.FieldOf(name=f.name.text, value=lower_expression(scope, f.value)))
    return plan.RecordOf(fields=tuple(fields))


def _list_comprehension(scope: Scope, node: tree.ListComprehension) -> plan.Expression:
    inner = scope.bind(node.variable.text)
    return plan.ListComprehension(
        value=lower_expression(inner, node.value),
        variable=node.variable.text,
        items=lower_expression(scope, node.items),
        condition=lower_expression(inner, node.condition) if node.condition else None,
    )


def _map_comprehension(scope: Scope, node: tree.MapComprehension) -> plan.Expression:
    inner = scope.bind(node.variable.text)
    return plan.MapComprehension(
        key=lower_expression(inner, node.key),
        value=lower_expression(inner, node.value),
        variable=node.variable.text,
        items=lower_expression(scope, node.items),
        condition=lower_expression(inner, node.condition) if node.condition else None,
    )


_HANDLERS: dict[type, Callable[[Scope, Any], plan.Expression]] = {
    tree.Text: _text,
    tree.Integer: _literal,
    tree.Number: _literal,
    tree.Size: _literal,
    tree.Constant: _literal,
    tree.Duration: _duration,
    tree.Ref: _ref,
    tree.Member: _member,
    tree.Index: _index,
    tree.Present: _present,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Cast: _cast,
    tree.If: _if,
    tree.Function: _function,
    tree.ListLiteral: _list,
    tree.RecordLiteral: _record,
    tree.ListComprehension: _list_comprehension,
    tree.MapComprehension: _map_comprehension,
}
