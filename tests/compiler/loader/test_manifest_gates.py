"""What the manifest says about gates: folders, consent, limits, masks; and what becomes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compiler.cli.servers import at_home
from compiler.emit.server import server_options
from compiler.lower import lower
from compiler.project import Settings
from stdlib.plan.plan import Allowance, Network, Secret
from stdlib.values.secret_forms import SECRET_FORMS
from tests.compiler.world import checked

from .test_manifest import PROJECT, read

SAID = """
[allow]
roots = ["./data", "/srv/shared"]
hosts = ["pages.example"]
[server]
consent = "listed"
ask_first = ["refund", "crm__delete"]
[limits.principal]
window = "10m"
calls = 100
bytes = "5MB"
time = "90s"
cost = 2.5
parallel = 4
[limits.session]
calls = 10
[mask]
builtin = ["jwt"]
patterns = { customer = 'ACME-[0-9]{8}' }
"""


def settings(tmp_path: Path, text: str = SAID) -> Settings:
    manifest, told = read(tmp_path, PROJECT + text)
    assert told == []
    assert manifest is not None
    found: Settings = manifest.settings
    return found


def test_what_may_be_said(tmp_path: Path):
    found = settings(tmp_path)
    assert found.roots == ("data", "/srv/shared")
    assert (found.consent, found.ask_first) == ("listed", ("refund", "crm__delete"))
    assert found.mask == (("jwt", SECRET_FORMS["jwt"]), ("customer", "ACME-[0-9]{8}"))
    without = settings(tmp_path, "")
    assert (without.roots, without.consent, without.ask_first, without.limits, without.mask) == ((), None, (), {}, ())


def test_the_plan_has_it(tmp_path: Path):
    program, _ = checked("chain c { output integer = 1 }")
    project = replace(program.project, settings=settings(tmp_path))
    plan, _ = lower(replace(program, project=project))
    limits = {"window_ms": 600_000, "calls": 100, "bytes": 5_000_000, "time_ms": 90_000, "cost": 2.5, "parallel": 4}
    assert plan.limits.principal == Allowance.model_validate(limits)
    assert plan.limits.session == Allowance(calls=10)
    assert plan.network == Network(hosts=("pages.example",), roots=("data", "/srv/shared"))
    assert plan.mask[1] == Secret(name="customer", pattern="ACME-[0-9]{8}")
    assert at_home(plan, tmp_path).network.roots == (str(tmp_path / "data"), "/srv/shared")


def test_servers_are_told_what_to_ask_about(tmp_path: Path):
    assert {"--consent=listed", "--ask-first=refund,crm__delete"} <= set(server_options(settings(tmp_path)))
    assert not any("consent" in each or "ask" in each for each in server_options(settings(tmp_path, "")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[mask]\npatterns = { x = '(' }", "`mask.patterns.x` is no pattern"),
        ("[mask]\npatterns = { x = 'a*' }", "`mask.patterns.x` fits a text without anything in it"),
        ("[mask]\npatterns = { x = '(a+)+b' }", "`mask.patterns.x` may take too long"),
        ('[mask]\nbuiltin = ["jtw"]', "`mask.builtin[0]` must be"),
        ("[limits.principal]\ncost = 0", "`limits.principal.cost` must be a number above 0, not 0."),
        ("[limits.principal]\ncost = true", "`limits.principal.cost` must be a number above 0, not true."),
        ("[limits.principal]\ncost = nan", "`limits.principal.cost` must be a number above 0"),
        ("[limits.principal]\ncalls = 0", "`limits.principal.calls` must be a whole number from 1"),
        ("[limits.everybody]\ncalls = 1", "There is no `everybody` in `limits`."),
        ('[server]\nconsent = "always"', "`server.consent` must be"),
        ('[server]\nask_first = ["a,b"]', "`server.ask_first[0]` cannot be"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, told: str):
    _, found = read(tmp_path, PROJECT + text + "\n")
    assert [each[0] for each in found] in (["E0213"], ["E0212"])
    assert found[0][2].startswith(told)


def test_a_builtin_mask_is_found_by_a_near_name(tmp_path: Path):
    _, found = read(tmp_path, PROJECT + '[mask]\nbuiltin = ["jtw"]\n')
    assert "jwt" in found[0][3]
