"""Servers over stdio: whatever they answer, or do not, the run ends as it should and leaves nothing behind."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.faults.bench import HASTY, PATIENT, Case, both, does, judged, once, plan_of, runs, told
from tests.faults.left import nothing_left
from tests.stdlib.runtime.plans import call, chain, const, given, loop, record, ref

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


UNKNOWN = "unknown_outcome"


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


CASES = (
    Case("an answer", {"do": "echo", "value": 1}, None, None),
    Case("an error", {"do": "error", "message": "no"}, "tool_error", "tool_error"),
    Case("an error of the protocol", {"do": "refuse", "message": "no"}, "tool_error", "tool_error"),
    Case("silence", {"do": "hang"}, "timeout", UNKNOWN, never=True),
    Case("garbage alone", {"do": "garbage", "text": "<html>"}, "timeout", UNKNOWN, never=True),
    Case("garbage before the answer", {"do": "garbage", "text": "[{", "then": 2}, None, None),
    Case("neither result nor error", {"do": "odd"}, "unavailable", UNKNOWN),
    Case("a number too long to be read", {"do": "literal", "text": "1" * 5000}, "unavailable", UNKNOWN),
    Case("an answer nested too deep to be read", {"do": "literal", "text": deep(5000)}, "unavailable", UNKNOWN),
    Case("an answer nested too deep", {"do": "literal", "text": deep(300)}, "shape_mismatch", "shape_mismatch"),
    Case("a value nested too deep", {"do": "literal", "text": deep(220)}, "shape_mismatch", "shape_mismatch"),
    Case("what is no JSON", {"do": "literal", "text": "NaN"}, "shape_mismatch", "shape_mismatch"),
    Case("many messages before the answer", {"do": "flood", "count": 3000, "value": 6}, None, None),
    Case("a foreign id alone", {"do": "stranger"}, "timeout", UNKNOWN, never=True),
    Case("a foreign id before the answer", {"do": "stranger", "then": 3}, None, None),
    Case("the answer twice", {"do": "twice", "value": 4}, None, None),
    Case("byte by byte", {"do": "drip", "value": 5}, None, None),
    Case("a byte now and then", {"do": "trickle"}, "timeout", UNKNOWN, never=True),
    Case(
        "another form",
        {"do": "result", "result": {"content": [], "structuredContent": {"other": 1}}},
        "shape_mismatch",
        "shape_mismatch",
    ),
    Case("no result", {"do": "result", "result": {"content": "?"}}, "shape_mismatch", "shape_mismatch"),
    Case("death", {"do": "kill"}, "unavailable", UNKNOWN),
    Case("an exit", {"do": "exit", "code": 3}, "unavailable", UNKNOWN),
    Case("an exit within a message", {"do": "half"}, "unavailable", UNKNOWN),
)


@pytest.mark.parametrize("case", CASES, ids=[each.name for each in CASES])
async def test_one_call(case: Case):
    async with nothing_left():
        await judged(case, plan_of(None, *both(case)))


@pytest.mark.parametrize(
    "method", ["ping", "sampling/createMessage", "roots/list", "elicitation/create", "tools/call", "nonsense"]
)
async def test_a_server_that_asks_its_client_is_answered(method: str):
    """Most is refused; the call goes on."""
    asks = chain("c", does("s", "read", {"do": "asks", "method": method}), output=ref("s"))
    async with nothing_left():
        result = await once(None, asks)
    assert result.fault is None
    assert (result.value["value"] == "a result") == (method == "ping")


async def test_a_late_answer_is_not_the_answer_of_the_next_call():
    late = does("late", "read", {"do": "late", "value": "late"}, timeout_ms=HASTY, on_error={"kind": "skip"})
    after = does("after", "read", {"do": "echo", "value": "in time"}, "late")
    chained = chain("c", late, after, output=record(late=ref("late"), after=ref("after")))
    async with nothing_left(), runs(plan_of(None, chained)) as each:
        result = await each.run()
    assert result.value == {"late": None, "after": {"value": "in time"}}
    assert told(result) == [("late", 1, "timeout"), ("after", 1, "ok")]


async def test_the_second_of_two_answers_is_not_the_answer_of_the_next_call():
    first = does("first", "read", {"do": "twice", "value": 1})
    second = does("second", "read", {"do": "echo", "value": 2}, "first")
    chained = chain("c", first, second, output=record(first=ref("first"), second=ref("second")))
    async with nothing_left(), runs(plan_of(None, chained)) as each:
        assert (await each.run()).value == {"first": {"value": 1}, "second": {"value": 2}}


async def test_every_attempt_has_a_receipt(tmp_path: Path):
    turns: list[dict[str, Any]] = [{"do": "kill"}, {"do": "half"}, {"do": "echo", "value": "at last"}]
    step = does("s", "put", {"do": "turns", "turns": turns}, retry={"count": 3, "wait_ms": 1})
    plan = plan_of(None, chain("c", step, output=ref("s"), wrapped=True), options=("--calls", str(tmp_path / "calls")))
    async with nothing_left(), runs(plan) as each:
        result = await each.run()
    assert result.wire == {"result": {"value": "at last"}}
    assert told(result) == [("s", 1, "unavailable"), ("s", 2, "unavailable"), ("s", 3, "ok")]


async def test_a_death_fails_all_calls_under_way_and_the_loop_goes_on(tmp_path: Path):
    """Of eight items at once the third one kills the server; those that were under way fail, the others do not."""
    item = does("x", "read", {"do": ref("item"), "value": 7})
    items = const(["echo", "echo", "kill", *["echo"] * 5])
    work = loop("work", items, item, parallel=8, on_item_error={"kind": "use", "value": const("lost")})
    after = does("after", "read", {"do": "echo", "value": 8}, "work")
    chained = chain("c", work, after, output=record(work=ref("work"), after=ref("after")))
    async with nothing_left(), runs(plan_of(None, chained)) as each:
        result = await each.run()
    assert result.fault is None
    found = result.value["work"]
    assert len(found) == 8
    assert found[2] == "lost"
    assert all(each in ("lost", {"value": 7}) for each in found)
    assert result.value["after"] == {"value": 8}
    outcomes = Counter(outcome for _, _, outcome in told(result))
    assert outcomes == {"unavailable": found.count("lost"), "ok": 9 - found.count("lost")}


async def test_what_was_done_before_is_taken_back_on_a_server_that_is_started_again(tmp_path: Path):
    calls = tmp_path / "calls"
    back = call("write", do=const("echo"), value=const("back"))
    first = does("first", "write", {"do": "echo", "value": "done"}, undo=back)
    second = does("second", "write", {"do": "kill"}, "first", undo=back)
    plan = plan_of(None, chain("c", first, second, output=const(1)), options=("--calls", str(calls)))
    async with nothing_left(), runs(plan) as each:
        result = await each.run()
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == (UNKNOWN, "second")
    assert (result.fault.done, result.fault.undone) == ((), ("first",))
    assert [each["step"] for each in result.fault.not_undone] == ["second"]
    assert [(each.step, each.purpose, each.outcome) for each in result.receipts] == [
        ("first", "step", "ok"),
        ("second", "step", "fault"),
        ("first", "undo", "ok"),
    ]
    assert len(calls.read_text().splitlines()) == 3


@pytest.mark.parametrize("tool", ["read", "write"])
async def test_a_client_that_goes_away_leaves_nothing(tool: str, tmp_path: Path):
    """A read is given up at once; a write is awaited until its own time is over."""
    calls = tmp_path / "calls"
    waits = does("s", tool, {"do": "hang"}, timeout_ms=PATIENT if tool == "read" else HASTY)
    plan = plan_of(None, chain("c", waits, output=ref("s")), options=("--calls", str(calls)))
    async with nothing_left(), runs(plan) as each:
        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:
                group.start_soon(each.run)
                while not calls.exists():
                    await anyio.sleep(0.01)
                group.cancel_scope.cancel()


async def test_files_and_processes_do_not_grow_from_call_to_call(tmp_path: Path):
    """Two dozen calls, each of which ends its server in another way."""
    step = does("s", "read", {"do": ref("do"), "code": 1}, timeout_ms=PATIENT)
    plan = plan_of(None, chain("c", step, output=ref("s"), inputs=(given("do"),)))
    async with nothing_left(), runs(plan) as each:
        assert (await each.run(do="kill")).fault is not None
        async with nothing_left():
            for number in range(24):
                result = await each.run(do=("kill", "exit", "half")[number % 3])
                assert result.fault is not None
                assert result.fault.fault_class == "unavailable"
