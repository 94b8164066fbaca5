"""Amounts of money that are asked for as `number`: they round."""

from __future__ import annotations

import re

from compiler.types.report import Report
from dsl import tree
from stdlib.values.types import ListType, Record, Scalar, Type, Union

_MONEY = re.compile(
    "(amount|balance|bill|charge|cost|credit|debit|deposit|discount|fare|fee|income|money|paid|payment|payout|price|refund"
    "|rent|revenue|salary|subtotal|surcharge|tax|tip|total|wage)s?|salaries|taxes"
)
_BESIDE = re.compile(
    "above|after|allowed|before|below|due|each|from|gross|limit|max|maximum|min|minimum|net|over|to|under|until"
    "|in|aud|brl|cad|chf|cny|czk|dkk|dollars?|eur|euros?|gbp|inr|jpy|mxn|nok|pln|pounds?|sek|usd|yen"
)
"""What stands behind such a word without making it another thing: bounds and currencies."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def money_as_number(report: Report, chain: tree.Chain, parameters: Record) -> None:
    """Report inputs whose name says money and whose type is `number` (W0418); names that say a unit are left alone."""
    for member in chain.members:
        if not isinstance(member, tree.Input) or not named_like_money(name := member.name.text):
            continue
        field = parameters.field(name)
        if field is not None and _is_number(field.type):
            written = report.text(member.type)
            better = written.replace("number", "integer") if "number" in written else "integer"
            report(
                "W0418",
                member.name,
                f"`{name}` looks like money, and `number` rounds: 0.1 + 0.2 is not 0.3.",
                helps=(
                    f"Write `{name}: {better}`, in minor units: 1250 for 12.50.",
                    f"If it is no money, say what it is in the name: `{name}_hours`, `{name}_percent`.",
                ),
            )


def named_like_money(name: str) -> bool:
    """Whether what a name is about is money: `unitPrice`, `total_max_eur`, but not `fee_percent`, `total_hours`."""
    words = [word.lower() for word in _WORD.findall(name)]
    while words and _BESIDE.fullmatch(words[-1]):
        words.pop()
    return bool(words) and _MONEY.fullmatch(words[-1]) is not None


def _is_number(t: Type) -> bool:
    match t:
        case Scalar(name="number"):
            return True
        case Union(members=members):
            return any(_is_number(member) for member in members)
        case ListType(item=item):
            return _is_number(item)
        case _:
            return False
