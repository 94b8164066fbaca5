"""Functions of the table, and casts."""

from __future__ import annotations

from typing import Any, Final

from ..functions import FunctionFault, find
from ..plan import expression as plan
from .evaluate_fault import Evaluate, EvaluationFault, Work
from .schema import Shape
from .scope import Scope

_INSTANT: Final = frozenset({"count", "first", "last"})
"""Functions whose time does not depend on the size of their arguments; most others go through them at full speed."""


def call(node: plan.Call, arguments: dict[str, Evaluate], work: Work) -> Evaluate:
    entry = find(node.function)
    if entry is None:
        raise EvaluationFault("internal", f"There is no function `{node.function}`.", node.origin)
    known = {parameter.name for parameter in entry.signature.parameters}
    required = {parameter.name for parameter in entry.signature.parameters if parameter.required}
    if not required <= arguments.keys() <= known:
        raise EvaluationFault("internal", f"`{node.function}` is called with other parameters.", node.origin)
    name, on, origin = node.function, node.on, node.origin

    def evaluate(scope: Scope) -> Any:
        values = {parameter: argument(scope) for parameter, argument in arguments.items()}
        if name not in _INSTANT:
            size = sum(len(value) for value in values.values() if isinstance(value, list | dict | str))
            work.spend(size if entry.ordered else size // 16)
        try:
            return entry.call(values, on, work.spend)
        except FunctionFault as fault:
            raise EvaluationFault(fault.fault_class, fault.message, origin) from None
        except EvaluationFault as fault:
            raise EvaluationFault(fault.fault_class, fault.message, origin) from None
        except Exception as error:
            # The signature promises what the body may rely on. A value that breaks the promise must not end a server.
            raise EvaluationFault("internal", f"`{name}` got a value that it does not know.", origin) from error

    return evaluate


def cast(node: plan.Cast, value: Evaluate) -> Evaluate:
    shape, wanted, origin = Shape(node.json_schema), node.type, node.origin

    def evaluate(scope: Scope) -> Any:
        found = value(scope)
        try:
            mismatch = shape.mismatch(found)
        except Exception as error:
            raise EvaluationFault("internal", f"The schema of `{wanted}` cannot be used.", origin) from error
        if mismatch is not None:
            raise EvaluationFault("shape_mismatch", f"{mismatch.sentence('The value')[:-1]} (as {wanted}).", origin)
        return shape.settled(found)

    return evaluate
