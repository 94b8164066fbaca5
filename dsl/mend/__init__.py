"""Mistakes that people bring along from other languages, or make often: recognised, reported with what to write,
and read as they were meant.

Each mend looks at one place and either knows it or says None. They are asked in the order of `MENDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dsl.mend.clauses import clause_with_colon, import_without_kind, text_without_quotes, time_without_unit
from dsl.mend.mended import Mended
from dsl.mend.names import equal_for_colon, name_of, reserved_name, reserved_word, shorthand_field
from dsl.mend.operators import (
    chained_comparison,
    foreign_arrow,
    foreign_choice,
    foreign_comparison,
    foreign_not,
    foreign_union,
    split_greater_equal,
)
from dsl.mend.steps import loop_words, reaction_word, step_without_call
from dsl.situation import Situation

MENDS: Final[tuple[Callable[[Situation], Mended | None], ...]] = (
    split_greater_equal,
    reserved_name,
    chained_comparison,
    foreign_choice,
    foreign_arrow,
    foreign_union,
    foreign_not,
    foreign_comparison,
    clause_with_colon,
    equal_for_colon,
    shorthand_field,
    time_without_unit,
    text_without_quotes,
    import_without_kind,
    loop_words,
    reaction_word,
    step_without_call,
)

__all__ = ["MENDS", "Mended", "name_of", "reserved_word"]
