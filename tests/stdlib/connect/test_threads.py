"""Work in threads: used again, bounded, and gone when nothing comes."""

from __future__ import annotations

import contextvars
import threading
from functools import partial

import anyio
import pytest

from stdlib.connect.threads import Threads

pytestmark = pytest.mark.anyio

WAIT = 20
"""Seconds after which a thread that should have been told something gives up."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_work_after_work_has_the_same_thread():
    threads = Threads()
    used = [await threads.run(threading.current_thread) for _ in range(5)]
    assert len(set(used)) == 1
    assert used[0].daemon
    assert used[0] is not threading.current_thread()


async def test_work_at_once_has_threads_of_its_own():
    threads, together = Threads(), threading.Barrier(4)
    used: set[threading.Thread] = set()

    async def meet() -> None:
        used.add(await threads.run(lambda: (together.wait(WAIT), threading.current_thread())[1]))

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(meet)
    assert len(used) == 4
    assert await threads.run(threading.current_thread) in used


async def test_a_thread_that_nobody_needs_ends_and_another_takes_its_place():
    threads = Threads(idle=0.01)
    first = await threads.run(threading.current_thread)
    await anyio.to_thread.run_sync(first.join, WAIT)
    assert not first.is_alive()
    assert await threads.run(threading.current_thread) is not first


async def test_work_that_comes_while_threads_end_is_done():
    threads = Threads(idle=0.0)
    assert [await threads.run(partial(abs, n)) for n in range(200)] == list(range(200))


async def test_an_exception_leaves_the_thread_as_it_was():
    threads = Threads()
    with pytest.raises(SystemExit):
        await threads.run(lambda: (_ for _ in ()).throw(SystemExit(3)))
    assert await threads.run(lambda: 1) == 1


async def test_work_that_its_caller_gave_up_keeps_its_place():
    threads, go = Threads(most=1), threading.Event()
    with anyio.move_on_after(0.05):
        await threads.run(lambda: go.wait(WAIT))
    with anyio.move_on_after(0.05) as waiting:
        await threads.run(lambda: None)
    assert waiting.cancelled_caught
    go.set()
    assert await threads.run(lambda: 2) == 2


async def test_work_sees_the_variables_of_its_own_caller():
    variable = contextvars.ContextVar("variable", default="none")
    threads = Threads()

    async def told(value: str) -> str:
        variable.set(value)
        return await threads.run(variable.get)

    seen: list[str] = []

    async def note(value: str) -> None:
        seen.append(await told(value))

    async with anyio.create_task_group() as group:
        group.start_soon(note, "a")
    async with anyio.create_task_group() as group:
        group.start_soon(note, "b")
    assert seen == ["a", "b"]
    assert await threads.run(variable.get) == "none"
