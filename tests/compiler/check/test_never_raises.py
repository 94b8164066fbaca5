"""Whatever a program says, the checker answers with diagnostics, never with an exception."""

import re

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests import golden
from tests.compiler.world import checked

PROGRAMS = [
    path.read_text(encoding="utf-8")
    for stage in ("good", "bad")
    for path in golden.cases(golden.GOLDEN / stage, ".chain")
]
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
PIECES = sorted({piece for text in PROGRAMS for piece in _PIECE.findall(text) if not piece.isspace()})


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A golden program in which some words were dropped, doubled, swapped or replaced."""
    pieces = _PIECE.findall(draw(st.sampled_from(PROGRAMS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(pieces) - 1, 0)))
        kind = draw(st.sampled_from(("drop", "double", "replace", "swap")))
        if not pieces:
            break
        if kind == "drop":
            del pieces[at]
        elif kind == "double":
            pieces.insert(at, pieces[at])
        elif kind == "replace":
            pieces[at] = draw(st.sampled_from(PIECES))
        else:
            other = draw(st.integers(0, len(pieces) - 1))
            pieces[at], pieces[other] = pieces[other], pieces[at]
    return "".join(pieces)


@hypothesis_settings(max_examples=150)
@given(mutants())
def test_mutated_programs(text: str):
    checked(text)


@hypothesis_settings(max_examples=60)
@given(st.sampled_from(PROGRAMS), st.data())
def test_lines_that_moved(text: str, data: st.DataObject):
    lines = text.splitlines()
    at, to = data.draw(st.integers(0, len(lines) - 1)), data.draw(st.integers(0, len(lines) - 1))
    lines.insert(to, lines.pop(at) if data.draw(st.booleans()) else lines[at])
    checked("\n".join(lines))
