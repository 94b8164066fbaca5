"""Whole files: what the formatter makes of them."""

from pathlib import Path

import pytest

from dsl.diagnostics import Sink
from dsl.format import format_text
from dsl.render import render_all
from dsl.source import Source
from tests.dsl.format.test_properties import check
from tests.golden import GOLDEN, assert_no_orphans, cases, check_output, output_of

FOLDER = GOLDEN / "fmt"


@pytest.mark.parametrize("case", cases(FOLDER, ".chain"), ids=lambda case: case.stem)
def test_fmt(case: Path, bless: bool):
    source = Source(case.name, case.read_bytes().decode())
    sink = Sink()
    result = format_text(source, sink)
    if sink.has_errors:
        assert result == source.text
        result = render_all(sink) + result
    else:
        assert check(source.text) == result
    check_output(output_of(case, ".chain"), result, bless)


def test_no_orphans(bless: bool):
    assert_no_orphans(FOLDER, ".chain", bless=bless)
