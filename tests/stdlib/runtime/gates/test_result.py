"""Gate 7: what comes back."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from stdlib.plan import plan as p
from stdlib.runtime.events import CallSucceeded
from stdlib.runtime.fault import Fault
from stdlib.runtime.gates.result import result
from stdlib.runtime.result import LARGE, Reading, ToolAnswer, read_sized
from stdlib.runtime.schema import Shape

from .passings import Behind, loaded, passing, refused

pytestmark = pytest.mark.anyio


def call(schema: dict[str, Any], **limits: int) -> Any:
    made = passing(loaded(limits=p.Limits(**limits)))
    assert made.command is not None
    tool = replace(made.command.tool, reading=Reading(Shape(schema)))
    made.command = replace(made.command, tool=tool)
    return made


async def test_a_fitting_answer_becomes_a_value():
    done = await result(call({"type": "integer"}), Behind(ToolAnswer(structured=7)))
    assert isinstance(done, CallSucceeded)
    assert (done.call, done.value, done.bytes) == ("act#1", 7, 1)


@pytest.mark.parametrize(
    ("answer", "slow"),
    [
        (ToolAnswer(structured=["x" * 9] * 10), False),
        (ToolAnswer(structured={"rows": [{"a": 1}] * LARGE}), True),
        (ToolAnswer(structured=[["x" * LARGE]]), True),
        (ToolAnswer(({"type": "text", "text": f'["{"x" * LARGE}"]'},)), True),
    ],
    ids=["small", "many", "long", "text"],
)
async def test_what_is_large_is_read_in_a_thread(monkeypatch: pytest.MonkeyPatch, answer: ToolAnswer, slow: bool):
    threads = set()

    def read(*given: Any) -> Any:
        threads.add(threading.get_ident())
        return read_sized(*given)

    monkeypatch.setattr("stdlib.runtime.gates.result.read_sized", read)
    done = await result(call({}), Behind(answer))
    assert isinstance(done, CallSucceeded)
    assert (threads != {threading.get_ident()}) is slow


async def test_another_form_is_refused():
    fault = await refused(result, call({"type": "integer"}), Behind(ToolAnswer(structured="x")))
    assert (fault.fault_class, fault.refused) == ("shape_mismatch", "result")


async def test_too_much_is_refused():
    fault = await refused(result, call({}, result_bytes=10), Behind(ToolAnswer(structured="x" * 20)))
    assert (fault.fault_class, fault.refused) == ("result_too_large", "result")


async def test_the_tools_own_error_is_no_refusal():
    answer = ToolAnswer(content=({"type": "text", "text": "broken"},), is_error=True)
    fault = await refused(result, call({}), Behind(answer))
    assert (fault.fault_class, fault.refused) == ("tool_error", None)
    assert (await refused(result, call({}), Behind(Fault("timeout", "late")))).refused is None


async def test_what_is_no_answer_of_a_tool_passes():
    recorded = CallSucceeded("act#1", 1, replayed=True)
    assert await result(call({}), Behind(recorded)) is recorded
    answer = ToolAnswer(structured="as it is")
    assert await result(passing(by_client=True), Behind(answer)) is answer
