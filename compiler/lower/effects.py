"""What surrounds a side effect: key, receipt, reconcile, verify, undo."""

from __future__ import annotations

from typing import Any

from compiler.lower.calls import lower_call
from compiler.lower.expressions import lower_expression
from compiler.lower.scope import Scope
from compiler.program import CheckedChain
from dsl import tree
from stdlib.plan import plan


def side_effects(scope: Scope, chain: CheckedChain, step: tree.Step) -> dict[str, Any]:
    """The fields of a call step that its clauses fill."""
    fields: dict[str, Any] = {}
    inner = scope.bind(step.name.text, "result")
    for clause in step.clauses:
        match clause:
            case tree.Key(parameter=parameter):
                fields["key"] = parameter.text
            case tree.Receipt(value=value):
                fields["receipt"] = lower_expression(inner, value)
            case tree.Reconcile(call=call):
                fields["reconcile"] = lower_call(inner, chain, call)
            case tree.Verify(call=call, condition=condition):
                asked = lower_call(inner, chain, call)
                holds = lower_expression(inner, condition)
                fields["verify"] = plan.Verify(call=asked, condition=holds, text=scope.text(condition))
            case tree.Undo(call=call):
                fields["undo"] = lower_call(inner, chain, call)
    return fields
