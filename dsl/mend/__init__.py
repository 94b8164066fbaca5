"""Mistakes that people bring along from other languages, or make often: recognised, reported with what to write,
and read as they were meant.

Each mend looks at one place and either knows it or says None. They are asked in the order of `MENDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dsl.mend.clauses import (
    clause_with_colon,
    import_without_kind,
    import_without_quotes,
    text_without_quotes,
    time_without_unit,
)
from dsl.mend.mended import Mended
from dsl.mend.names import equal_for_colon, name_of, name_with_dashes, reserved_name, reserved_word, shorthand_field
from dsl.mend.operators import (
    chained_comparison,
    foreign_arrow,
    foreign_choice,
    foreign_comparison,
    foreign_join,
    foreign_not,
    foreign_union,
    loop_before_value,
    map_without_brackets,
    split_greater_equal,
)
from dsl.mend.steps import (
    loop_words,
    member_of_the_chain,
    reaction_word,
    step_without_call,
    step_without_name,
    word_before_call,
)
from dsl.mend.types import bracket_list, default_word, null_type, optional_input
from dsl.situation import Situation

MENDS: Final[tuple[Callable[[Situation], Mended | None], ...]] = (
    split_greater_equal,
    null_type,
    loop_before_value,
    map_without_brackets,
    name_with_dashes,
    reserved_name,
    chained_comparison,
    foreign_choice,
    foreign_arrow,
    foreign_union,
    foreign_not,
    foreign_comparison,
    foreign_join,
    bracket_list,
    optional_input,
    default_word,
    clause_with_colon,
    equal_for_colon,
    shorthand_field,
    time_without_unit,
    text_without_quotes,
    import_without_kind,
    import_without_quotes,
    member_of_the_chain,
    loop_words,
    reaction_word,
    step_without_name,
    word_before_call,
    step_without_call,
)

__all__ = ["MENDS", "Mended", "name_of", "reserved_word"]
