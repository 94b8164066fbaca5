"""Operators that compare and decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..plan import expression as plan
from ..values.equal import compare as compared
from ..values.equal import equal, identity
from ..values.numbers import is_number
from ..values.time import TimeError
from .evaluate_fault import Evaluate, EvaluationFault, Work, not_a
from .scope import Scope

_ORDERS: Final[dict[str, Callable[[int], bool]]] = {
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
}


def truth(value: object) -> bool:
    """The value itself, which must be true or false."""
    if isinstance(value, bool):
        return value
    raise not_a("a truth value", value)


def negation(operand: Evaluate) -> Evaluate:
    return lambda scope: not truth(operand(scope))


def logic(node: plan.Logic, left: Evaluate, right: Evaluate) -> Evaluate:
    if node.op == "and":
        return lambda scope: truth(left(scope)) and truth(right(scope))
    if node.op == "or":
        return lambda scope: truth(left(scope)) or truth(right(scope))

    def otherwise(scope: Scope) -> Any:
        value = left(scope)
        return right(scope) if value is None else value

    return otherwise


def choice(condition: Evaluate, then: Evaluate, otherwise: Evaluate) -> Evaluate:
    return lambda scope: then(scope) if truth(condition(scope)) else otherwise(scope)


def compare(node: plan.Compare, left: Evaluate, right: Evaluate) -> Evaluate:
    op, on = node.op, node.on
    if op in ("==", "!="):
        same = op == "=="

        def equality(scope: Scope) -> bool:
            try:
                return equal(left(scope), right(scope), on) is same
            except TimeError as error:
                raise EvaluationFault("shape_mismatch", str(error)) from None

        return equality
    holds = _ORDERS[op]

    def order(scope: Scope) -> bool:
        a, b = _orderable(left(scope), on), _orderable(right(scope), on)
        try:
            return holds(compared(a, b, on))
        except TimeError as error:
            raise EvaluationFault("shape_mismatch", str(error)) from None

    return order


def _orderable(value: object, on: str) -> object:
    if on == "number":
        fits = is_number(value)
    elif on == "boolean":
        fits = isinstance(value, bool)
    else:
        fits = isinstance(value, str)
    if not fits:
        wanted = {"number": "a number", "boolean": "a truth value", "text": "a text"}.get(on, f"a {on}")
        raise not_a(f"{wanted} to compare", value)
    return value


def contains(node: plan.Contains, item: Evaluate, container: Evaluate, work: Work) -> Evaluate:
    on, negated = node.on, node.negated

    def evaluate(scope: Scope) -> bool:
        wanted, holder = item(scope), container(scope)
        if isinstance(holder, list):
            work.spend(len(holder))
            try:
                key = identity(wanted, on)
                found = any(identity(each, on) == key for each in holder)
            except TimeError as error:
                raise EvaluationFault("shape_mismatch", str(error)) from None
        elif not isinstance(holder, str | dict):
            raise not_a("a list, a map or a text to look in", holder)
        elif not isinstance(wanted, str):
            raise not_a("a text to look for", wanted)
        else:
            found = wanted in holder
        return found is not negated

    return evaluate
