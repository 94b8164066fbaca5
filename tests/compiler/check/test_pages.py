"""The programs on the pages of the checker's codes: the wrong one gives exactly its code, the right one nothing."""

import re
from pathlib import Path

import pytest

from dsl.codes import codes, page
from tests.compiler.world import checked

ROOT = Path(__file__).resolve().parents[3]


def emitted() -> list[str]:
    """The codes that the checker, the names and the types report."""
    found: set[str] = set()
    for room in ("check", "names", "types"):
        for path in (ROOT / "compiler" / room).rglob("*.py"):
            found.update(re.findall(r'"([EW]\d{4})"', path.read_text(encoding="utf-8")))
    return sorted(found)


@pytest.mark.parametrize("code", [code for code in emitted() if code in codes()])
def test_the_programs_of_a_page(code: str):
    found = page(code)
    assert found is not None
    for program in found.wrong:
        assert {each.code for each in checked(program)[1]} == {code}
    for program in found.right:
        assert [f"{each.code} {each.message}" for each in checked(program)[1]] == []
