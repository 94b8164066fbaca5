"""Coroutines in a loop of their own: cancelled with their caller, left where they block."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import pytest

from stdlib.connect import own_loop
from stdlib.connect.own_loop import OwnLoop
from stdlib.runtime.fault import RunFault, fault

pytestmark = pytest.mark.anyio

Work = Callable[[], Coroutine[Any, Any, None]]

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


@contextmanager
def blocked(loop: OwnLoop, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Work, threading.Event]]:
    """Work that blocks the loop until the event is set."""
    monkeypatch.setattr(own_loop, "GRACE", 0.1)
    go_on = threading.Event()

    async def block() -> None:
        go_on.wait(WAIT)

    try:
        yield block, go_on
    finally:
        go_on.set()


async def test_what_waits_behind_a_blocked_loop_begins_once_in_the_next(loop: OwnLoop, monkeypatch):
    begun: list[threading.Thread] = []

    async def count() -> AsyncGenerator[int]:
        begun.append(await thread())
        for number in range(3):
            yield number

    async def take() -> None:
        begun.append(await loop.run(thread, failed))

    async def take_pieces() -> None:
        assert [each async for each in loop.each(count, failed)] == [0, 1, 2]

    first = await loop.run(thread, failed)
    with blocked(loop, monkeypatch) as (block, go_on), anyio.fail_after(WAIT / 2):
        async with anyio.create_task_group() as group:
            blocking = asyncio.create_task(loop.run(block, failed))
            await asyncio.sleep(0)  # it was given to the loop, and what follows comes behind it
            group.start_soon(take)
            group.start_soon(take_pieces)
            await anyio.wait_all_tasks_blocked()
            blocking.cancel()
        assert len(begun) == 2
        assert {*begun} == {await loop.run(thread, failed)} != {first}
        go_on.set()
        await anyio.to_thread.run_sync(first.join, WAIT)
    assert not first.is_alive()
    assert len(begun) == 2


async def test_work_that_was_given_up_before_it_began_tells_no_failure(loop: OwnLoop, monkeypatch):
    told: list[BaseException] = []
    begun = threading.Event()

    def tell(error: BaseException) -> RunFault:
        told.append(error)
        return failed(error)

    async def begin() -> None:
        begun.set()

    with blocked(loop, monkeypatch) as (block, go_on), anyio.fail_after(WAIT / 2):
        monkeypatch.setattr(own_loop, "GRACE", WAIT)  # the loop goes on in time: it is not left
        blocking = asyncio.create_task(loop.run(block, failed))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(loop.run(begin, tell))
        await asyncio.sleep(0)
        waiting.cancel()
        await anyio.wait_all_tasks_blocked()
        go_on.set()
        await asyncio.wait([blocking, waiting])
        await loop.run(thread, failed)
    assert waiting.cancelled()
    assert not told
    assert not begun.is_set()


async def test_a_loop_that_a_function_stops_goes_on(loop: OwnLoop):
    begun = threading.Event()
    go_on: list[Callable[[], object]] = []

    async def wait() -> int:
        event = asyncio.Event()
        go_on.append(partial(asyncio.get_running_loop().call_soon_threadsafe, event.set))
        begun.set()
        await event.wait()
        return 5

    async def stop() -> None:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)

    with anyio.fail_after(WAIT):
        first = await loop.run(thread, failed)
        waiting = asyncio.create_task(loop.run(wait, failed))
        await anyio.to_thread.run_sync(begun.wait, WAIT)
        for _ in range(3):
            await loop.run(stop, failed)
        assert await loop.run(thread, failed) is first
        go_on[0]()
        assert await waiting == 5


async def test_a_loop_that_a_function_closes_fails_its_work_and_the_next_has_another(loop: OwnLoop):
    begun = threading.Event()

    async def wait() -> None:
        begun.set()
        await asyncio.sleep(60)

    async def close() -> None:
        running = asyncio.get_running_loop()
        running.is_running = lambda: False  # type: ignore[method-assign]
        running.close()

    with anyio.fail_after(WAIT):
        first = await loop.run(thread, failed)
        waiting = asyncio.create_task(loop.run(wait, failed))
        await anyio.to_thread.run_sync(begun.wait, WAIT)
        with pytest.raises(RunFault, match="RuntimeError"):
            await loop.run(close, failed)
        with pytest.raises(RunFault, match="RuntimeError"):
            await waiting
        assert await loop.run(thread, failed) is not first


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
