"""A chain's inputs and output: tree → plan, with the schemas that clients see."""

from __future__ import annotations

from compiler.lower.adapters import lower_adapter
from compiler.lower.expressions import lower_expression
from compiler.lower.inputs import lower_input
from compiler.lower.scope import Scope, chain_scope
from compiler.lower.steps import chain_bindings
from compiler.program import CheckedChain, Program
from compiler.types.to_schema import to_schema
from dsl import tree
from stdlib.plan import plan
from stdlib.values.types import Handle, Record, Type


def lower_chain(program: Program, chain: CheckedChain, tool_keys: dict[int, str]) -> plan.Chain:
    """The executable form of one chain."""
    scope = chain_scope(program, chain, tool_keys)
    output = next(m for m in chain.node.members if isinstance(m, tree.Output))
    lowered = _output(scope, chain, output)
    bindings = chain_bindings(scope, chain)
    parameters = chain.signature.parameters
    return plan.Chain(
        id=chain.id,
        private=chain.node.private,
        inputs=tuple(
            lower_input(scope, chain.signature.parameters, m) for m in chain.node.members if isinstance(m, tree.Input)
        ),
        input_schema=to_schema(parameters),
        bindings=bindings,
        output=lowered,
        wrapped=lowered.mode == "scalar" and not isinstance(chain.signature.result, Record),
        budget=_budget(chain),
        keyed=chain.signature.keyed,
        scopes=chain.signature.scopes,
        adapters=tuple(lower_adapter(chain, each, scope) for each in chain.adapters),
        origin=scope.origin(chain.node.name),
    )


_LIMITS = {"calls": "calls", "bytes": "bytes", "time": "time_ms", "cost": "cost", "parallel": "parallel"}


def _budget(chain: CheckedChain) -> plan.Budget:
    """What the runtime enforces; the other settings are published only."""
    values: dict[str, int | float] = {}
    for member in chain.node.members:
        for setting in member.settings if isinstance(member, tree.Budget) else ():
            name, value = _LIMITS.get(setting.name.text), setting.value
            if name and isinstance(value, tree.Integer | tree.Number | tree.Size | tree.Duration):
                values[name] = value.value
    return plan.Budget.model_validate(values)


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
