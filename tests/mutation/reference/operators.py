"""Operators. What they need of their operands is checked by the values alone."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from dsl import tree
from stdlib.values.equal import compare, equal
from stdlib.values.formats import valid_format
from stdlib.values.numbers import NumberError, checked
from stdlib.values.time import (
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
from tests.mutation.reference.faults import DesignFault, ShapeFault
from tests.mutation.reference.scope import Frame
from tests.mutation.reference.values import Opaque, Text, is_number, kind, plain, text_format

TIMES: Final = ("timestamp", "date", "duration")


def unary(node: tree.Unary, frame: Frame) -> Any:
    from tests.mutation.reference.expressions import evaluate, truth

    value = evaluate(node.operand, frame)
    if node.op == "not":
        return not truth(node.operand, value)
    if text_format(value) == "duration":
        return Text(write_duration(-read_duration(value)), form="duration")
    if not is_number(value):
        raise ShapeFault(node.operand, f"`-` in front of {kind(value)}")
    return -value


def binary(node: tree.Binary, frame: Frame) -> Any:
    from tests.mutation.reference.expressions import evaluate, truth

    op = node.op
    left = evaluate(node.left, frame)
    if op == "and":
        return truth(node.left, left) and truth(node.right, evaluate(node.right, frame))
    if op == "or":
        return truth(node.left, left) or truth(node.right, evaluate(node.right, frame))
    if op == "??":
        if left is not None:
            return left
        frame.run.observed.needed(node)
        return evaluate(node.right, frame)
    right = evaluate(node.right, frame)
    if op in ("==", "!="):
        return _equality(node, left, right, frame) is (op == "==")
    if op in ("in", "not in"):
        return _contains(node, left, right, frame) is (op == "in")
    if op in ORDERS:
        return ORDERS[op](_order(node, left, right))
    return _calculated(node, left, right)


def _equality(node: tree.Binary, left: Any, right: Any, frame: Frame) -> bool:
    frame.run.observed.compare(node, left, right)
    shared = _shared_time(left, right)
    try:
        return equal(plain(left), plain(right), shared or "json")
    except TimeError:
        return False


def _shared_time(left: Any, right: Any) -> str | None:
    """The kind of time that both are; a literal text beside a time is one where it is written so."""
    a, b = text_format(left), text_format(right)
    if a in TIMES and (a == b or _written(right, a)):
        return a
    return b if b in TIMES and _written(left, b) else None


def _written(value: Any, name: str) -> bool:
    return isinstance(value, Text) and value.literal and valid_format(name, value)


def _contains(node: tree.Binary, item: Any, holder: Any, frame: Frame) -> bool:
    if isinstance(holder, list):
        for each in holder:
            frame.run.observed.compare(node, item, each)
        return any(equal(plain(item), plain(each), _shared_time(item, each) or "json") for each in holder)
    if not isinstance(holder, str | dict):
        raise ShapeFault(node.right, f"`{node.op}` looks into {kind(holder)}")
    if not isinstance(item, str):
        raise ShapeFault(node.left, f"`{node.op}` looks for {kind(item)}")
    return item in holder


ORDERS: Final[dict[str, Callable[[int], bool]]] = {
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
}


def _order(node: tree.Binary, left: Any, right: Any) -> int:
    for operand, value in ((node.left, left), (node.right, right)):
        if not (is_number(value) or isinstance(value, str)):
            raise ShapeFault(operand, f"`{node.op}` compares {kind(value)}")
    if is_number(left) is not is_number(right):
        raise ShapeFault(node, f"`{node.op}` compares {kind(left)} with {kind(right)}")
    shared = _shared_time(left, right)
    a, b = text_format(left), text_format(right)
    if shared is None and (a in TIMES or b in TIMES):
        one, two = (name if name in TIMES else "text" for name in (a, b))
        raise ShapeFault(node, f"`{node.op}` compares {one} with {two}")
    return compare(left, right, shared or "json")


def _calculated(node: tree.Binary, left: Any, right: Any) -> Any:
    a, b = _quantity(node.left, node, left, right), _quantity(node.right, node, right, left)
    operation = _OPERATIONS.get((a, node.op, b))
    if operation is None:
        raise ShapeFault(node, f"there is no {a} {node.op} {b}")
    try:
        result, made = operation(_READERS[a](left), _READERS[b](right))
        return checked(result) if made is None else Text(result, form=made)
    except (ZeroDivisionError, OverflowError, NumberError, TimeError) as error:
        raise DesignFault(node, str(error)) from None


def _quantity(at: tree.Expr, node: tree.Binary, value: Any, other: Any) -> str:
    if is_number(value):
        return "number"
    name = text_format(value)
    if name in TIMES:
        return name
    if isinstance(value, Text) and value.literal:
        # A literal text that is written like a time may be one.
        beside = text_format(other)
        for wanted in (beside, "timestamp", "date") if beside in TIMES else ():
            if wanted is not None and _written(value, wanted):
                return wanted
    what = "json" if isinstance(value, Opaque) else name or kind(value)
    raise ShapeFault(at, f"`{node.op}` calculates with {what}")


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "number": lambda value: value,
    "timestamp": read_timestamp,
    "date": read_date,
    "duration": read_duration,
}


def _moved(instant: Timestamp, nanos: int) -> tuple[str, str]:
    return write_timestamp(Timestamp(instant.nanos + nanos, instant.offset)), "timestamp"


def _other_day(day: int, nanos: int) -> tuple[str, str]:
    if nanos % DAY:
        raise TimeError("only whole days")
    return write_date(day + nanos // DAY), "date"


def _span(nanos: int | Fraction) -> tuple[str, str]:
    return write_duration(round(nanos)), "duration"


_OPERATIONS: Final[dict[tuple[str, str, str], Callable[[Any, Any], tuple[Any, str | None]]]] = {
    ("number", "+", "number"): lambda a, b: (a + b, None),
    ("number", "-", "number"): lambda a, b: (a - b, None),
    ("number", "*", "number"): lambda a, b: (a * b, None),
    ("number", "/", "number"): lambda a, b: (a / b, None),
    ("number", "%", "number"): lambda a, b: (a % b, None),
    ("timestamp", "+", "duration"): _moved,
    ("duration", "+", "timestamp"): lambda a, b: _moved(b, a),
    ("timestamp", "-", "duration"): lambda a, b: _moved(a, -b),
    ("timestamp", "-", "timestamp"): lambda a, b: _span(a.nanos - b.nanos),
    ("date", "+", "duration"): _other_day,
    ("duration", "+", "date"): lambda a, b: _other_day(b, a),
    ("date", "-", "duration"): lambda a, b: _other_day(a, -b),
    ("date", "-", "date"): lambda a, b: _span((a - b) * DAY),
    ("duration", "+", "duration"): lambda a, b: _span(a + b),
    ("duration", "-", "duration"): lambda a, b: _span(a - b),
    ("duration", "*", "number"): lambda a, b: _span(a * Fraction(b)),
    ("number", "*", "duration"): lambda a, b: _span(Fraction(a) * b),
    ("duration", "/", "number"): lambda a, b: _span(a / Fraction(b)),
}
