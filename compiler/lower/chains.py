"""A chain's inputs and output: tree → plan, with the schemas that clients see."""

from __future__ import annotations

from compiler.lower.expressions import lower_expression
from compiler.lower.scope import Scope, chain_scope
from compiler.lower.steps import chain_bindings
from compiler.program import CheckedChain, Program
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.plan import plan
from stdlib.values.types import Handle, Record, Type, may_be_null, present


def lower_chain(program: Program, chain: CheckedChain, tool_keys: dict[int, str]) -> plan.Chain:
    """The executable form of one chain."""
    scope = chain_scope(program, chain, tool_keys)
    output = next(m for m in chain.node.members if isinstance(m, tree.Output))
    lowered = _output(scope, chain, output)
    budget = next((m for m in chain.node.members if isinstance(m, tree.Budget)), None)
    limits = {s.name.text: s.value for s in budget.settings} if budget else {}
    calls, time = limits.get("calls"), limits.get("time")
    return plan.Chain(
        id=chain.id,
        private=chain.node.private,
        inputs=tuple(_input(scope, chain, m) for m in chain.node.members if isinstance(m, tree.Input)),
        input_schema=to_schema(chain.signature.parameters),
        bindings=chain_bindings(scope, chain),
        output=lowered,
        wrapped=lowered.mode == "scalar" and not isinstance(chain.signature.result, Record),
        timeout_ms=time.value if isinstance(time, tree.Duration) else None,
        max_calls=calls.value if isinstance(calls, tree.Integer) else None,
        origin=scope.origin(chain.node.name),
    )


def _input(scope: Scope, chain: CheckedChain, node: tree.Input) -> plan.Input:
    parameter = chain.signature.parameters.field(node.name.text)
    assert parameter is not None, "every input is a parameter"
    declared = present(scope.program.type_of(node.type))
    return plan.Input(
        name=parameter.name,
        required=parameter.required,
        default=lower_expression(scope, node.default) if node.default is not None else None,
        handle=declared.kind if isinstance(declared, Handle) else None,
        nullable=may_be_null(scope.program.type_of(node.type)),
    )


def _output(scope: Scope, chain: CheckedChain, node: tree.Output) -> plan.Output:
    result = chain.signature.result
    stored: Type = scope.program.kinds[result.kind] if isinstance(result, Handle) else result
    return plan.Output(
        mode="handle" if isinstance(result, Handle) else "scalar",
        handle=result.kind if isinstance(result, Handle) else None,
        value=lower_expression(scope, node.value),
        needs=chain.graph.needs.get("output", ()),
        json_schema=to_schema(stored, output=True),
        summary=lower_expression(scope, node.summary) if node.summary is not None else None,
        expires_ms=node.expires.value if node.expires is not None else None,
    )
