"""Numbers: exact integers, finite doubles, and their one text.

An integer has at most `MOST_DIGITS` digits; beyond that (and for NaN and infinities) there is no number.
"""

from __future__ import annotations

import math
from typing import Final

MOST_DIGITS: Final = 4000
_MOST_BITS: Final = 13287  # every integer of at most so many bits has at most MOST_DIGITS digits


class NumberError(ValueError):
    """The result is no number of the language. The message is a sentence."""


def is_number(value: object) -> bool:
    """An int or a float, not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def checked(value: int | float) -> int | float:
    """The number itself; raises NumberError for NaN, infinities and integers that are too large."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NumberError("The result is too large for a number.")
    elif value.bit_length() > _MOST_BITS:
        raise NumberError(f"The result has more than {MOST_DIGITS} digits.")
    return value


def number_text(value: int | float) -> str:
    """As ECMAScript prints it (RFC 8785 section 3.2.2.3): the shortest digits that read back as the same double.

    1.0 prints `1`, -0.0 prints `0`, 1e21 prints `1e+21`. Integers print all their digits. Raises NumberError.
    """
    if isinstance(value, int):
        return str(checked(value))
    checked(value)
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
