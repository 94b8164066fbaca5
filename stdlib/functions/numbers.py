"""Functions on numbers. Rounding is decimal, as the number is printed, and halves go away from zero."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ..values.numbers import MOST_DIGITS, number_text
from .entry import Family, FunctionFault

if TYPE_CHECKING:
    from decimal import Decimal

NUMBERS = Family("Numbers")
_MOST_DECIMALS: Final = 30


@NUMBERS.function(
    "abs(N) -> N",
    "The number without its sign.",
    ("abs(-3)", 3),
    ("abs(2.5)", 2.5),
)
def abs_(number: int | float) -> int | float:
    return abs(number)


@NUMBERS.function(
    "round(number) -> integer",
    "The nearest integer; halves go away from zero.",
    ("round(2.5)", 3),
    ("round(-2.5)", -3),
    ("round(2.4)", 2),
)
def round_(number: int | float) -> int:
    return int(_rounded(number, 0))


@NUMBERS.function(
    "round_to(number, integer) -> number",
    "The number rounded to so many decimals, at most 30; halves go away from zero.",
    ("round_to(2.675, 2)", 2.68),
    ("round_to(1234, -2)", 1200),
    ("round_to(7, 2)", 7),
)
def round_to(number: int | float, decimals: int) -> int | float:
    rounded = _rounded(number, decimals)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


@NUMBERS.function(
    "floor(number) -> integer",
    "The largest integer that is not above the number.",
    ("floor(2.7)", 2),
    ("floor(-2.1)", -3),
)
def floor(number: int | float) -> int:
    return math.floor(number)


@NUMBERS.function(
    "ceil(number) -> integer",
    "The smallest integer that is not below the number.",
    ("ceil(2.1)", 3),
    ("ceil(-2.7)", -2),
)
def ceil(number: int | float) -> int:
    return math.ceil(number)


@NUMBERS.function(
    "clamp(N, min: N, max: N) -> N",
    "The number, or the nearer bound where it lies outside; `max` counts where the bounds cross.",
    ("clamp(1.2, min: 0, max: 1)", 1),
    ("clamp(-5, min: 0, max: 1)", 0),
    ("clamp(0.5, min: 0, max: 1)", 0.5),
)
def clamp(number: int | float, low: int | float, high: int | float) -> int | float:
    return min(max(number, low), high)


@NUMBERS.function(
    "div(integer, integer) -> integer",
    "How often the second number goes into the first, rounded down; fails for 0.",
    ("div(7, 2)", 3),
    ("div(-7, 2)", -4),
)
def div(number: int, by: int) -> int:
    if by == 0:
        raise FunctionFault("Nothing can be divided by 0.")
    return number // by


@NUMBERS.function(
    "percent(number, decimals: integer = 0) -> string",
    "The share as a percentage.",
    ("percent(0.1234)", "12%"),
    ("percent(0.1234, decimals: 1)", "12.3%"),
    ("percent(2)", "200%"),
)
def percent(number: int | float, decimals: int) -> str:
    return f"{_fixed(number, decimals, 2)}%"


@NUMBERS.function(
    'fixed(number, decimals: integer = 0, group: string = "") -> string',
    "The number as a text with exactly so many decimals and, if wanted, a sign between groups of three digits.",
    ("fixed(3.14159, decimals: 2)", "3.14"),
    ("fixed(2, decimals: 2)", "2.00"),
    ('fixed(1234567.5, decimals: 1, group: ",")', "1,234,567.5"),
)
def fixed(number: int | float, decimals: int, group: str) -> str:
    text = _fixed(number, decimals, 0)
    if not group:
        return text
    whole, point, fraction = text.lstrip("-").partition(".")
    start = len(whole) % 3
    groups = [whole[at : at + 3] for at in range(start, len(whole), 3)]
    return ("-" if text.startswith("-") else "") + group.join([whole[:start], *groups][not start :]) + point + fraction


def _rounded(number: int | float, decimals: int, shift: int = 0) -> Decimal:
    """The number times ten to the power of `shift`, rounded."""
    from decimal import ROUND_HALF_UP, Context, Decimal

    if abs(decimals) > _MOST_DECIMALS:
        raise FunctionFault(f"There are at most {_MOST_DECIMALS} decimals.")
    # Enough digits for the longest integer and the longest decimals, so that nothing is rounded twice.
    context = Context(prec=MOST_DIGITS + 2 * _MOST_DECIMALS)
    shifted = Decimal(number_text(number)).scaleb(shift, context)
    return shifted.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP, context=context)


def _fixed(number: int | float, decimals: int, shift: int) -> str:
    if decimals < 0:
        raise FunctionFault("The number of decimals must not be negative.")
    rounded = _rounded(number, decimals, shift)
    return f"{abs(rounded) if rounded == 0 else rounded:f}"
