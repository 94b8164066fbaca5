"""Blocking work beside the event loop, in threads that do not keep the process alive when they never end."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

import anyio
import anyio.lowlevel

_T = TypeVar("_T")

MOST_THREADS: Final = 64
"""At once, those included whose caller has given up on them."""

IDLE: Final = 10.0
"""Seconds that a thread waits for more work before it ends."""


class Threads:
    """A limit shared by the calls of one owner. Threads are used again; the one that has just ended its work first."""

    def __init__(self, most: int = MOST_THREADS, idle: float = IDLE) -> None:
        self._limit = anyio.CapacityLimiter(most)
        self._idle = idle
        self._waiting: list[_Worker] = []
        self._lock = threading.Lock()

    async def run(self, work: Callable[[], _T]) -> _T:
        """What `work` returns or raises, SystemExit and KeyboardInterrupt, too. When the caller is cancelled the thread
        goes on, and keeps its place under the limit until it ends."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()
        place = object()
        await anyio.lowlevel.checkpoint_if_cancelled()
        try:
            self._limit.acquire_on_behalf_of_nowait(place)
        except anyio.WouldBlock:
            await self._limit.acquire_on_behalf_of(place)
        context = contextvars.copy_context()

        def settle(value: Any, error: BaseException | None) -> None:
            self._limit.release_on_behalf_of(place)
            if done.done():
                return
            if error is None:
                done.set_result(value)
            else:
                done.set_exception(_Raised(error))

        def run() -> Callable[[], None]:
            value: Any = None
            failed: BaseException | None = None
            try:
                value = context.run(work)
            except StopIteration:
                failed = RuntimeError("StopIteration")  # a coroutine cannot raise it
            except BaseException as error:
                failed = error

            def tell() -> None:
                with suppress(RuntimeError):  # the loop is gone: nobody waits
                    loop.call_soon_threadsafe(settle, value, failed)

            return tell

        self._worker().jobs.put(run)
        try:
            return await done
        except _Raised as raised:
            raise raised.error from raised.error.__cause__  # which `from None` would take away

    def _worker(self) -> _Worker:
        """One that waits, or a new one."""
        with self._lock:
            if self._waiting:
                return self._waiting.pop()
        worker = _Worker()
        threading.Thread(target=self._serve, args=(worker,), name="tool", daemon=True).start()
        return worker

    def _serve(self, worker: _Worker) -> None:
        while True:
            try:
                job = worker.jobs.get(timeout=self._idle)
            except Empty:
                with self._lock:
                    if worker in self._waiting:
                        self._waiting.remove(worker)
                        return
                continue  # it was chosen just now: its work is on the way
            tell = job()
            with self._lock:
                self._waiting.append(worker)
            tell()
            del job, tell  # what the work held is let go before the wait


class _Worker:
    """A thread's own queue: it holds at most one piece of work, which gives what to do once the thread waits again."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Callable[[], Callable[[], None]]] = SimpleQueue()


class _Raised(Exception):
    """Carries what a thread raised: SystemExit in a future would end the loop."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error
