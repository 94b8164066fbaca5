"""Which faults `on error` reacts to: all of the step's own, and never the end of the whole run."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.plan import expression as ex
from stdlib.runtime.events import CancelRequested
from stdlib.values.faults import FAULTS

from .plans import AT, Hand, chain, const, loop, record, ref, step, verify, write

SKIP = {"kind": "skip"}
NULL = ex.Present(base=const(None), text="nothing", origin=AT)
"""Fails where it is evaluated."""


def one(*steps: Any, **more: Any) -> Hand:
    return Hand(chain("c", *steps, output=const("went on"), **more)).start()


@pytest.mark.parametrize("fault_class", FAULTS)
def test_every_fault_of_the_call_is_its_own(fault_class: str):
    assert one(step("s", tool="write", on_error=SKIP)).fail("s", fault_class).value == "went on"


def test_what_is_in_doubt_is_told_all_the_same():
    hand = one(step("s", tool="write", on_error=SKIP), step("later", "s"))
    hand.fail("s", "unknown_outcome").fail("later")
    assert (hand.fault.step, hand.fault.details["in_doubt"], hand.fault.retryable) == ("later", ["s"], False)


def test_its_arguments_and_what_surrounds_the_call_are_its_own():
    assert one(step("s", arguments={"a": NULL}, on_error=SKIP)).value == "went on"
    assert one(step("s", tool="write", receipt=NULL, on_error=SKIP)).ok("s").value == "went on"
    checked = step("s", tool="write", verify=verify(const(False)), on_error=SKIP)
    assert one(checked).ok("s").ok("s:verify").value == "went on"
    assert one(loop("s", NULL, step("i"), on_error=SKIP)).value == "went on"
    assert one(loop("s", const([1]), step("i"), on_error=SKIP)).fail("s[0].i").value == "went on"


def test_whether_it_runs_and_what_it_uses_instead_are_not():
    assert one(step("s", when=NULL, on_error=SKIP)).fault.step == "s"
    assert one(step("s", on_error={"kind": "use", "value": NULL})).fail("s").fault.step == "s"


def test_a_called_chain_that_ends_is_a_fault_of_its_step():
    inner = chain("inner", step("x"), output=record(x=ref("x")), budget={"time_ms": 100})
    outer = chain("c", step("s", chain="inner", on_error=SKIP), output=const("went on"))
    assert Hand(outer, inner).start().fire("timeout:s:inner").value == "went on"


@pytest.mark.parametrize("action", [step("s", on_error=SKIP), loop("s", const([1]), step("i"), on_error=SKIP)])
def test_the_end_of_the_run_cannot_be_caught(action: Any):
    late = one(action, budget={"time_ms": 100})
    assert late.fire("timeout::c").fault.fault_class == "timeout"
    assert one(action).event(CancelRequested()).fault.fault_class == "cancelled"
    assert one(action, budget={"calls": 0}).fault.fault_class == "budget_exceeded"


def test_a_write_is_awaited_and_its_fault_catches_nothing_then():
    hand = one(write("w", on_error=SKIP)).event(CancelRequested())
    assert hand.machine.ending is None
    fault = hand.fail("w", "unknown_outcome").fault
    assert (fault.fault_class, fault.details["also"][0]["class"]) == ("cancelled", "unknown_outcome")
    assert [each["step"] for each in fault.not_undone] == ["w"]
