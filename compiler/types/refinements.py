"""Refinements such as `string(min_length: 1)`: their settings, and constants held against them."""

from __future__ import annotations

import re

from compiler.types.report import Report, listing, mended
from dsl import tree
from stdlib.values.pattern import BadPattern, compiled
from stdlib.values.types import Constraints

KEYWORDS = {
    "string": {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"},
    "integer": {
        "min": "minimum",
        "max": "maximum",
        "above": "exclusiveMinimum",
        "below": "exclusiveMaximum",
        "multiple_of": "multipleOf",
    },
    "list": {"min_items": "minItems", "max_items": "maxItems"},
}
KEYWORDS["number"] = KEYWORDS["integer"]
"""Type → setting → JSON Schema keyword."""

# Repeated groups may take for ever on the wrong text, and patterns come from outside: those are left to the run.
_REPEATS = re.compile(r"\)[*+{]")


def constraints(report: Report, name: str, settings: tuple[tree.Setting, ...]) -> Constraints:
    """The settings behind a type as JSON Schema keywords; wrong ones are reported and left out."""
    known = KEYWORDS.get(name, {})
    found: dict[str, object] = {}
    for setting in settings:
        word = setting.name.text
        if word not in known:
            report(
                "E0506",
                setting.name,
                f"`{name}` has no setting `{word}`.",
                helps=mended(word, known, "It has") or listing("Types with settings", KEYWORDS),
            )
            continue
        if isinstance(setting.value, tree.Text) and setting.value.plain is None:
            continue  # what is put into a fixed text is reported already
        value = _constant(setting.value)
        wanted = _wanted(word)
        fits = isinstance(value, str) if word == "pattern" else _is_number(value, whole=wanted == "an integer")
        if not fits:
            report("E0506", setting.value, f"The setting `{word}` of `{name}` is {wanted}.")
        elif word == "pattern" and not _is_pattern(str(value)):
            report("E0506", setting.value, "This pattern is no regular expression that I can read.")
        else:
            found[known[word]] = value
            said = _empty(found)
            if said:
                report("E0506", setting.value, f"No {_NOUNS.get(name, name)} {said}.")
    return tuple(sorted(found.items()))


_NOUNS = {"string": "text"}


def _empty(limits: dict[str, object]) -> str | None:
    """Why nothing can keep to the limits, as the end of a sentence."""

    def number(keyword: str) -> int | float | None:
        value = limits.get(keyword)
        return value if isinstance(value, int | float) else None

    step = number("multipleOf")
    if step is not None and step <= 0:
        return f"is a multiple of {step}: write a number above 0"
    for noun, low, high in (
        ("is", "minimum", "maximum"),
        ("has", "minLength", "maxLength"),
        ("has", "minItems", "maxItems"),
    ):
        least, most = number(low), number(high)
        if least is not None and most is not None and least > most:
            return f"{noun} at least {least} and at most {most}"
    above, below = number("exclusiveMinimum"), number("exclusiveMaximum")
    least, most = number("minimum"), number("maximum")
    low_end = above if above is not None else least
    high_end = below if below is not None else most
    if low_end is not None and high_end is not None and (above, below) != (None, None) and low_end >= high_end:
        return f"lies between {low_end} and {high_end}"
    return None


def _constant(node: tree.Expr) -> object:
    match node:
        case tree.Integer(value=value) | tree.Number(value=value):
            return value
        case tree.Unary(op="-", operand=tree.Integer(value=value) | tree.Number(value=value)):
            return -value
        case tree.Text():
            return node.plain
        case _:
            return None


def _wanted(setting: str) -> str:
    if setting == "pattern":
        return "a regular expression in quotes"
    return "an integer" if "_" in setting and setting != "multiple_of" else "a number"


def _is_number(value: object, *, whole: bool) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) and value >= 0 if whole else isinstance(value, int | float)


def _is_pattern(text: str) -> bool:
    try:
        compiled(text)
    except BadPattern:
        return False
    return True


def breach(value: object, constraints: Constraints) -> str | None:
    """How a constant breaks a refinement, as the end of a sentence (`0 is below 1`); None where it does not.

    `value` is a text, a number, or for lists the number of items as `Items`.
    """
    for keyword, bound in constraints:
        said = _breach(value, keyword, bound)
        if said:
            return said
    return None


class Items(int):
    """The length of a list."""


def _breach(value: object, keyword: str, bound: object) -> str | None:
    if isinstance(value, str):
        return _text_breach(value, keyword, bound)
    if isinstance(value, bool) or not isinstance(bound, int | float) or not isinstance(value, int | float):
        return None
    if isinstance(value, Items):
        if keyword == "minItems" and value < bound:
            return f"it has {_count(value, 'item')} and needs at least {bound}"
        if keyword == "maxItems" and value > bound:
            return f"it has {_count(value, 'item')} and may have at most {bound}"
        return None
    if keyword == "minimum" and value < bound:
        return f"{value} is less than {bound}"
    if keyword == "maximum" and value > bound:
        return f"{value} is more than {bound}"
    if keyword == "exclusiveMinimum" and value <= bound:
        return f"{value} is not more than {bound}"
    if keyword == "exclusiveMaximum" and value >= bound:
        return f"{value} is not less than {bound}"
    if keyword == "multipleOf" and isinstance(value, int) and isinstance(bound, int) and bound > 0 and value % bound:
        return f"{value} is no multiple of {bound}"
    return None


def _text_breach(value: str, keyword: str, bound: object) -> str | None:
    if keyword == "minLength" and isinstance(bound, int) and len(value) < bound:
        return f"it has {_count(len(value), 'character')} and needs at least {bound}"
    if keyword == "maxLength" and isinstance(bound, int) and len(value) > bound:
        return f"it has {_count(len(value), 'character')} and may have at most {bound}"
    if keyword == "pattern" and isinstance(bound, str) and not _REPEATS.search(bound) and len(value) < 1000:
        try:
            found = compiled(bound).search(value)
        except BadPattern:
            return None  # the server's dialect; it is checked where the schema is enforced
        return None if found else f"it does not match the pattern {bound}"
    return None


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
