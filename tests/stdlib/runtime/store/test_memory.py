"""The memory of the store in memory is bounded."""

from __future__ import annotations

import pytest

from stdlib.runtime.store import memory_journal
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.memory import MemoryStore

from .making import ANNE, DONE, EVE, PLAN, Clock, begun, body, fault_of, receipt

pytestmark = pytest.mark.anyio

K = Label("rows")


async def test_equal_values_take_their_memory_once_and_give_it_back():
    clock = Clock()
    store = MemoryStore(clock, capacity=1000)
    handles = [await store.handles.put(ANNE, K, "x" * 598) for _ in range(5)]
    assert len({handle.id for handle in handles}) == 5
    assert (await fault_of(store.handles.put(EVE, K, "x" * 598)))[0] == "budget_exceeded"
    assert (await fault_of(store.handles.keep(ANNE, K, body(b"y" * 300, b"y" * 300), "a/b")))[0] == "budget_exceeded"
    await store.handles.keep(ANNE, K, body(b"y" * 200, b"y" * 200), "a/b")
    clock.now += 4000
    await store.handles.put(EVE, K, "x" * 998)


async def test_equal_bodies_take_their_memory_once():
    store = MemoryStore(Clock(), capacity=1000)
    for _ in range(5):
        await store.handles.keep(ANNE, K, body(b"y" * 200, b"y" * 200), "a/b")
    assert (await fault_of(store.handles.keep(EVE, K, body(b"y" * 601), "a/b")))[0] == "budget_exceeded"


async def test_so_many_ended_runs_are_remembered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memory_journal, "MOST_ENDED", 3)
    journal = MemoryStore().journal
    await journal.begin(begun("open"), PLAN)
    for n in range(5):
        await journal.keep(begun(f"r{n}"), DONE, [receipt(f"r{n}", "a")])
    assert [row.begun.run for row in await journal.runs()] == ["r4", "r3", "r2", "open"]
    assert await journal.receipts("r1") == ()
    assert await journal.plan("d1") == PLAN
