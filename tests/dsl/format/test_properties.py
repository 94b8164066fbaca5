"""Formatting changes what a text looks like, and nothing else."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from dsl.diagnostics import Sink
from dsl.dump import dump
from dsl.format import format_text
from dsl.lexer import lex
from dsl.parser import parse
from dsl.source import Source
from tests.dsl.format.programs import BLANKS, GAPS, GOOD, any_gaps, other_gaps, programs

_CLOSING = {"RPAR", "RSQB", "RBRACE"}


def meaning(text: str) -> str:
    """The tree without places and comments; fails where the text has mistakes."""
    sink = Sink()
    file = parse(Source("t", text), sink)
    assert [(each.code, each.message) for each in sink if each.severity == "error"] == []
    tree = re.sub(r"^( *(?:\w+: )?\w+) \d+-\d+", r"\1", dump(file), flags=re.M)
    return re.sub(r"(?m)^ *Comment .*\n| op_start=\d+", "", tree)


def remarks(text: str) -> list[str]:
    """All comments and `///` lines in their order."""
    lexed = lex(Source("t", text))
    found = [(each.start, each.text) for each in lexed.comments]
    found += [(line.start, line.text) for lines in lexed.docs.values() for line in lines]
    return [words for _, words in sorted(found)]


def words(text: str) -> str:
    """All words as they are written, without commas before closing signs and without blanks."""
    tokens = lex(Source("t", text)).tokens
    kept = [
        token
        for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True)
        if token.kind != "COMMA" or following.kind not in _CLOSING
    ]
    return re.sub(r"\s+", "", "".join(token.text for token in kept))


def check(text: str) -> str:
    """All that holds for every text without mistakes; the result."""
    result = format_text(Source("t", text))
    assert meaning(result) == meaning(text)
    assert remarks(result) == remarks(text)
    assert words(result) == words(text)
    assert format_text(Source("t", result)) == result
    assert "\r" not in result
    assert result == "" or result[-1] == "\n" != result[-2:-1]
    at = 0
    for token in lex(Source("t", result)).tokens[:-1]:
        gap = result[at : token.start]
        assert re.search(r"[ \t]\n|\n\n\n|\t", gap) is None
        at = token.end
    return result


@given(st.sampled_from(GOOD).flatmap(lambda text: other_gaps(text, GAPS)))
def test_good_programs_with_other_gaps(text: str):
    check(text)


@given(st.sampled_from(GOOD).flatmap(lambda text: any_gaps(text, GAPS)))
def test_good_programs_with_any_gaps(text: str):
    check(text)


@given(st.sampled_from(GOOD).flatmap(lambda text: st.tuples(other_gaps(text, BLANKS), any_gaps(text, BLANKS))))
def test_blanks_say_nothing(texts: tuple[str, str]):
    assert format_text(Source("t", texts[0])) == format_text(Source("t", texts[1]))


@given(programs().flatmap(lambda text: st.one_of(st.just(text), other_gaps(text, GAPS), any_gaps(text, GAPS))))
def test_generated_programs(text: str):
    sink = Sink()
    parse(Source("t", text), sink)
    assume(not sink.has_errors)
    check(text)


@given(st.text(alphabet='ab1"${}[](),:.=/\\\n\r\t \ufeff', max_size=40))
def test_any_text_is_formatted_or_left_as_it_is(text: str):
    sink = Sink()
    result = format_text(Source("t", text), sink)
    assert result == text if sink.has_errors else format_text(Source("t", result)) == result
