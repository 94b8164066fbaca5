"""Who looks on sees everything in order, and cannot disturb the run."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from stdlib.runtime.events import (
    CallFailed,
    CallSucceeded,
    CancelCall,
    CancelRequested,
    Progress,
    StartCall,
    StartTimer,
    TimerFired,
)
from stdlib.runtime.fault import fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import Caller, Result, run_chain
from stdlib.runtime.store.memory import MemoryStore

from .plans import chain, const, plan, ref, step

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Once:
    """Fails the first call, answers the others; `hang` never answers."""

    def __init__(self) -> None:
        self.calls = 0
        self.hangs = anyio.Event()

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        if arguments.get("hang"):
            self.hangs.set()
            await anyio.sleep_forever()
        self.calls += 1
        if self.calls == 1:
            raise fault("unavailable", "not now", sent=False)
        return ToolAnswer(structured=1)


async def run(tools: Once, one: p.Chain, watch: Any) -> Result:
    caller = Caller(watch=watch)
    return await run_chain(load_plan(plan(one)), one.id, {}, tools=tools, store=MemoryStore(), caller=caller)


async def test_everything_is_seen_in_order():
    seen: list[Any] = []
    retried = chain("c", step("a", retry={"count": 1, "wait_ms": 1}), output=ref("a"))
    result = await run(Once(), retried, seen.append)
    assert result.value == 1
    kinds = [StartCall, CallFailed, StartTimer, TimerFired, StartCall, CallSucceeded, Progress]
    assert [type(each) for each in seen] == kinds
    assert [each.attempt for each in seen if isinstance(each, StartCall)] == [1, 2]


async def test_a_cancelled_run_says_so():
    seen: list[Any] = []
    tools = Once()
    hanging = chain("c", step("a", arguments={"hang": const(True)}), output=ref("a"))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(run, tools, hanging, seen.append)
            await tools.hangs.wait()
            group.cancel_scope.cancel()
    assert [type(each) for each in seen] == [StartCall, CancelRequested, CancelCall]


async def test_a_watch_that_fails_does_not_reach_the_run():
    def broken(seen: Any) -> None:
        raise RuntimeError("blind")

    retried = chain("c", step("a", retry={"count": 1, "wait_ms": 1}), output=ref("a"))
    result = await run(Once(), retried, broken)
    assert (result.fault, result.value) == (None, 1)
