"""The driver: real time, real tasks, tools that are functions."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from stdlib.runtime.events import Progress
from stdlib.runtime.fault import fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import Caller, Result, run_chain
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.world import Ambient

from .plans import chain, const, given, loop, plan, record, ref, step

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Tools:
    """Does what the arguments say: `ms` to wait, `hold` until it is let go, `fail` with a class; and counts."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.begun: list[Any] = []
        self.done: list[Any] = []
        self.cancelled: list[Any] = []
        self.let_go = anyio.Event()

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        self.now += 1
        self.begun.append(arguments.get("n"))
        self.most = max(self.most, self.now)
        try:
            with anyio.move_on_after(timeout) as patience:
                await anyio.sleep(arguments.get("ms", 1) / 1000)
                if "hold" in arguments:
                    await self.let_go.wait()
            if patience.cancelled_caught:
                raise fault("timeout", "no answer")
            if "fail" in arguments:
                raise fault(arguments["fail"], "no", sent=arguments.get("sent", True))
            if "raise" in arguments:
                raise RuntimeError("secret")
            self.done.append(arguments.get("n"))
            return ToolAnswer(structured=arguments.get("value"))
        except asyncio.CancelledError:
            self.cancelled.append(arguments.get("n"))
            raise
        finally:
            self.now -= 1


async def run(tools: Tools, one: p.Chain, *more: p.Chain, progress: Any = None, **arguments: Any) -> Result:
    return await run_chain(
        load_plan(plan(one, *more)),
        one.id,
        arguments,
        tools=tools,
        store=MemoryStore(),
        caller=Caller(on_progress=progress),
        ambient=Ambient(chance=lambda: 1.0, clock=lambda: 1780300800.123, new_id=lambda: "run_7"),
    )


def constants(**fields: Any) -> dict[str, Any]:
    return {name: const(value) for name, value in fields.items()}


async def test_steps_run_at_once_and_loops_keep_their_bound():
    tools = Tools()
    result = await run(
        tools, chain("c", *(step(f"s{n}", arguments=constants(ms=20)) for n in range(6)), output=const(1))
    )
    assert result.value == 1
    assert tools.most == 6
    tools = Tools()
    body = step("l", arguments={"n": ref("item"), "value": ref("item"), **constants(ms=5)})
    result = await run(tools, chain("c", loop("l", const(list(range(20))), body, parallel=3), output=ref("l")))
    assert result.value == list(range(20))
    assert tools.most == 3


async def test_the_run_is_what_the_driver_says():
    result = await run(Tools(), chain("c", output=ref("run")))
    assert result.value == {"id": "run_7", "started_at": "2026-06-01T08:00:00.123Z"}


async def test_a_read_that_hangs_is_a_timeout_and_a_write_an_unknown_outcome():
    slow = constants(ms=5000)
    read = await run(Tools(), chain("c", step("a", arguments=slow, timeout_ms=20), output=ref("a")))
    assert read.fault is not None
    assert (read.fault.fault_class, read.fault.step, read.fault.retryable) == ("timeout", "a", True)
    write = await run(Tools(), chain("c", step("a", tool="write", arguments=slow, timeout_ms=20), output=ref("a")))
    assert write.fault is not None
    assert (write.fault.fault_class, write.fault.retryable) == ("unknown_outcome", False)
    assert write.fault.message == "It is unknown whether `test.write` has happened: no answer"
    put = await run(Tools(), chain("c", step("a", tool="put", arguments=slow, timeout_ms=20), output=ref("a")))
    assert put.fault is not None
    assert put.fault.fault_class == "timeout"


async def test_a_write_that_was_never_sent_is_known_not_to_have_happened():
    arguments = constants(fail="unavailable", sent=False)
    result = await run(Tools(), chain("c", step("a", tool="write", arguments=arguments), output=ref("a")))
    assert result.fault is not None
    assert result.fault.fault_class == "unavailable"


async def test_retries_wait_by_the_clock():
    tools = Tools()
    retry = {"count": 2, "wait_ms": 40}
    arguments = constants(fail="unavailable")
    with anyio.fail_after(5):
        started = anyio.current_time()
        result = await run(tools, chain("c", step("a", arguments=arguments, retry=retry), output=ref("a")))
    assert result.fault is not None
    # Chance takes the whole share away: half of 40 ms and half of 80 ms.
    assert 0.06 <= anyio.current_time() - started < 2


async def test_a_failure_cancels_reads_and_awaits_writes():
    tools = Tools()
    result = await run(
        tools,
        chain(
            "c",
            step("r", arguments=constants(ms=5000, n="r")),
            step("w", tool="write", arguments=constants(ms=60, n="w")),
            step("bad", arguments=constants(fail="tool_error", ms=5)),
            output=ref("r"),
        ),
    )
    assert result.fault is not None
    assert result.fault.done == ("w",)
    assert (tools.cancelled, tools.done) == (["r"], ["w"])


