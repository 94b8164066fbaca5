"""What kind of mail it is, and what the usual answer says: rules that can be read and tested, no model.

A mail is data here. One that tells its reader what to do is classified like any other.
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["delivery", "refund", "advertising", "other"]

SIGNS: tuple[tuple[Kind, str], ...] = (
    ("advertising", r"\bunsubscribe\b|\d+ ?% off\b"),
    ("refund", r"\brefund|\bmoney back\b|\breturn(s|ed|ing)?\b"),
    ("delivery", r"\bdeliver|\bparcel\b|\btracking\b"),
)
"""The first that is found counts."""

ANSWERS: dict[Kind, str] = {
    "delivery": "Parcels arrive within five working days. If yours is later than that, please tell us the number of\n"
    "your order.",
    "refund": "We are sorry. Please send it back within thirty days; you have your money two days after it is here.",
}


@dataclass
class Draft:
    subject: str
    body: str


def classify(subject: str, text: str) -> Kind:
    """The kind of a mail, by words in its subject and text."""
    words = f"{subject}\n{text}".lower()
    return next((kind for kind, pattern in SIGNS if re.search(pattern, words)), "other")


def draft(kind: Kind, subject: str, name: str | None) -> Draft | None:
    """The usual answer to a mail of a kind; null where a person has to write one, or nobody should."""
    answer = ANSWERS.get(kind)
    if answer is None:
        return None
    return Draft(f"Re: {subject}", f"Hello {name or 'there'},\n\n{answer}\n")
