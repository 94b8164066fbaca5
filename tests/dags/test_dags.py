"""Random programs, compiled and run: edges, bounds, results, effects and undoing are those of a sequential reading."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stdlib.runtime.fault import Fault
from tests.dags.edges import edges
from tests.dags.reference import Reference
from tests.dags.sketch import Chain, Condition, Let, Loop, Program, Require, Section, Step, draw
from tests.dags.trial import compiled, try_out


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=False))
def test_programs_run_as_they_read(chance: Random):
    program = draw(chance)
    loaded = compiled(program)
    for run in range(3):
        try_out(program, loaded, chance, cancel=run == 2)


def test_runs_end_in_every_way():
    """The generator does not go blind: runs succeed, fail, are cancelled, take back and try anew."""
    endings: set[str] = set()
    undone = retried = 0
    for seed in range(120):
        chance = Random(seed)
        program = draw(chance)
        ride = try_out(program, compiled(program), chance, cancel=seed % 4 == 0)
        ending = ride.ending
        endings.add(ending.fault_class if isinstance(ending, Fault) else "result")
        undone += any(each.is_undo for each in ride.flights)
        retried += any(each.command.attempt > 1 for each in ride.flights)
    assert endings >= {"result", "cancelled", "tool_error", "unavailable", "precondition"}
    assert undone >= 3
    assert retried >= 3


# ------------------------------------------------------------------ the judges themselves


def _program(*members: Step | Let | Require | Section) -> Program:
    return Program((Chain("root", members),), "tool_error", 0, 0)


def test_edges_of_a_text():
    program = _program(
        Step("late", "read", uses=("w",)),
        Step("w", "write"),
        Require("about_w", ("w",), True),
        Section(
            "any", (Step("p", "put"), Step("q", "write"), Step("r", "read")), Condition("even", "w"), any_order=True
        ),
        Step("z", "write", after=("any",)),
        Require("first", (), True),
    )
    waits = edges(program, program.root.members)
    assert waits["late"] == {"w", "first"}
    assert waits["w"] == {"first"}
    assert waits["about_w"] == {"w", "first"}
    assert waits["p"] == waits["q"] == {"w", "about_w", "first"}
    assert waits["r"] == {"w", "first"}
    assert waits["z"] == {"w", "about_w", "first", "p", "q", "r"}


def test_the_reference_reads_from_the_top():
    program = _program(
        Step("a", "read"),
        Step("b", "read", when=Condition("succeeded", "a"), uses=("a",)),
        Step("c", "read", when=Condition("skipped", "b")),
        Require("no", ("b",), False),
        Step("w", "write"),
    )
    reference = Reference(program)
    assert list(reference.calls) == [("a", 1), ("b", 1)]
    assert reference.faults == {"no"}


A, B = Step("a", "read"), Step("b", "read")


@pytest.mark.parametrize(
    ("run", "said", "found"),
    [
        ((A, B), (A, replace(B, after=("a",))), "b starts before a is over"),
        ((A, replace(B, after=("a",))), (A, B), "b could have started at 0"),
        ((A, replace(B, uses=("a",))), (A, replace(B, after=("a",))), "has other arguments"),
        ((A, B), (A,), "should not be called"),
        ((A,), (A, replace(B, on_error="skip")), "a call is missing"),
        ((A, replace(B, does="write")), (A, B), "has other arguments"),
        (
            (replace(A, loop=Loop(3, 2, "fail")),),
            (replace(A, loop=Loop(3, 1, "fail")),),
            "a does too many items at once",
        ),
    ],
)
def test_a_broken_promise_is_found(run: tuple[Step, ...], said: tuple[Step, ...], found: str):
    """A plan that was compiled from another text than the one that is judged by."""
    loaded = compiled(_program(*run))
    try_out(_program(*run), loaded, Random(1))
    with pytest.raises(AssertionError, match=found):
        try_out(_program(*said), loaded, Random(1))


def test_a_budget_that_is_passed_is_found():
    narrow = Program((Chain("root", (A, B), "", 1),), "tool_error", 0, 0)
    try_out(narrow, compiled(narrow), Random(1))
    with pytest.raises(AssertionError, match="root makes too many calls at once"):
        try_out(narrow, compiled(_program(A, B)), Random(1))
