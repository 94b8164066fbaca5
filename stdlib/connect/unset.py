"""Variables that a source names for its program and that are not set: it may do without them, or not start."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping


def unset(names: Iterable[str], environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Those of the variables that are not set, each once."""
    return tuple(dict.fromkeys(each for each in names if each not in environ))


def unset_words(names: tuple[str, ...], source: str = "") -> str:
    """A clause that tells of variables, at least one: "the variable `A` is not set". `source`: whose they are."""
    shown = [f"`{each}`" for each in names]
    whose = f", which `env` of `{source}` names," if source else ""
    if len(shown) == 1:
        return f"the variable {shown[0]}{whose} is not set"
    return f"the variables {', '.join(shown[:-1])} and {shown[-1]}{whose} are not set"


def unset_clue(names: Iterable[str]) -> str:
    """A sentence about why a program may have ended, or nothing. `names`: of the variables that it is to get."""
    found = unset(names)
    if not found:
        return ""
    words = unset_words(found)
    return f" {words[0].upper()}{words[1:]}."
