"""Coroutines in a loop of their own: cancelled with their caller, left where they block."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import anyio
import anyio.to_thread
import pytest

from stdlib.connect import own_loop
from stdlib.connect.own_loop import OwnLoop
from stdlib.runtime.fault import RunFault, fault

pytestmark = pytest.mark.anyio

WAIT = 20
"""Seconds after which a thread that should have been told something gives up."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def loop() -> AsyncIterator[OwnLoop]:
    made = OwnLoop()
    yield made
    made.close()


def failed(error: BaseException) -> RunFault:
    return fault("tool_error", type(error).__name__)


async def thread() -> threading.Thread:
    return threading.current_thread()


async def test_all_work_has_one_thread_that_keeps_no_process_alive(loop: OwnLoop):
    used = {await loop.run(thread, failed) for _ in range(3)}
    assert len(used) == 1
    (one,) = used
    assert one.daemon
    assert one is not threading.current_thread()
    loop.close()
    await anyio.to_thread.run_sync(one.join, WAIT)
    assert not one.is_alive()


async def test_work_sees_the_context_of_its_caller(loop: OwnLoop):
    seen = contextvars.ContextVar("seen", default=0)
    seen.set(5)

    async def look() -> int:
        return seen.get()

    assert await loop.run(look, failed) == 5


async def test_pieces_come_from_one_task_which_goes_on_when_they_are_taken(loop: OwnLoop):
    tasks: list[object] = []

    async def count() -> AsyncGenerator[int]:
        async with asyncio.timeout(WAIT):  # may only be left by the task that entered it
            for number in range(4):
                tasks.append(asyncio.current_task())
                yield number
        raise KeyboardInterrupt

    found: list[int] = []

    async def take() -> None:
        async for each in loop.each(count, failed):
            found.append(each)
            assert len(tasks) == len(found)

    with pytest.raises(RunFault, match="KeyboardInterrupt"):
        await take()
    assert found == [0, 1, 2, 3]
    assert len(set(tasks)) == 1


async def test_pieces_that_nobody_takes_any_more_are_closed(loop: OwnLoop):
    closed = threading.Event()

    async def count() -> AsyncGenerator[int]:
        try:
            while True:
                yield 1
        finally:
            await asyncio.sleep(0)
            closed.set()

    async with aclosing(loop.each(count, failed)) as numbers:
        async for _ in numbers:
            break
    assert closed.is_set()


async def test_a_loop_that_is_blocked_is_left_and_ends_with_what_blocks_it(loop: OwnLoop, monkeypatch):
    monkeypatch.setattr(own_loop, "GRACE", 0.1)
    begun, go_on = threading.Event(), threading.Event()

    async def block() -> None:
        begun.set()
        go_on.wait(WAIT)

    first = await loop.run(thread, failed)
    async with anyio.create_task_group() as group:
        group.start_soon(loop.run, block, failed)
        await anyio.to_thread.run_sync(begun.wait, WAIT)
        group.cancel_scope.cancel()
    assert await loop.run(thread, failed) is not first
    go_on.set()
    await anyio.to_thread.run_sync(first.join, WAIT)
    assert not first.is_alive()


async def test_closing_fails_what_is_under_way(loop: OwnLoop):
    begun = threading.Event()

    async def wait() -> None:
        begun.set()
        await asyncio.sleep(60)

    async with anyio.create_task_group() as group:
        group.start_soon(_close_after, begun, loop)
        with pytest.raises(RunFault, match="CancelledError"):
            await loop.run(wait, failed)


async def _close_after(begun: threading.Event, loop: OwnLoop) -> None:
    await anyio.to_thread.run_sync(begun.wait, WAIT)
    loop.close()
