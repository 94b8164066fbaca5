"""What is seen of the steps of a run, from its commands and events."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.cli.steps import Step, Steps, Wait
from stdlib.runtime.events import (
    AskPerson,
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelRequested,
    CancelTimer,
    PersonAnswered,
    Progress,
    StartCall,
    StartTimer,
    TimerFired,
)
from stdlib.runtime.fault import Fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.question import APPROVE_FORM, Approved, Question
from tests.stdlib.runtime.plans import chain, const, plan, step

TOOL = load_plan(plan(chain("c", step("a"), output=const(1)))).tools["test", "read"]


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def steps(clock: Clock) -> Steps:
    return Steps(["a", "b"], clock)


def start(call: str, step: str, attempt: int = 1, **more: Any) -> StartCall:
    return StartCall(call, step, TOOL, {}, 1000, attempt, True, **more)


def failed(call: str, fault_class: str = "unavailable") -> CallFailed:
    return CallFailed(call, Fault(fault_class, "no"))


def see(steps: Steps, *seen: Any) -> Step:
    for each in seen:
        steps(each)
    return steps.all["a"]


def test_a_step_runs_from_its_first_call_to_its_end(steps: Steps, clock: Clock):
    a = steps.all["a"]
    assert (a.state, a.seconds(clock.now)) == ("ahead", None)
    see(steps, start("a#1", "a"))
    assert (a.state, a.waits) == ("running", {"a#1": Wait("call", "test.read")})
    clock.now += 2
    assert a.seconds(clock.now) == 2
    see(steps, CallSucceeded("a#1", 1), Progress("a done", 1, 2))
    clock.now += 5
    assert (a.state, a.waits, a.calls, a.seconds(clock.now)) == ("done", {}, 1, 2)
    assert see(steps, Progress("b skipped", 2, 2)) is a
    assert (steps.all["b"].state, steps.all["b"].seconds(clock.now)) == ("skipped", None)


def test_a_retry_is_waited_for(steps: Steps, clock: Clock):
    a = see(steps, start("a#1", "a"), failed("a#1"), StartTimer("wait:a#1", 1500, 0.5))
    assert a.waits == {"wait:a#1": Wait("retry", "unavailable", 2, clock.now + 1.5)}
    see(steps, TimerFired("wait:a#1"), start("a#2", "a", 2))
    assert a.waits == {"a#2": Wait("call", "test.read", 2)}
    assert (a.retries, a.faults, a.calls) == (1, 1, 1)


def test_a_wait_that_is_given_up_is_over(steps: Steps):
    a = see(steps, start("a#1", "a"), failed("a#1"), StartTimer("wait:a#1", 1500), CancelTimer("wait:a#1"))
    assert a.waits == {}
    see(steps, start("a#2", "a", 2), CancelCall("a#2"), failed("a#2", "cancelled"))
    assert (a.waits, a.faults) == ({}, 1)


def test_other_timers_are_no_waits(steps: Steps):
    assert see(steps, StartTimer("timeout:a", 5), TimerFired("timeout:a"), StartTimer("undo:1", 5)).waits == {}


def test_items_and_steps_of_called_chains_belong_to_the_step(steps: Steps):
    a = see(steps, start("a[0]#1", "a[0]"), start("a[1].x#1", "a[1].x"), Progress("a: 1 of 2", 0.5, 2))
    assert (sorted(a.waits), a.part) == (["a[0]#1", "a[1].x#1"], "1 of 2")
    see(steps, CallSucceeded("a[0]#1", 1), CallSucceeded("a[1].x#1", 1))
    assert (a.waits, a.calls) == ({}, 2)


def test_a_person_is_waited_for(steps: Steps):
    def question(by: str | None) -> Question:
        return Question("approve", "a", "May I?", APPROVE_FORM, 1000, by)

    a = see(steps, AskPerson("a#1", question(None)))
    assert a.waits == {"a#1": Wait("person", "you")}
    see(steps, PersonAnswered("a#1", Approved("ann"), ""), AskPerson("a#1", question("bosses")))
    assert a.waits == {"a#1": Wait("person", "bosses")}


def test_what_is_taken_back_is_counted(steps: Steps):
    a = see(steps, start("a#1", "a"), CallSucceeded("a#1", 1), Progress("a done", 1, 2))
    see(steps, start("a:undo#1", "a", purpose="undo"))
    assert a.waits == {"a:undo#1": Wait("call", "test.read", purpose="undo")}
    see(steps, CallSucceeded("a:undo#1", None))
    assert (a.state, a.calls, a.undone) == ("done", 1, 1)


def test_a_fault_ends_its_step_and_stops_the_others(steps: Steps, clock: Clock):
    see(steps, start("a[3]#1", "a[3]"), start("b#1", "b"), failed("a[3]#1"))
    clock.now += 1
    steps.end(Fault("timeout", "too late", "a[3]"))
    assert [(each.state, each.fault, each.waits) for each in steps.all.values()] == [
        ("failed", "timeout", {}),
        ("stopped", None, {}),
    ]
    clock.now += 1
    assert [each.seconds(clock.now) for each in steps.all.values()] == [1, 1]
    assert steps.over


def test_a_run_that_is_cancelled_is_stopping(steps: Steps):
    see(steps, start("a#1", "a"), CancelRequested())
    assert steps.stopping
    steps.end(None)
    assert [each.state for each in steps.all.values()] == ["stopped", "ahead"]


def test_what_belongs_to_no_step_is_left_alone(steps: Steps):
    see(steps, start("x#1", "x"), CallSucceeded("x#1", 1), Progress("x done", 1, 2), Progress("hello", 0, 2))
    assert [each.state for each in steps.all.values()] == ["ahead", "ahead"]
