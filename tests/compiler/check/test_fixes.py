"""Fixes of the checker are certain: applied, the program reads, and the mistake is gone."""

import pytest

from dsl.diagnostics import Fix
from tests import golden
from tests.compiler.check.test_golden_programs import BAD
from tests.compiler.world import checked


def applied(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda each: each.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


CHECKER = ("E02", "E03", "E04", "E05", "E06", "E07", "W03", "W04", "E0108")
CASES = [case for case in golden.cases(BAD, ".chain") if "sub/" not in case.read_text(encoding="utf-8")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_every_fix_mends(case):
    text = case.read_text(encoding="utf-8")
    before = checked(text)[1]
    for each in before:
        for fix in each.fixes if each.code.startswith(CHECKER) else ():
            after = checked(applied(text, fix))[1]
            assert not [a.message for a in after if a.code.startswith(("E00", "E01")) and a.code != "E0108"]
            place = (each.code, each.message)
            count = sum((a.code, a.message) == place for a in after)
            assert count < sum((a.code, a.message) == place for a in before), each.message
            assert len(after) <= len(before)


def test_there_are_fixes():
    assert sum(bool(each.fixes) for case in CASES for each in checked(case.read_text(encoding="utf-8"))[1]) > 10
