"""Blocking work beside the event loop, in threads that do not keep the process alive when they never end."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import anyio

_T = TypeVar("_T")

MOST_THREADS: Final = 64
"""At once, those included whose caller has given up on them."""


class Threads:
    """A limit shared by the calls of one owner."""

    def __init__(self, most: int = MOST_THREADS) -> None:
        self._limit = anyio.CapacityLimiter(most)

    async def run(self, work: Callable[[], _T]) -> _T:
        """What `work` returns or raises, SystemExit and KeyboardInterrupt, too. When the caller is cancelled the thread
        goes on, and keeps its place under the limit until it ends."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()
        place = object()
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

        def run() -> None:
            value: Any = None
            failed: BaseException | None = None
            try:
                value = context.run(work)
            except StopIteration:
                failed = RuntimeError("StopIteration")  # a coroutine cannot raise it
            except BaseException as error:
                failed = error
            with suppress(RuntimeError):  # the loop is gone: nobody waits
                loop.call_soon_threadsafe(settle, value, failed)

        threading.Thread(target=run, name="tool", daemon=True).start()
        try:
            return await done
        except _Raised as raised:
            raise raised.error from None


class _Raised(Exception):
    """Carries what a thread raised: SystemExit in a future would end the loop."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error
