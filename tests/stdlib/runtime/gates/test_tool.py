"""Gate 2: what is called is what was locked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stdlib.runtime.fault import Fault
from stdlib.runtime.gates.tool import tool

from .passings import Behind, passing, refused

pytestmark = pytest.mark.anyio


async def test_a_locked_tool_is_let_through():
    assert await tool(passing(), Behind()) == "done"


async def test_a_tool_that_the_plan_does_not_have_is_unknown():
    call = passing()
    assert call.tool is not None
    call.tool = replace(call.tool, key="other")
    fault = await refused(tool, call)
    assert (fault.fault_class, fault.refused) == ("unknown_tool", "tool")


async def test_a_tool_with_another_digest_is_not_the_one_that_was_locked():
    call = passing()
    assert call.tool is not None
    call.tool = replace(call.tool, plan=call.tool.plan.model_copy(update={"digest": "another"}))
    fault = await refused(tool, call)
    assert (fault.fault_class, fault.refused) == ("contract_drift", "tool")


async def test_drift_that_the_server_shows_is_this_gates_refusal():
    fault = await refused(tool, passing(), Behind(Fault("contract_drift", "it differs", sent=False)))
    assert (fault.refused, fault.message) == ("tool", "it differs")


async def test_other_faults_of_the_call_are_none_of_its_business():
    assert (await refused(tool, passing(), Behind(Fault("timeout", "late")))).refused is None
