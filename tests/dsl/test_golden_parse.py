"""Whole files: the tree that is read, and what is said about it."""

from pathlib import Path

import pytest

from dsl.diagnostics import Sink
from dsl.dump import dump
from dsl.parser import parse
from dsl.render import render_all
from dsl.source import Source
from tests.golden import GOLDEN, assert_no_orphans, cases, check_marks, check_output, output_of

FOLDER = GOLDEN / "parse"


@pytest.mark.parametrize("case", cases(FOLDER, ".chain"), ids=lambda case: case.stem)
def test_parse(case: Path, bless: bool):
    source = Source(case.name, case.read_text(encoding="utf-8"))
    sink = Sink()
    tree = parse(source, sink)
    check_marks(source.text, [(source.position(each.span.start)[0], each.code) for each in sink if each.span])
    assert (len(sink) == 0) == case.stem.startswith("good_")
    check_output(output_of(case, ".chain"), render_all(sink) + dump(tree), bless)


def test_no_orphans(bless: bool):
    assert_no_orphans(FOLDER, ".chain", bless=bless)
