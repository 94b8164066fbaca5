"""A fix that is offered leaves fewer mistakes, and every word outside of its place as it was."""

import random
from pathlib import Path

import pytest

from dsl.certain import MOST_TRIES
from dsl.diagnostics import Fix
from dsl.lexer import lex
from dsl.source import Source
from dsl.tokens import SIGNS, WORDS, words
from tests.dsl.reading import read

PROGRAMS = [
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parents[1] / "golden" / "parse").glob("good_*.chain"))
]
PIECES = [*SIGNS, *WORDS, *words("x 1 20s 5MB && || === ; of is default await lambda Optional | ! 'q'"), '"t"', "", ""]


def mutant(seed: int) -> str:
    """A program with one word left out, put in or replaced."""
    chance = random.Random(seed)
    text = chance.choice(PROGRAMS)
    start = chance.randrange(len(text))
    tokens = lex(Source("t", text[start : start + 400])).tokens
    token = chance.choice(tokens)
    piece = chance.choice(PIECES)
    end = start + (token.end if chance.random() < 0.7 else token.start)
    return f"{text[: start + token.start]} {piece} {text[end:]}"


def after(text: str, fix: Fix) -> tuple[str, list[tuple[str, int]]]:
    """The text with one fix, and where the words outside of its place now should be."""
    edits = sorted(fix.edits, key=lambda edit: edit.span.start)
    outside = []
    for token in lex(Source("t", text)).tokens:
        moved = sum(
            len(edit.text) - (edit.span.end - edit.span.start) for edit in edits if edit.span.end <= token.start
        )
        if all(edit.span.end <= token.start or token.end <= edit.span.start for edit in edits):
            outside.append((token.text, token.start + moved))
    for edit in reversed(edits):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text, outside


@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(0, 250, 25)], ids=str)
def test_a_fix_alone_loses_nothing_and_adds_no_mistake(seeds: range):
    offered = 0
    for seed in seeds:
        text = mutant(seed)
        _, said = read(text)
        for fix in (fix for each in said for fix in each.fixes):
            offered += 1
            fixed, outside = after(text, fix)
            assert len(read(fixed)[1]) < len(said), (seed, fix)
            now = {(token.text, token.start) for token in lex(Source("t", fixed)).tokens}
            assert not [each for each in outside if each not in now], (seed, fix)
    assert offered


def test_in_a_file_full_of_mistakes_the_first_fixes_are_offered():
    _, said = read("".join(f"let a{n} = 1;\n" for n in range(MOST_TRIES + 5)))
    assert [len(each.fixes) for each in said] == [1] * MOST_TRIES + [0] * 5
