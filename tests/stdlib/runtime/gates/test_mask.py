"""What clients do not get to see."""

from __future__ import annotations

import time

import pytest

from stdlib.plan.plan import Secret
from stdlib.runtime.fault import Fault
from stdlib.runtime.gates.mask import OPEN, Mask
from stdlib.values.effort import effort
from stdlib.values.secret_forms import MASK_EFFORT, MASK_LENGTH, SECRET_FORMS, unusable_mask

# Put together here, so that no scanner takes them for real ones.
SAMPLES = {
    "aws_key": "AKIA" + "ABCDEFGH12345678",
    "github_token": "ghp_" + "a1" * 18,
    "gitlab_token": "glpat-" + "x" * 20,
    "google_key": "AIza" + "b" * 35,
    "slack_token": "xoxb-" + "1234567890-abc",
    "stripe_key": "sk_" + "live_" + "c" * 24,
    "openai_key": "sk-" + "d" * 40,
    "jwt": "eyJ" + "hbGciOiJI" + "x" * 20 + ".eyJzdWIi.sig_-",
    "bearer": "Bearer " + "abcdef123456",
    "private_key": "PRIVATE KEY" + "-----\nMIIEvQ\nabc\n",
    "url_password": "://" + "ann:hunter2@",
}
BUILTIN = Mask([Secret(name=name, pattern=pattern) for name, pattern in SECRET_FORMS.items()])
ACME = Mask([Secret(name="customer", pattern="ACME-[0-9]{4}")])


@pytest.mark.parametrize("name", SECRET_FORMS)
def test_a_well_known_secret_is_masked_wherever_it_stands(name: str):
    for text in (SAMPLES[name], f"the key: {SAMPLES[name]}!", f"a\n{SAMPLES[name]}\nb"):
        shown = Mask([Secret(name=name, pattern=SECRET_FORMS[name])]).text(text)
        assert f"[masked: {name}]" in shown
        assert SAMPLES[name][-8:-2] not in shown


@pytest.mark.parametrize(
    "text",
    [
        "issue 4711 of acme/app",
        "https://pages.example/a:b@c",
        "3f2b8a9c-1d2e-4f5a-8b7c-9d0e1f2a3b4c",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "the bearer of this letter",
        "public key",
        "sk-short",
    ],
)
def test_what_is_no_secret_stays(text: str):
    assert BUILTIN.text(text) == text


def test_values_are_masked_in_their_texts_and_nowhere_else():
    value = {"ACME-1234": ["ACME-1234", 1234, None, {"a": "x ACME-9999 y ACME-0000"}]}
    masked = {"ACME-1234": ["[masked: customer]", 1234, None, {"a": "x [masked: customer] y [masked: customer]"}]}
    assert ACME.value(value) == masked
    assert value["ACME-1234"][0] == "ACME-1234", "the value itself is not touched"
    assert OPEN.value(value) is value


def test_a_fault_is_masked_in_everything_that_is_told():
    fault = Fault(
        "tool_error",
        "no ACME-1111",
        next="ask ACME-2222",
        not_undone=({"step": "a", "reason": "ACME-3333"},),
        details={"x": ["ACME-4444"]},
    )
    assert "ACME-" not in str(ACME.fault(fault).to_json())
    assert OPEN.fault(fault) is fault


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "is no pattern"),
        ("a*", "fits a text without anything"),
        ("(a+)+b", "may take too long"),
        ("a+.+b+c", "may take too long"),
        (r"(\w+)\1", "may take too long"),
    ],
)
def test_patterns_that_cannot_be_used(pattern: str, why: str):
    found = unusable_mask(pattern)
    assert found is not None
    assert why in found[0]
    with pytest.raises(ValueError, match="customer"):
        Mask([Secret(name="customer", pattern=pattern)])


@pytest.mark.parametrize("pattern", ["ACME-[0-9]+", "[a-z]+@corp", r"\bID[0-9]{1,20}(?:-[0-9]{2})?\b"])
def test_patterns_that_can(pattern: str):
    assert unusable_mask(pattern) is None


@pytest.mark.parametrize("name", SECRET_FORMS)
def test_the_builtin_ones_are_quick(name: str):
    assert effort(SECRET_FORMS[name], MASK_LENGTH) <= MASK_EFFORT
    mask = Mask([Secret(name=name, pattern=SECRET_FORMS[name])])
    hard = (SAMPLES[name][:-1] * 2000)[:MASK_LENGTH]
    begun = time.process_time()
    mask.text(hard)
    assert time.process_time() - begun < 5
