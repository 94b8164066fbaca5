"""Calculating with numbers, times and durations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from ..plan import expression as plan
from ..plan.model import Origin
from ..values.numbers import NumberError, checked, is_number
from ..values.time import (
    DAY,
    TimeError,
    Timestamp,
    read_date,
    read_duration,
    read_timestamp,
    write_date,
    write_duration,
    write_timestamp,
)
from .evaluate_fault import Evaluate, EvaluationFault, not_a
from .scope import Scope

Operation = Callable[[Any, Any], Any]


def negate(node: plan.Negate, operand: Evaluate) -> Evaluate:
    read = _READERS[node.on]

    def evaluate(scope: Scope) -> Any:
        value = _read(read, operand(scope), None)
        return write_duration(-value) if node.on == "duration" else -value

    return evaluate


def arithmetic(node: plan.Arithmetic, left: Evaluate, right: Evaluate) -> Evaluate:
    origin, op = node.origin, node.op
    operation = _OPERATIONS.get((node.left_type, op, node.right_type))
    if operation is None:
        raise EvaluationFault("internal", f"There is no {node.left_type} {op} {node.right_type}.", origin)
    read_left, read_right = _READERS[node.left_type], _READERS[node.right_type]

    def evaluate(scope: Scope) -> Any:
        a, b = _read(read_left, left(scope), origin), _read(read_right, right(scope), origin)
        try:
            return operation(a, b)
        except ZeroDivisionError:
            raise EvaluationFault("precondition", "Nothing can be divided by 0.", origin) from None
        except OverflowError:
            raise EvaluationFault("precondition", "The result is too large for a number.", origin) from None
        except (NumberError, TimeError) as error:
            raise EvaluationFault("precondition", str(error), origin) from None

    return evaluate


def _read(reader: Callable[[Any], Any], value: object, origin: Origin | None) -> Any:
    try:
        return reader(value)
    except TimeError as error:
        raise EvaluationFault("shape_mismatch", str(error), origin) from None


def _number(value: object) -> Any:
    if is_number(value):
        return value
    raise not_a("a number to calculate with", value)


def _time(name: str, reader: Callable[[str], Any]) -> Callable[[Any], Any]:
    def read(value: object) -> Any:
        if isinstance(value, str):
            return reader(value)
        raise not_a(f"a {name} to calculate with", value)

    return read


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "number": _number,
    "timestamp": _time("timestamp", read_timestamp),
    "date": _time("date", read_date),
    "duration": _time("duration", read_duration),
}


def _shift_timestamp(sign: int) -> Operation:
    return lambda instant, nanos: write_timestamp(Timestamp(instant.nanos + sign * nanos, instant.offset))


def _shift_date(sign: int) -> Operation:
    def shift(day: int, nanos: int) -> str:
        days, rest = divmod(nanos, DAY)
        if rest:
            raise TimeError("Only whole days can be added to a date.")
        return write_date(day + sign * days)

    return shift


def _scaled(nanos: int, factor: int | float) -> str:
    return write_duration(round(nanos * Fraction(factor)))


def _shared(nanos: int, divisor: int | float) -> str:
    return write_duration(round(nanos / Fraction(divisor)))


_OPERATIONS: Final[dict[tuple[str, str, str], Operation]] = {
    ("number", "+", "number"): lambda a, b: checked(a + b),
    ("number", "-", "number"): lambda a, b: checked(a - b),
    ("number", "*", "number"): lambda a, b: checked(a * b),
    ("number", "/", "number"): lambda a, b: checked(a / b),
    ("number", "%", "number"): lambda a, b: checked(a % b),
    ("timestamp", "+", "duration"): _shift_timestamp(1),
    ("timestamp", "-", "duration"): _shift_timestamp(-1),
    ("duration", "+", "timestamp"): lambda nanos, instant: _shift_timestamp(1)(instant, nanos),
    ("timestamp", "-", "timestamp"): lambda a, b: write_duration(a.nanos - b.nanos),
    ("date", "+", "duration"): _shift_date(1),
    ("date", "-", "duration"): _shift_date(-1),
    ("duration", "+", "date"): lambda nanos, day: _shift_date(1)(day, nanos),
    ("date", "-", "date"): lambda a, b: write_duration((a - b) * DAY),
    ("duration", "+", "duration"): lambda a, b: write_duration(a + b),
    ("duration", "-", "duration"): lambda a, b: write_duration(a - b),
    ("duration", "*", "number"): _scaled,
    ("number", "*", "duration"): lambda factor, nanos: _scaled(nanos, factor),
    ("duration", "/", "number"): _shared,
    ("duration", "/", "duration"): lambda a, b: checked(a / b),
}
"""(left, operator, right) → the operation on values as `_READERS` read them."""
