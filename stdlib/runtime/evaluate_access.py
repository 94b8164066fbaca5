"""Reading values: constants, names, fields, items, outcomes of steps."""

from __future__ import annotations

from typing import Any

from ..plan import expression as plan
from .evaluate_fault import Evaluate, EvaluationFault, not_a
from .scope import Scope


def const(node: plan.Const) -> Evaluate:
    value = node.value
    return lambda scope: value


def ref(node: plan.Ref) -> Evaluate:
    name = node.name

    def evaluate(scope: Scope) -> Any:
        try:
            return scope.value(name)
        except KeyError:
            raise EvaluationFault("internal", f"`{name}` has no value yet.") from None

    return evaluate


def outcome(node: plan.Outcome) -> Evaluate:
    step, wanted = node.step, node.is_

    def evaluate(scope: Scope) -> bool:
        try:
            return scope.outcome(step) == wanted
        except KeyError:
            raise EvaluationFault("internal", f"`{step}` has not ended yet.") from None

    return evaluate


def member(node: plan.Member, base: Evaluate) -> Evaluate:
    name, optional = node.name, node.optional

    def evaluate(scope: Scope) -> Any:
        value = base(scope)
        if isinstance(value, dict):
            return value.get(name)
        if value is None:
            if optional:
                return None
            raise EvaluationFault("internal", f"The field `{name}` is read of null.")
        raise not_a(f"a record with the field `{name}`", value)

    return evaluate


def index(node: plan.Index, base: Evaluate, at: Evaluate) -> Evaluate:
    optional = node.optional

    def evaluate(scope: Scope) -> Any:
        value = base(scope)
        if value is None:
            if optional:
                return None
            raise EvaluationFault("internal", "An item is read of null.")
        position = at(scope)
        if position is None:
            return None
        if isinstance(value, dict):
            if isinstance(position, str):
                return value.get(position)
            raise not_a("a text as key", position)
        if not isinstance(value, list):
            raise not_a("a list or a map", value)
        if isinstance(position, float) and position.is_integer():
            position = int(position)
        if isinstance(position, bool) or not isinstance(position, int):
            raise not_a("an integer as position", position)
        return value[position] if -len(value) <= position < len(value) else None

    return evaluate


def present(node: plan.Present, base: Evaluate) -> Evaluate:
    text, origin = node.text, node.origin

    def evaluate(scope: Scope) -> Any:
        value = base(scope)
        if value is None:
            raise EvaluationFault("shape_mismatch", f"`{text}` is null.", origin)
        return value

    return evaluate
