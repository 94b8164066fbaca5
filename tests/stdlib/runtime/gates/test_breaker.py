"""The circuit breaker."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.runtime.fault import Fault
from stdlib.runtime.gates.breaker import OPEN_S, SHORT_S, Breaker

from .passings import Clock

BAD = Fault("tool_error", "no")


class Tried:
    def __init__(self) -> None:
        self.clock = Clock()
        self.breaker = Breaker(self.clock)

    def fails(self, fault: Fault | None = BAD, arguments: Any = None, session: str = "s", name: str = "t") -> None:
        self.breaker.note(session, name, arguments or {}, fault)

    def open(self, arguments: Any = None, session: str = "s", name: str = "t") -> Fault | None:
        return self.breaker.check(session, name, arguments or {})


def test_the_third_call_is_not_made():
    tried = Tried()
    assert tried.open() is None
    tried.fails()
    assert tried.open() is None
    tried.fails()
    fault = tried.open()
    assert fault is not None
    assert (fault.fault_class, fault.refused, fault.details["cause"]) == ("circuit_open", "breaker", "tool_error")
    assert fault.next is not None
    assert fault.next.startswith("Change the arguments or ask the user.")


def test_a_clock_that_is_put_right_does_not_keep_it_open():
    tried = Tried()
    tried.clock.now += 86_400
    tried.fails()
    tried.fails()
    tried.clock.now -= 1
    assert tried.open() is not None
    tried.clock.now -= 86_400
    assert tried.open() is None


def test_other_arguments_sessions_and_tools_are_other_calls():
    tried = Tried()
    tried.fails()
    tried.fails()
    assert tried.open({"n": 1}) is tried.open(session="other") is tried.open(name="u") is None
    assert tried.open() is not None


def test_the_order_of_arguments_means_nothing():
    tried = Tried()
    tried.fails(arguments={"a": 1, "b": 2})
    tried.fails(arguments={"b": 2, "a": 1})
    assert tried.open({"a": 1, "b": 2}) is not None


def test_a_success_closes_it_and_another_class_begins_anew():
    tried = Tried()
    tried.fails()
    tried.fails(None)
    tried.fails()
    assert tried.open() is None
    tried.fails(Fault("timeout", "late"))
    assert tried.open() is None
    tried.fails(Fault("timeout", "late"))
    assert tried.open() is not None


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [(BAD, OPEN_S), (Fault("unavailable", "down"), SHORT_S), (Fault("precondition", "not yet"), SHORT_S)],
)
def test_it_closes_with_time(fault: Fault, seconds: float):
    tried = Tried()
    tried.fails(fault)
    tried.fails(fault)
    tried.clock.now += seconds - 1
    assert tried.open() is not None
    tried.clock.now += 2
    assert tried.open() is None
    tried.fails(fault)
    assert tried.open() is None, "what is long ago does not count"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("input_required", "ask"),
        Fault("consent_required", "ask"),
        Fault("cancelled", "x"),
        Fault("budget_exceeded", "later"),
        Fault("denied", "rejected", refused="person"),
        Fault("denied", "no", refused="consent"),
    ],
)
def test_what_people_decide_does_not_count(fault: Fault):
    tried = Tried()
    for _ in range(5):
        tried.fails(fault)
    assert tried.open() is None


def test_what_a_gate_refuses_because_of_the_arguments_counts():
    tried = Tried()
    for _ in range(2):
        tried.fails(Fault("denied", "no such host", refused="resource"))
    assert tried.open() is not None


def test_arguments_that_are_no_json_are_counted_all_the_same():
    tried = Tried()
    tried.breaker.note("s", "t", {1, 2}, BAD)
    tried.breaker.note("s", "t", {1, 2}, BAD)
    assert tried.breaker.check("s", "t", {3}) is not None


def test_many_failures_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("stdlib.runtime.gates.breaker._KEPT", 10)
    tried = Tried()
    for number in range(100):
        tried.fails(arguments={"n": number})
    assert len(tried.breaker._known) == 10
