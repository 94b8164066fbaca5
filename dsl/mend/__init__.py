"""Mistakes that people bring along from other languages, or make often: recognised, reported with what to write,
and read as they were meant.

Each mend looks at one place and either knows it or says None. They are asked in the order of `MENDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dsl.mend.clauses import (
    clause_with_colon,
    comma_between_clauses,
    import_without_kind,
    import_without_quotes,
    text_without_quotes,
    time_without_unit,
)
from dsl.mend.forms import (
    adapter_without_call,
    answer_with_equal,
    call_in_braces,
    check_without_condition,
    colon_before_block,
    comma_for_else,
    event_in_one_word,
    function_for_chain,
    if_around_steps,
    loop_around_steps,
    named_adapter_call,
    not_in_an_adapter,
    output_without_equal,
)
from dsl.mend.loops import (
    each_in_comprehension,
    foreign_condition,
    foreign_function,
    key_without_brackets,
    number_behind_dot,
    pipe,
    second_loop,
    slice_in_brackets,
    two_names,
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
from dsl.mend.questions import (
    form_behind_brackets,
    formatted_text,
    labelled_text,
    name_for_question,
    question_in_loop,
    question_without_form,
)
from dsl.mend.steps import (
    awaited_value,
    foreign_loop,
    loop_words,
    member_of_the_chain,
    reaction_word,
    step_without_call,
    step_without_name,
    word_before_call,
)
from dsl.mend.tools import (
    line_for_run,
    output_word,
    pattern_without_quotes,
    run_by_another_word,
    said_elsewhere,
    words_before_mode,
)
from dsl.mend.types import bound_behind_type, bracket_list, comma_between_types, default_word, null_type, optional_input
from dsl.situation import Situation

MENDS: Final[tuple[Callable[[Situation], Mended | None], ...]] = (
    split_greater_equal,
    output_word,
    words_before_mode,
    pattern_without_quotes,
    run_by_another_word,
    line_for_run,
    said_elsewhere,
    named_adapter_call,
    not_in_an_adapter,
    adapter_without_call,
    call_in_braces,
    check_without_condition,
    comma_for_else,
    loop_around_steps,
    if_around_steps,
    colon_before_block,
    function_for_chain,
    event_in_one_word,
    answer_with_equal,
    output_without_equal,
    labelled_text,
    name_for_question,
    question_in_loop,
    question_without_form,
    formatted_text,
    form_behind_brackets,
    each_in_comprehension,
    two_names,
    slice_in_brackets,
    number_behind_dot,
    foreign_condition,
    loop_before_value,
    second_loop,
    key_without_brackets,
    pipe,
    foreign_function,
    bound_behind_type,
    comma_between_types,
    null_type,
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
    comma_between_clauses,
    equal_for_colon,
    shorthand_field,
    time_without_unit,
    text_without_quotes,
    import_without_kind,
    import_without_quotes,
    member_of_the_chain,
    foreign_loop,
    loop_words,
    reaction_word,
    step_without_name,
    word_before_call,
    awaited_value,
    step_without_call,
)

__all__ = ["MENDS", "Mended", "name_of", "reserved_word"]
