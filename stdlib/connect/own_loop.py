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
from typing import Any, Final, Generic, TypeVar

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
    is blocked when its work is given up is left, and the next work has a new one, with what had not begun yet."""

    def __init__(self) -> None:
        self._place: _Place | None = None
        self._left: list[threading.Thread] = []

    async def run(self, work: Callable[[], Coroutine[Any, Any, _T]], failed: Callable[[BaseException], RunFault]) -> _T:
        """What `work` returns. What it raises is a fault already, or `failed` makes one of it, also of CancelledError
        where nobody cancelled it. When the caller is cancelled, so is the work, and it has `GRACE` seconds to end."""
        await anyio.lowlevel.checkpoint_if_cancelled()
        job = _Job(work, failed, self._started())
        self._start(job)
        try:
            return await job.done
        except asyncio.CancelledError:
            job.given_up = True
            _post(job.place.loop, job.cancel)
            with anyio.CancelScope(shield=True), anyio.move_on_after(GRACE):
                await job.ended.wait()
            if not (job.heard or job.ended.is_set()):
                self._leave(job.place)
            raise
        finally:
            job.place.jobs.pop(job, None)

    async def each(
        self, iterate: Callable[[], AsyncGenerator[_T]], failed: Callable[[BaseException], RunFault]
    ) -> AsyncGenerator[_T]:
        """What a generator gives that works in the loop, all in one task; it goes on when the one before was taken."""
        ours = asyncio.get_running_loop()
        came: asyncio.Queue[Any] = asyncio.Queue()
        wanted = asyncio.Event()

        async def pump() -> None:
            go_on = partial(_post, asyncio.get_running_loop(), wanted.set)  # where it began, which may be the next loop
            async with aclosing(iterate()) as found:
                async for each in found:
                    wanted.clear()
                    _post(ours, partial(came.put_nowait, (each, go_on)))
                    await wanted.wait()

        task = asyncio.create_task(self.run(pump, failed))
        task.add_done_callback(lambda _: came.put_nowait(_END))
        try:
            while (found := await came.get()) is not _END:
                piece, go_on = found
                yield piece
                go_on()
            await task
        finally:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # nobody else asks for it

    def close(self) -> None:
        """Cancels what is under way; nobody waits for it."""
        if self._place is not None:
            _post(self._place.loop, self._place.end)
        self._place = None

    def _started(self) -> _Place:
        if self._place is None or self._place.loop.is_closed():  # by a function
            self._place = _Place(self._lost)
        return self._place

    def _start(self, job: _Job[Any]) -> None:
        while job.goes_to(place := self._started()):
            with suppress(RuntimeError):  # it was closed just now
                place.loop.call_soon_threadsafe(job.begin, place)
                return

    def _leave(self, place: _Place) -> None:
        """It ends when all that began in it has."""
        self._left = [each for each in self._left if each.is_alive()]
        if place is self._place and len(self._left) < MOST_LEFT:
            log.warning("an async function never awaits; others go on beside it")
            self._left.append(place.thread)
            self._place = None
            _post(place.loop, place.end_with_its_work)
            for job in list(place.jobs):
                self._start(job)

    def _lost(self, job: _Job[Any], place: _Place) -> None:
        """The place has ended before the job did."""
        if job.place is not place:
            return
        if job.done.done():
            job.settle(None, None)
        elif job.begun:
            job.given_up = True
            job.settle(None, job.failed(RuntimeError("the event loop of async functions was closed")))
        else:
            self._start(job)


class _Job(Generic[_T]):
    """Work as both threads know it. `begun`: in `place`, and so nowhere else; `heard`: its loop was not blocked when it
    was given up."""

    def __init__(
        self, work: Callable[[], Coroutine[Any, Any, _T]], failed: Callable[[BaseException], RunFault], place: _Place
    ) -> None:
        self.ours = asyncio.get_running_loop()
        self.done: asyncio.Future[_T] = self.ours.create_future()
        self.ended = asyncio.Event()
        self.failed, self.place = failed, place
        self.begun = self.given_up = self.heard = False
        self._work, self._context = work, contextvars.copy_context()
        self._lock = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self._outcome: tuple[Any, RunFault | None] = (None, None)

    def goes_to(self, place: _Place) -> bool:
        """Whether it may still begin there."""
        with self._lock:
            if self.begun or self.given_up:
                return False
            self.place.jobs.pop(self, None)
            self.place = place
            place.jobs[self] = None
            return True

    def begin(self, place: _Place) -> None:
        if self.place is place:
            task = place.loop.create_task(self._run(place), context=self._context.copy())
            with self._lock:
                if self.place is place:
                    self._task = task
            task.add_done_callback(partial(self._tell, place))

    def cancel(self) -> None:
        self.heard = True
        if self._task is not None:
            self._task.cancel()

    def settle(self, value: Any, error: RunFault | None) -> None:
        """In the loop that waits for it."""
        self.ended.set()
        if self.done.done():
            return
        if error is None:
            self.done.set_result(value)
        else:
            self.done.set_exception(error)

    async def _run(self, place: _Place) -> None:
        if not self._begins(place):
            return
        value: Any = None
        error: RunFault | None = None
        try:
            value = await self._work()
        except RunFault as found:
            error = found
        except BaseException as raised:
            error = None if self.given_up else self.failed(raised)
        self._outcome = (value, error)

    def _begins(self, place: _Place) -> bool:
        with self._lock:
            if self.place is not place or self.given_up:
                return False
            self.begun = True
            return True

    def _tell(self, place: _Place, task: asyncio.Task[None]) -> None:
        if task.cancelled() and self._begins(place):
            self._outcome = (None, self.failed(asyncio.CancelledError()))
        if self.place is place:
            _post(self.ours, partial(self.settle, *self._outcome))


class _Place:
    """A loop in its thread, and the jobs that were given to it. A function may stop the loop: it goes on; where one
    closed it, each job that is left is `lost`, in the loop that waits for it."""

    def __init__(self, lost: Callable[[_Job[Any], _Place], None]) -> None:
        self.loop = asyncio.new_event_loop()
        self.jobs: dict[_Job[Any], None] = {}
        self._lost, self._over = lost, False
        self.thread = threading.Thread(target=self._serve, name="coroutines", daemon=True)
        self.thread.start()

    def end(self) -> None:
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.end_with_its_work()

    def end_with_its_work(self) -> None:
        if asyncio.all_tasks(self.loop):
            self.loop.call_later(0.1, self.end_with_its_work)
        else:
            self._over = True
            self.loop.stop()

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not (self._over or self.loop.is_closed()):
            try:
                self.loop.run_forever()
            except BaseException as error:  # a task that nobody awaits raised SystemExit or KeyboardInterrupt
                if not self.loop.is_closed():
                    log.warning("a task of an async function tried to end the program: %s", type(error).__name__)
        if not self.loop.is_closed():
            with suppress(BaseException):
                self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            with suppress(BaseException):
                self.loop.close()
        for job in list(self.jobs):
            _post(job.ours, partial(self._lost, job, self))


def _post(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # it is closed: nobody waits
        loop.call_soon_threadsafe(call)
