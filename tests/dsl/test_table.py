"""The grammar has no conflicts, in any of its forms, and the stored table is its table."""

from pathlib import Path

import pytest
from lark.exceptions import GrammarError

from dsl.lalr import GRAMMAR, make
from dsl.table import FILE, table
from dsl.tokens import BAD_KINDS, END, RESERVED, SIGNS, SOFT, SOFT_KINDS, TEXT_KINDS, VALUE_KINDS, WORDS
from tests.dsl.plain_lark import contextual_lark, lark_behind_our_lexer

GOOD = sorted((Path(__file__).parents[1] / "golden" / "parse").glob("good_*.chain"))


def test_the_stored_table_is_the_table_of_the_grammar():
    assert Path(FILE).read_text(encoding="utf-8") == make(), "run `python -m dsl.table`"


def test_the_grammar_declares_the_vocabulary():
    declared = {
        kind
        for line in GRAMMAR.read_text(encoding="utf-8").splitlines()
        if line.startswith("%declare")
        for kind in line.split()[1:]
    }
    assert declared == {*WORDS.values(), *SIGNS.values(), *VALUE_KINDS, *TEXT_KINDS, *BAD_KINDS}
    assert len(RESERVED) == 12
    assert len(SOFT) == len(SOFT_KINDS) == 65


def test_every_terminal_is_used():
    used = {symbol for row in table().rows for symbol in row}
    assert used >= {*WORDS.values(), *SIGNS.values(), *VALUE_KINDS, *TEXT_KINDS, *BAD_KINDS, END}


def test_soft_words_spelt_out_as_names_make_no_conflict():
    """So a word is never both: where the table has an action for it, a name could not stand there."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    both = "    | (APPROVE | ASK)                   -> word_path\n"
    assert "\nname: NAME\n" in grammar
    assert both in grammar
    grammar = grammar.replace(both, "")
    make(grammar.replace("\nname: NAME\n", f"\nname: NAME | {' | '.join(sorted(SOFT_KINDS))}\n"))


def test_only_after_a_step_are_words_and_names_both_possible():
    rows = [
        (table().entered[state], {kind for kind in row if kind in SOFT_KINDS})
        for state, row in enumerate(table().rows)
        if "NAME" in row
    ]
    assert {(entered, *sorted(words)) for entered, words in rows if words} == {
        ("EQUAL", "APPROVE", "ASK"),
        *((entered, "APPROVE", "ASK") for entered in ("CALL", "GIVEN", "RECONCILE", "UNDO", "VERIFY", "DO")),
    }


def test_a_conflict_would_be_found():
    with pytest.raises(GrammarError, match=r"(?i)reduce/reduce"):
        make("start: a | b\na: NAME\nb: NAME\n%declare NAME\n")


def test_the_contextual_form_is_strict_and_reads_the_same_programs():
    lark = contextual_lark()
    assert GOOD
    for path in GOOD:
        if '"""' not in path.read_text(encoding="utf-8"):
            lark.parse(path.read_text(encoding="utf-8"))


def test_lark_behind_our_lexer_reads_them_all():
    lark = lark_behind_our_lexer()
    for path in GOOD:
        lark.parse(path.read_text(encoding="utf-8"))
