"""The golden programs: bad ones give exactly what is marked, good ones give nothing."""

from pathlib import Path

import pytest

from dsl.diagnostics import Diagnostic
from dsl.render import render
from tests import golden
from tests.compiler.world import checked

BAD, GOOD = golden.GOLDEN / "bad", golden.GOLDEN / "good"


def diagnosed(case: Path) -> list[Diagnostic]:
    """What is said about a program; files that it may import lie in the folder `sub`."""
    files = {case.name: case.read_text(encoding="utf-8")}
    for path in sorted((case.parent / "sub").glob("*.chain")):
        files[f"sub/{path.name}"] = path.read_text(encoding="utf-8")
    return checked(files)[1]


@pytest.mark.parametrize("case", golden.cases(BAD, ".chain"), ids=lambda case: case.stem)
def test_a_bad_program_gives_what_is_marked(case: Path, bless: bool):
    found = diagnosed(case)
    places = [(each.span.source.position(each.span.start)[0], each.code) for each in found if each.span]
    golden.check_marks(case.read_text(encoding="utf-8"), places)
    golden.check_output(golden.output_of(case, ".chain"), "\n".join(render(each) for each in found), bless)


@pytest.mark.parametrize("case", golden.cases(GOOD, ".chain"), ids=lambda case: case.stem)
def test_a_good_program_gives_nothing(case: Path):
    assert [render(each) for each in diagnosed(case)] == []


def test_every_program_has_its_output(bless: bool):
    golden.assert_no_orphans(BAD, ".chain", bless=bless)
