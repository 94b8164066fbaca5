"""What well-known secrets look like, and how much a pattern for secrets may ask of the machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from .effort import effort

SECRET_FORMS: Final[Mapping[str, str]] = {
    "aws_key": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "github_token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,82})",
    "gitlab_token": r"\bglpat-[A-Za-z0-9_-]{20,64}",
    "google_key": r"\bAIza[A-Za-z0-9_-]{35}",
    "slack_token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,200}",
    "stripe_key": r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}",
    "openai_key": r"\bsk-[A-Za-z0-9_-]{20,200}",
    "jwt": r"\beyJ[A-Za-z0-9_-]{10}[A-Za-z0-9_.-]{10,4000}",
    "bearer": r"\b[Bb]earer [A-Za-z0-9._~+/=-]{8,4000}",
    "private_key": r"\bPRIVATE KEY-----[A-Za-z0-9+/=\s:,-]{0,8000}",
    "url_password": r"://[^\s/:@]{0,60}:[^\s/@]{1,200}@",
}
"""Patterns of Python's `re` by name. Each begins with what is found nowhere else, and its repeats are bounded."""

MASK_LENGTH: Final = 16_384
MASK_EFFORT: Final = 3e8
"""Most effort (see `effort`) that a pattern may have in a text of `MASK_LENGTH` characters: one repeat without bound
at any place is possible, two are not."""


def unusable_mask(pattern: str) -> tuple[str, str] | None:
    """Why a pattern cannot be used to find secrets (it goes on after the pattern's name), and what to write."""
    try:
        fits_nothing = re.compile(pattern).match("") is not None
    except (re.error, RecursionError, OverflowError) as error:
        return f"is no pattern: {error}", ""
    if fits_nothing:
        return "fits a text without anything in it", "Write a pattern that wants at least one character."
    if effort(pattern, MASK_LENGTH) > MASK_EFFORT:
        return "may take too long", "Bound its repeats, like {1,200}, and repeat no group."
    return None
