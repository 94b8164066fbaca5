"""Inputs of chains and adapters."""

from __future__ import annotations

from compiler.lower.expressions import lower_expression
from compiler.lower.scope import Scope
from dsl import tree
from stdlib.plan import plan
from stdlib.values.types import Handle, Record, may_be_null, present


def lower_input(scope: Scope, parameters: Record, node: tree.Input) -> plan.Input:
    """An input as the runtime takes it."""
    parameter = parameters.field(node.name.text)
    assert parameter is not None, "every input is a parameter"
    written = scope.program.type_of(node.type)
    declared = present(written)
    return plan.Input(
        name=parameter.name,
        required=parameter.required,
        default=lower_expression(scope, node.default) if node.default is not None else None,
        handle=declared.kind if isinstance(declared, Handle) else None,
        nullable=may_be_null(written),
    )