async def test_cancelling_the_caller_reaches_every_step_and_leaves_no_task():
    tools = Tools()
    before = asyncio.all_tasks()
    inner = chain("inner", step("deep", arguments=constants(ms=5000, n="deep")), output=ref("deep"))
    one = chain(
        "c",
        loop("l", const([1, 2]), step("l", arguments={"n": ref("item"), **constants(ms=5000)})),
        step("w", tool="write", arguments=constants(hold=True, n="w")),
        step("call", chain="inner"),
        step("wait", arguments=constants(fail="timeout"), retry={"count": 9, "wait_ms": 60000}),
        step("after", "w", tool="write", arguments=constants(n="after")),
        output=ref("l"),
    )
    scope = anyio.CancelScope()

    async def cancel() -> None:
        while not {1, 2, "deep", "w"} <= {*tools.begun}:
            await anyio.sleep(0.001)
        scope.cancel()
        while len(tools.cancelled) < 3:
            await anyio.sleep(0.001)
        tools.let_go.set()

    async with anyio.create_task_group() as group:
        group.start_soon(cancel)
        with anyio.fail_after(30), scope:
            await run(tools, one, inner)
    assert scope.cancelled_caught
    assert sorted(map(str, tools.cancelled)) == ["1", "2", "deep"]
    assert tools.done == ["w"], "the write under way was awaited, the next one was not begun"
    assert asyncio.all_tasks() == before


async def test_a_task_that_is_cancelled_natively_ends_in_order_too():
    tools = Tools()
    write = step("w", tool="write", arguments=constants(hold=True, n="w"))
    task = asyncio.create_task(run(tools, chain("c", write, output=ref("w"))))
    while not tools.begun:
        await anyio.sleep(0.001)
    task.cancel()
    tools.let_go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tools.done == ["w"]


async def test_nothing_of_an_exception_reaches_the_client(caplog: pytest.LogCaptureFixture):
    result = await run(Tools(), chain("c", step("a", arguments={"raise": const(1)}), output=ref("a")))
    assert result.fault is not None
    assert result.fault.fault_class == "internal"
    assert "secret" not in str(result.fault.to_json())
    assert "secret" in caplog.text


async def test_progress_is_told_and_its_failure_is_no_matter():
    told: list[Progress] = []

    async def note(progress: Progress) -> None:
        told.append(progress)

    async def broken(progress: Progress) -> None:
        raise RuntimeError("gone")

    one = chain("c", step("a"), loop("l", const([1, 2]), step("l"), needs=("a",)), output=const(1))
    assert (await run(Tools(), one, progress=note)).fault is None
    assert [(each.finished, each.total) for each in told] == [(1, 2), (1.5, 2), (2, 2), (2, 2)]
    assert (await run(Tools(), one, progress=broken)).fault is None


async def test_what_clients_get():
    record_of = chain("c", output=record(a=const(1)), schema={"type": "object"})
    assert (await run(Tools(), record_of)).wire == {"a": 1}
    wrapped = await run(Tools(), chain("c", output=const([1]), wrapped=True))
    assert wrapped.wire == {"result": [1]}
    handle = await run(
        Tools(), chain("c", output=const([1, 2]), mode="handle", out={"handle": "rows", "expires_ms": 1000})
    )
    assert handle.wire is not None
    assert handle.wire["handle"]["kind"] == "rows"
    assert handle.wire["handle"]["items"] == 2
    assert handle.wire["handle"]["summary"] == "rows: 2 items, 5 bytes."


async def test_an_oversize_result_is_kept_and_said_to_be():
    result = await run(Tools(), chain("c", output=const("x" * 20_000), wrapped=True))
    assert result.fault is not None
    assert result.handle is not None
    assert result.fault.fault_class == "result_too_large"
    assert result.fault.details["handle"]["id"] == result.handle.id
    assert result.handle.id in str(result.fault.next)


async def test_wrong_arguments_and_unknown_chains_are_faults():
    one = chain("c", output=ref("q"), inputs=(given("q"),))
    missing = await run(Tools(), one)
    assert missing.fault is not None
    assert (missing.fault.fault_class, missing.fault.message) == (
        "invalid_input",
        "`c` needs the input `q`.",
    )
    extra = await run(Tools(), one, q=1, z=2)
    assert extra.fault is not None
    assert extra.fault.message == "`c` has no input `z`. It has: q."
    unknown = await run_chain(load_plan(plan(one)), "d", {}, tools=Tools(), store=MemoryStore())
    assert unknown.fault is not None
    assert unknown.fault.fault_class == "unknown_tool"
