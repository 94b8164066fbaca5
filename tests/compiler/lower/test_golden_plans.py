"""Golden plans: what a program becomes, written down whole."""

from pathlib import Path

import pytest

from compiler.lower import lower
from dsl.render import render
from stdlib.plan.document import json_text, to_json, to_text
from stdlib.plan.plan import Plan
from tests import golden
from tests.compiler.world import checked

PLANS = golden.GOLDEN / "plan"


def planned(case: Path) -> Plan:
    program, found = checked({case.name: case.read_text(encoding="utf-8")})
    assert [render(each) for each in found if each.severity == "error"] == []
    return lower(program)[0]


@pytest.mark.parametrize("case", golden.cases(PLANS, ".chain"), ids=lambda case: case.stem)
def test_a_program_becomes_its_plan(case: Path, bless: bool):
    plan = planned(case)
    whole = to_json(plan)
    claims = {
        f"{s}.{key}": tool.get("parse")
        for s, source in whole.get("sources", {}).items()
        for key, tool in source["tools"].items()
    }
    shown = {"kinds": whole.get("kinds", {}), "tools": claims, "chains": whole["chains"]}
    golden.check_output(golden.output_of(case, ".chain"), json_text(shown), bless)
    assert Plan.model_validate_json(to_text(plan)) == plan


@pytest.mark.parametrize("case", golden.cases(PLANS, ".chain"), ids=lambda case: case.stem)
def test_every_need_stands_before_what_needs_it(case: Path):
    for chain in planned(case).chains.values():
        settled: set[str] = set()
        for binding in chain.bindings:
            assert set(binding.needs) <= settled
            settled.add(binding.name)
        assert set(chain.output.needs) <= settled


def test_no_plan_is_an_orphan(bless: bool):
    golden.assert_no_orphans(PLANS, ".chain", bless=bless)
