"""An event loop beside the one that serves, in a thread that does not keep the process alive: what never awaits there,
or will not be cancelled, holds up its own kind alone."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, Final, TypeVar

import anyio
import anyio.lowlevel

from ..runtime.fault import RunFault

_T = TypeVar("_T")

GRACE: Final = 0.5
"""Seconds that work which is given up has to end."""

MOST_LEFT: Final = 16
"""Loops at once that were left to what blocks them."""

_END: Final = object()

log = logging.getLogger("chainc.connect")


class OwnLoop:
    """One loop for all work of an owner, so that what is bound to a loop (a lock, a client) may be shared. A loop that
    is blocked when its work is given up is left, and the next work has a new one."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._left: list[threading.Thread] = []
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], Coroutine[Any, Any, _T]], failed: Callable[[BaseException], RunFault]) -> _T:
        """What `work` returns. What it raises is a fault already, or `failed` makes one of it, also of CancelledError
        where nobody cancelled it. When the caller is cancelled, so is the work, and it has `GRACE` seconds to end."""
        ours, loop = asyncio.get_running_loop(), self._started()
        await anyio.lowlevel.checkpoint_if_cancelled()
        done: asyncio.Future[_T] = ours.create_future()
        ended = asyncio.Event()
        context = contextvars.copy_context()
        job = _Job()

        def settle(value: Any, error: RunFault | None) -> None:
            ended.set()
            if done.done():
                return
            if error is None:
                done.set_result(value)
            else:
                done.set_exception(error)

        async def outcome() -> None:
            value: Any = None
            error: RunFault | None = None
            try:
                value = await work()
            except RunFault as found:
                error = found
            except BaseException as raised:
                error = None if job.given_up else failed(raised)
            job.outcome = (value, error)

        def tell(task: asyncio.Task[None]) -> None:
            if task.cancelled():  # before it began
                job.outcome = (None, failed(asyncio.CancelledError()))
            _post(ours, partial(settle, *job.outcome))

        def begin() -> None:
            job.task = loop.create_task(outcome(), context=context)
            job.task.add_done_callback(tell)

        loop.call_soon_threadsafe(begin)
        try:
            return await done
        except asyncio.CancelledError:
            job.given_up = True
            _post(loop, job.cancel)
            with anyio.CancelScope(shield=True), anyio.move_on_after(GRACE):
                await ended.wait()
            if not job.heard:
                self._leave(loop)
            raise

    async def each(
        self, iterate: Callable[[], AsyncGenerator[_T]], failed: Callable[[BaseException], RunFault]
    ) -> AsyncGenerator[_T]:
        """What a generator gives that works in the loop, all in one task; it goes on when the one before was taken."""
        ours, loop = asyncio.get_running_loop(), self._started()
        came: asyncio.Queue[Any] = asyncio.Queue()
        wanted = asyncio.Event()

        async def pump() -> None:
            async with aclosing(iterate()) as found:
                async for each in found:
                    wanted.clear()
                    _post(ours, partial(came.put_nowait, each))
                    await wanted.wait()

        task = asyncio.create_task(self.run(pump, failed))
        task.add_done_callback(lambda _: came.put_nowait(_END))
        try:
            while (found := await came.get()) is not _END:
                yield found
                _post(loop, wanted.set)
            await task
        finally:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # nobody else asks for it

    def close(self) -> None:
        """Cancels what is under way; nobody waits for it."""
        if self._loop is not None:
            _post(self._loop, partial(_end, self._loop))
        self._loop = None

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="coroutines", daemon=True)
            self._thread.start()
        return self._loop

    def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """It ends when all that began in it has."""
        self._left = [each for each in self._left if each.is_alive()]
        if loop is self._loop and self._thread is not None and len(self._left) < MOST_LEFT:
            log.warning("an async function never awaits; others go on beside it")
            self._left.append(self._thread)
            self._loop = None
            _post(loop, partial(_end_with_its_work, loop))


class _Job:
    """Work as both threads know it. `heard`: its loop was not blocked when it was given up."""

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.outcome: tuple[Any, RunFault | None] = (None, None)
        self.given_up = self.heard = False

    def cancel(self) -> None:
        self.heard = True
        if self.task is not None:
            self.task.cancel()


def _post(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # it is closed: nobody waits
        loop.call_soon_threadsafe(call)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
    _end_with_its_work(loop)


def _end_with_its_work(loop: asyncio.AbstractEventLoop) -> None:
    if asyncio.all_tasks(loop):
        loop.call_later(0.1, _end_with_its_work, loop)
    else:
        loop.stop()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    while True:
        try:
            loop.run_forever()
            break
        except BaseException as error:  # a task that nobody awaits raised SystemExit or KeyboardInterrupt
            log.warning("a task of an async function tried to end the program: %s", type(error).__name__)
    with suppress(BaseException):
        loop.run_until_complete(loop.shutdown_asyncgens())
    with suppress(BaseException):
        loop.close()
