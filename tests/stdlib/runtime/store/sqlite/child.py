"""Another process that uses a store; what it says on its output, one line a step, has been acknowledged by the store.

`python -m tests.stdlib.runtime.store.sqlite.child FILE WHAT`
"""

from __future__ import annotations

import sys
from typing import Any

import anyio

from stdlib.runtime.events import CallSucceeded
from stdlib.runtime.principal import Owner
from stdlib.runtime.receipt import Receipt
from stdlib.runtime.result import NOTHING
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.journal import Begun, Ended, Happening
from stdlib.runtime.store.sqlite import SqliteStore

ANNE = Owner("north", "anne")


def say(*words: object) -> None:
    print(*words, flush=True)


def begun(run: str) -> Begun:
    return Begun(run, "c", "d1", ANNE, 1_000.0, {})


async def hold(store: SqliteStore) -> None:
    """Drives two runs and has a claim, until it is killed."""
    for run in ("r1", "r2"):
        await store.journal.begin(begun(run), "plan")
    await store.journal.append("r1", [Happening(CallSucceeded("a", 1), 1_001.5)])
    await store.journal.park("r2", True)
    await store.ledger.claim("k")
    say("ready")
    await anyio.sleep_forever()


async def write(store: SqliteStore) -> None:
    """Writes in many tasks until it is killed: each value is large or small, with an event and a receipt for it."""

    async def task(run: str) -> None:
        await store.journal.begin(begun(run), "plan")
        for n in range(1_000_000):
            value = [run, n] * (20_000 if n % 3 == 0 else 1)
            handle = await store.handles.put(ANNE, Label("rows"), value)
            event = Happening(CallSucceeded(f"{n}", {"handle": handle.id, "value": value}), 1.0)
            receipt = Receipt(run, f"s{n}", 1.0, "anne", "north", "step", "v", "ok")
            await store.journal.append(run, [event, event], [receipt])
            await store.ledger.record(await store.ledger.claim(f"{run} {n}"), value)
            say(run, n, handle.id)

    async with anyio.create_task_group() as group:
        for n in range(4):
            group.start_soon(task, f"r{n}")


async def count(store: SqliteStore) -> None:
    """Does each of forty side effects, unless the other process has done it."""
    say("ready")
    await anyio.to_thread.run_sync(sys.stdin.readline)
    for n in range(40):
        claim: Any = await store.ledger.claim(f"k{n}")
        if claim.recorded is NOTHING:
            await store.journal.keep(begun(f"did {n}"), Ended(1.0, {}, None), [])
            await store.ledger.record(claim, n)
            say("did", n)
    say("end")


async def main() -> None:
    store = SqliteStore.open(sys.argv[1])
    await {"hold": hold, "write": write, "count": count}[sys.argv[2]](store)
    await store.close()


if __name__ == "__main__":
    anyio.run(main)
