"""Adapters: how calls of an older version become calls of this one."""

from __future__ import annotations

from compiler.lower.calls import arguments_for
from compiler.lower.expressions import lower_expression
from compiler.lower.inputs import lower_input
from compiler.lower.scope import Scope
from compiler.program import CheckedAdapter, CheckedChain
from compiler.types.to_schema import to_schema
from stdlib.plan import plan
from stdlib.values.types import Record


def lower_adapter(chain: CheckedChain, adapter: CheckedAdapter, scope: Scope) -> plan.Adapter:
    """The adapter as pure expressions. `scope` is the chain's file; the chain's own names are not visible inside."""
    node = adapter.node
    inputs, lets = [m.name.text for m in node.inputs], [m.name.text for m in node.lets]
    inner = scope.within(chain.module).bind(*inputs, *lets, "result")
    return plan.Adapter(
        version=node.version.plain or "",
        inputs=tuple(lower_input(inner, adapter.parameters, each) for each in node.inputs),
        input_schema=to_schema(adapter.parameters),
        lets=tuple(
            plan.Let(name=let.name.text, value=lower_expression(inner, let.value), origin=scope.origin(let))
            for let in node.lets
        ),
        arguments=arguments_for(inner, chain.signature.parameters, node.arguments),
        output=lower_expression(inner, node.output.value) if node.output is not None else None,
        output_schema=to_schema(adapter.result, output=True) if adapter.result is not None else None,
        wrapped=adapter.result is not None and not isinstance(adapter.result, Record),
        origin=scope.origin(node),
    )
