"""The life of one request: a process begins it, is killed, another one goes on, is killed as well, until one ends it.

Processes are forked, so that a life takes no longer than its chain. Each is killed with SIGKILL at a moment that is
drawn: before, between and after effects, while the store is written, while it is opened.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import anyio

from compiler.lower import lower
from stdlib.runtime.load import load_plan
from stdlib.runtime.loaded import LoadedPlan
from stdlib.runtime.receipt import Receipt
from stdlib.runtime.run import Caller, Result, resume_run, run_chain
from stdlib.runtime.store.journal import RunRow
from stdlib.runtime.store.sqlite import SqliteStore
from tests.compiler.world import checked
from tests.kills.shop import Buyer, Effect, Shop, effects

HERE = Path(__file__).parent


def compiled() -> LoadedPlan:
    made, said = checked((HERE / "order.chain").read_text("utf-8"), HERE / "sources")
    assert not [each.message for each in said if each.severity == "error"], [each.message for each in said]
    return load_plan(lower(made)[0])


@dataclass(slots=True)
class Life:
    """`again`: after a kill the client calls again with the same arguments, beside the run that goes on."""

    loaded: LoadedPlan
    folder: Path
    chain: str
    arguments: dict[str, Any]
    seed: str
    again: bool
    kills: list[float] = field(default_factory=list)
    """After how many seconds the processes were killed."""

    @property
    def store(self) -> Path:
        return self.folder / "state.db"

    @property
    def book(self) -> Path:
        return self.folder / "book"

    # ------------------------------------------------------------------ processes

    async def begin(self, store: SqliteStore, tools: Shop) -> Result:
        return await run_chain(
            self.loaded,
            self.chain,
            self.arguments,
            tools=tools,
            store=store,
            people=Buyer(),
            caller=Caller(request_key="the request"),
        )

    async def first(self) -> None:
        store = SqliteStore.open(self.store)
        await self.begin(store, Shop(self.book, Random(self.seed)))
        await store.close()

    async def next(self) -> None:
        """Goes on with what was interrupted; the client may ask again meanwhile."""
        store = SqliteStore.open(self.store)
        tools = Shop(self.book, Random(f"{self.seed} {len(self.kills)}"))
        async with anyio.create_task_group() as group:
            for begun in await store.journal.adopt():
                group.start_soon(self._resume, store, tools, begun)
            if self.again:
                group.start_soon(self.begin, store, tools)
        await store.close()

    async def _resume(self, store: SqliteStore, tools: Shop, begun: Any) -> None:
        await resume_run(self.loaded, begun, tools=tools, store=store, people=Buyer())

    # ------------------------------------------------------------------ what is left

    def effects(self) -> tuple[Effect, ...]:
        return effects(self.book)

    def runs(self) -> list[tuple[RunRow, tuple[Receipt, ...]]]:
        async def read() -> list[tuple[RunRow, tuple[Receipt, ...]]]:
            store = SqliteStore.open(self.store)
            rows = await store.journal.runs()
            found = [(row, tuple(await store.journal.receipts(row.begun.run))) for row in rows]
            await store.close()
            return found

        return anyio.run(read)


def live(life: Life, chance: Random, usual: float, most_kills: int) -> None:
    """From its first process to one that nobody kills. `usual`: how long a process takes, in seconds."""
    forked(life.first, life.kills, chance.uniform(0, usual))
    while len(life.kills) < most_kills:
        before = len(life.kills)
        forked(life.next, life.kills, chance.uniform(0, usual))
        if len(life.kills) == before:
            break
    forked(life.next, life.kills, None)


def forked(work: Callable[[], Awaitable[None]], kills: list[float], after: float | None) -> None:
    """Does it in a process of its own, which is killed after so many seconds where it is still there. AssertionError
    where it goes wrong by itself."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            anyio.run(work)
            code = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)
    status = None if after is None else _waited(child, time.monotonic() + after)
    if status is None:
        if after is not None:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        assert after is not None
        kills.append(after)
    else:
        assert os.waitstatus_to_exitcode(status) == 0, "a process failed; see its traceback"


def _waited(child: int, until: float) -> int | None:
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        time.sleep(0.0005)
    return None
