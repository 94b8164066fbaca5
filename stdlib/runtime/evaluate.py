"""Expressions of a plan as functions: compiled once when a plan is loaded, evaluated at every use.

Evaluation is pure, always ends, and either gives a JSON value or raises EvaluationFault. It never changes a value that
it is given; results may share parts with them. Bounds: `WORK_LIMIT`, `TEXT_LIMIT`, `ITEMS_LIMIT`.

Fault classes: `shape_mismatch` for `!`, `as` and texts that are not what they should be; `precondition` for what
cannot be calculated (division by 0, numbers and times out of range, functions that say no); `result_too_large` and
`budget_exceeded` for the bounds; `internal` for what the checker rules out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..plan import expression as plan
from . import evaluate_access as access
from . import evaluate_arithmetic as calculation
from . import evaluate_build as build
from . import evaluate_call as calls
from . import evaluate_operators as operators
from .evaluate_fault import Evaluate, EvaluationFault, Work
from .scope import Scope

__all__ = ["Evaluate", "EvaluationFault", "Scope", "compile_expression"]


def compile_expression(expression: plan.Expression) -> Evaluate:
    """The expression as a function of a scope. Raises EvaluationFault for an expression that can never be evaluated."""
    work = Work()
    try:
        run = _Compiler(work).compile(expression)
    except RecursionError:
        raise EvaluationFault("internal", "An expression is nested too deep.") from None

    def evaluate(scope: Scope) -> Any:
        work.done = 0
        try:
            return run(scope)
        except RecursionError:
            raise EvaluationFault("internal", "An expression or a value is nested too deep.") from None

    return evaluate


class _Compiler:
    """Goes through one expression; all its parts count their work together."""

    __slots__ = ("work",)

    def __init__(self, work: Work) -> None:
        self.work = work

    def compile(self, node: Any) -> Evaluate:
        return _COMPILERS[type(node)](self, node)

    def list_of(self, node: plan.ListOf) -> Evaluate:
        items = [(True, i.value) if isinstance(i, plan.Spread) else (False, i) for i in node.items]
        return build.list_of([(spread, self.compile(item)) for spread, item in items], self.work)

    def record_of(self, node: plan.RecordOf) -> Evaluate:
        fields: list[tuple[str | Evaluate | tuple[str, ...] | None, Evaluate]] = []
        for field in node.fields:
            if isinstance(field, plan.Spread):
                fields.append((field.fields, self.compile(field.value)))
            elif field.key is not None:
                fields.append((self.compile(field.key), self.compile(field.value)))
            elif field.name is not None:
                fields.append((field.name, self.compile(field.value)))
            else:
                raise EvaluationFault("internal", "A field has no name.")
        return build.record_of(fields, self.work)

    def each(self, node: plan.ListComprehension | plan.MapComprehension) -> build.Each:
        condition = None if node.condition is None else self.compile(node.condition)
        return build.each_item(node.variable, self.compile(node.items), condition, self.work)


_COMPILERS: Final[dict[type, Callable[[_Compiler, Any], Evaluate]]] = {
    plan.Const: lambda c, n: access.const(n),
    plan.Ref: lambda c, n: access.ref(n),
    plan.Member: lambda c, n: access.member(n, c.compile(n.base)),
    plan.Index: lambda c, n: access.index(n, c.compile(n.base), c.compile(n.index)),
    plan.Present: lambda c, n: access.present(n, c.compile(n.base)),
    plan.Outcome: lambda c, n: access.outcome(n),
    plan.Not: lambda c, n: operators.negation(c.compile(n.operand)),
    plan.Logic: lambda c, n: operators.logic(n, c.compile(n.left), c.compile(n.right)),
    plan.Compare: lambda c, n: operators.compare(n, c.compile(n.left), c.compile(n.right)),
    plan.Contains: lambda c, n: operators.contains(n, c.compile(n.item), c.compile(n.container), c.work),
    plan.If: lambda c, n: operators.choice(c.compile(n.condition), c.compile(n.then), c.compile(n.otherwise)),
    plan.Negate: lambda c, n: calculation.negate(n, c.compile(n.operand)),
    plan.Arithmetic: lambda c, n: calculation.arithmetic(n, c.compile(n.left), c.compile(n.right)),
    plan.Call: lambda c, n: calls.call(n, {name: c.compile(v) for name, v in n.arguments.items()}, c.work),
    plan.Cast: lambda c, n: calls.cast(n, c.compile(n.value)),
    plan.Text: lambda c, n: build.text([part if isinstance(part, str) else c.compile(part) for part in n.parts]),
    plan.ListOf: _Compiler.list_of,
    plan.RecordOf: _Compiler.record_of,
    plan.ListComprehension: lambda c, n: build.list_comprehension(c.each(n), c.compile(n.value)),
    plan.MapComprehension: lambda c, n: build.map_comprehension(c.each(n), c.compile(n.key), c.compile(n.value)),
}
