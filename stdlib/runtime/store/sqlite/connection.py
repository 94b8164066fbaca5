"""One connection to the database, in a thread of its own, beside the event loop.

Every piece of work is done as a whole or not at all. What waits at the same time shares one transaction, and so the
wait for the disk; each has a savepoint of its own, and nobody hears of success before the commit.
"""

from __future__ import annotations

import asyncio
import errno
import queue
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import anyio

from ..unusable import StoreFull, StoreUnusable
from .schema import begin_to_write

_T = TypeVar("_T")
Work = Callable[[sqlite3.Connection], _T]

_MOST_TOGETHER: Final = 100


class _Job(Generic[_T]):
    value: _T

    def __init__(self, work: Work[_T], writes: bool) -> None:
        self.work = work
        self.writes = writes
        self.error: Exception | None = None
        self._loop = asyncio.get_running_loop()
        self.done: asyncio.Future[None] = self._loop.create_future()

    def settle(self) -> None:
        with suppress(RuntimeError):  # the loop is gone: nobody waits
            self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Connection:
    """`connect` and `between`, which is called after each transaction, run in the thread. Raises what `connect`
    does."""

    def __init__(
        self, path: Path, connect: Callable[[], sqlite3.Connection], between: Callable[[sqlite3.Connection], None]
    ) -> None:
        self._path = path
        self._connect = connect
        self._between = between
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._closed = False
        self._failed: BaseException | None = None
        opened = threading.Event()
        self._thread = threading.Thread(target=self._live, args=(opened,), name="store", daemon=True)
        self._thread.start()
        opened.wait()
        if self._failed is not None:
            raise self._failed

    async def read(self, work: Work[_T]) -> _T:
        job = _Job(work, False)
        await self._do(job)
        return job.value

    async def write(self, work: Work[_T]) -> _T:
        """What `work` returns, when it is on the disk. Raises what `work` raises, and StoreUnusable. Once begun it is
        finished, whether the caller is cancelled or not."""
        job = _Job(work, True)
        await self._do(job)
        return job.value

    async def close(self) -> None:
        """Finishes what was begun."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._thread.join)

    async def _do(self, job: _Job[Any]) -> None:
        if self._closed:
            raise StoreUnusable(f"The store {self._path} is closed.")
        self._jobs.put(job)
        with anyio.CancelScope(shield=True):
            await job.done
        if isinstance(job.error, sqlite3.Error | OSError):
            raise unusable(self._path, job.error) from job.error
        if job.error is not None:
            raise job.error

    def _live(self, opened: threading.Event) -> None:
        try:
            database = self._connect()
        except BaseException as error:
            self._failed = error
            return
        finally:
            opened.set()
        try:
            while (jobs := self._next_jobs()) is not None:
                _transact(database, jobs)
                for job in jobs:
                    job.settle()
                with suppress(sqlite3.Error, OSError):  # whoever uses it next will hear of it
                    self._between(database)
        finally:
            database.close()

    def _next_jobs(self) -> list[_Job[Any]] | None:
        """At least one, waiting for it. None when there will be no more."""
        job = self._jobs.get()
        if job is None:
            return None
        jobs = [job]
        with suppress(queue.Empty):
            while len(jobs) < _MOST_TOGETHER:
                job = self._jobs.get_nowait()
                if job is None:
                    self._jobs.put(None)
                    break
                jobs.append(job)
        return jobs


def _transact(database: sqlite3.Connection, jobs: list[_Job[Any]]) -> None:
    try:
        if any(job.writes for job in jobs):
            begin_to_write(database)
        else:
            database.execute("BEGIN")
        for job in jobs:
            database.execute("SAVEPOINT job")
            try:
                job.value = job.work(database)
            except Exception as error:
                if not database.in_transaction:
                    raise
                job.error = error
                database.execute("ROLLBACK TO job")
            database.execute("RELEASE job")
        database.execute("COMMIT")
    except Exception as error:
        with suppress(sqlite3.Error):
            if database.in_transaction:
                database.execute("ROLLBACK")
        for job in jobs:
            job.error = job.error or error


def unusable(path: Path, error: Exception) -> StoreUnusable:
    """What SQLite and the system say, in words of ours."""
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return StoreFull(f"The store {path} is full: there is no room left on its disk.")
        if isinstance(error, FileNotFoundError):
            return StoreUnusable(f"The store {path} cannot be used: a file beside it is missing. Bring back a copy.")
        reason = error.strerror or type(error).__name__
        return StoreUnusable(f"The store {path} cannot be used: {reason[:1].lower()}{reason[1:]}.")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"The store {path} is full: there is no room left on its disk.")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreUnusable(f"The store {path} cannot be used: another process has been writing for too long.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreUnusable(f"The store {path} cannot be used: it may not be written. Look at who owns it.")
    if code == sqlite3.SQLITE_NOTADB:
        return StoreUnusable(f"The store {path} cannot be used: the file is something else. Name another file.")
    if code == sqlite3.SQLITE_CORRUPT or type(error) is sqlite3.DatabaseError:
        return StoreUnusable(
            f"The store {path} cannot be used: the file is damaged. Bring back a copy, or name another."
        )
    return StoreUnusable(f"The store {path} cannot be used: {error}.")
