"""Calls of tools, chains and functions: which argument goes where."""

from __future__ import annotations

from compiler.lower.expressions import lower_expression
from compiler.lower.scope import Scope
from compiler.program import ChainSignature, CheckedChain, ToolSignature
from dsl import tree
from stdlib.plan import plan
from stdlib.values.types import JSON, Field, Record, may_be_null, present


def lower_call(scope: Scope, chain: CheckedChain, call: tree.Call) -> plan.CallPlan:
    """A call with its arguments; null is sent only where the parameter takes it."""
    signature = chain.calls[id(call)]
    return plan.CallPlan(
        target=target_of(scope, signature), arguments=arguments_for(scope, signature.parameters, call.arguments)
    )


def target_of(scope: Scope, signature: ToolSignature | ChainSignature) -> plan.ToolTarget | plan.ChainTarget:
    """What a path means, as the plan names it."""
    if isinstance(signature, ToolSignature):
        return plan.ToolTarget(source=signature.source, name=scope.tool_keys[id(signature)])
    return plan.ChainTarget(id=signature.id)


def arguments_for(scope: Scope, parameters: Record, arguments: tuple[tree.Argument, ...]) -> tuple[plan.Argument, ...]:
    """Arguments for these parameters; null is sent only where the parameter takes it."""
    return tuple(_argument(scope, parameters, argument) for argument in arguments)


def _argument(scope: Scope, parameters: Record, argument: tree.Argument) -> plan.Argument:
    value = lower_expression(scope, argument.value)
    if argument.name is not None:
        parameter = parameters.field(argument.name.text)
        assert parameter is not None, "the checker found this parameter"
        return plan.Argument(name=parameter.name, value=value, nullable=_takes_null(parameter))
    given = present(scope.program.type_of(argument.value))
    names = tuple(f.name for f in given.fields) if isinstance(given, Record) else ()
    nullable = tuple(p.name for p in parameters.fields if p.name in names and _takes_null(p))
    return plan.Argument(value=value, fields=names, nullable_fields=nullable)


def _takes_null(parameter: Field) -> bool:
    return parameter.type == JSON or may_be_null(parameter.type)
