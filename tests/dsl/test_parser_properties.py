"""Whatever the text: diagnostics, never an exception; places lie within it; what is skipped is said."""

from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.diagnostics import Sink
from dsl.dump import dump
from dsl.lexer import lex
from dsl.parser import parse
from dsl.source import Source
from dsl.tokens import END, SIGNS, WORDS
from dsl.tree.walk import children

PROGRAMS = [
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parents[1] / "golden" / "parse").glob("*.chain"))
]
PIECES = [
    *SIGNS,
    *WORDS,
    *(
        [
            "a",
            "b",
            "x",
            "1",
            "2.5",
            "20s",
            "5MB",
            "1_0",
            "12ab",
            "\\",
            "é",
            "'",
            "#",
            ";",
            "&&",
            "||",
            "===",
            "@",
            "$",
            "${",
            "{{",
            "}}",
            "${{",
            '"',
            '"""',
        ]
    ),
    '"t"',
    '"a ${',
    '}"',
    "'q'",
    "{{ x }}",
    "// c\n",
    "/// d\n",
    "/* e */",
    "\n",
    "\r\n",
    "\x00",
    "\ud800",
]


def check(text: str) -> None:
    sink = Sink()
    file = parse(Source("t", text), sink)
    for each in sink:
        assert each.span is not None
        assert 0 <= each.span.start <= each.span.end <= len(text)
        assert each.message.endswith(".")
        for edit in (edit for fix in each.fixes for edit in fix.edits):
            assert 0 <= edit.span.start <= edit.span.end <= len(text)
    assert file.complete or sink.has_errors
    waiting = list(children(file))
    while waiting:
        node = waiting.pop()
        assert 0 <= node.start <= node.end <= len(text)
        waiting += children(node)
    assert dump(file)


@given(st.text(max_size=200))
def test_any_text(text: str):
    check(text)


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_any_signs_in_a_text(text: str):
    check(f'let x = "{text}"\nlet y = """{text}"""\n')


@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["", " "]))
def test_soups_of_tokens(pieces: list[str], between: str):
    check(between.join(pieces))


@settings(max_examples=60)
@given(st.sampled_from(PROGRAMS), st.data())
def test_damaged_programs(program: str, data: st.DataObject):
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(program)))
        end = min(len(program), start + data.draw(st.integers(0, 12)))
        program = program[:start] + data.draw(st.sampled_from(["", *PIECES])) + program[end:]
    check(program)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_tokens_are_in_order_and_cover_nothing_twice(pieces: list[str]):
    text = " ".join(pieces)
    lexed = lex(Source("t", text))
    places = [(token.start, token.end) for token in lexed.tokens]
    assert all(start <= end for start, end in places)
    assert all(before[1] <= after[0] for before, after in pairwise(places))
    assert lexed.tokens[-1].kind == END
