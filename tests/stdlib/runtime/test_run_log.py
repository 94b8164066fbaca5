"""What a run writes down while it goes on: where that fails, and where the run is let go meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from stdlib.runtime.events import CancelRequested
from stdlib.runtime.leash import Detached, Leash
from stdlib.runtime.load import load_plan
from stdlib.runtime.receipt import Receipt
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import Result, run_chain
from stdlib.runtime.store.journal import Entry, Happening, Sent
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.unusable import StoreUnusable

from .plans import approve, chain, const, plan, ref, step, write

pytestmark = pytest.mark.anyio
PATIENCE_S = 30


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Tools:
    def __init__(self) -> None:
        self.calls: list[Any] = []

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        self.calls.append(arguments.get("do"))
        await anyio.sleep(0)
        return ToolAnswer(structured=len(self.calls))


def doing(name: str, *needs: str, **more: Any) -> Any:
    return step(name, *needs, tool="write", arguments={"do": const(name)}, **more)


async def run(store: MemoryStore, tools: Tools, one: p.Chain, leash: Leash | None = None, **more: Any) -> Result:
    with anyio.fail_after(PATIENCE_S):
        return await run_chain(load_plan(plan(one)), one.id, {}, tools=tools, store=store, leash=leash, **more)


@pytest.mark.parametrize("failing", [1, 2, 3])
async def test_a_journal_that_fails_once_ends_the_run(failing: int, monkeypatch: pytest.MonkeyPatch):
    store, tools, count = MemoryStore(), Tools(), 0
    append = store.journal.append

    async def full(run: str, entries: Sequence[Entry], receipts: Sequence[Receipt] = ()) -> None:
        nonlocal count
        count += 1
        if count == failing:
            raise StoreUnusable("There is no room.")
        await append(run, entries, receipts)

    monkeypatch.setattr(store.journal, "append", full)
    one = chain("c", doing("a"), doing("b", "a"), doing("c", "b"), output=ref("c"))
    result = await run(store, tools, one)
    assert result.fault is not None
    assert result.fault.fault_class == "unavailable"
    assert result.fault.done == ("a", "b", "c")[: failing - 1], "what has happened is told"
    assert result.fault.retryable == (failing == 1)
    assert tools.calls == ["a", "b", "c"][: failing - 1], "nothing is done that was not written before"


async def test_what_is_under_way_when_the_journal_fails_is_in_doubt(monkeypatch: pytest.MonkeyPatch):
    store, tools = MemoryStore(), Tools()
    append = store.journal.append

    async def full(run: str, entries: Sequence[Entry], receipts: Sequence[Receipt] = ()) -> None:
        if any(isinstance(each, Happening) for each in entries):
            raise StoreUnusable("There is no room.")
        await append(run, entries, receipts)

    async def call(source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        tools.calls.append(arguments.get("do"))
        if len(tools.calls) == 1:
            await anyio.sleep_forever()
        return ToolAnswer(structured=1)

    monkeypatch.setattr(store.journal, "append", full)
    monkeypatch.setattr(tools, "call", call)
    result = await run(store, tools, chain("c", doing("a"), doing("b"), doing("c", "b"), output=ref("c")))
    assert result.fault is not None
    assert (result.fault.done, result.fault.details["in_doubt"]) == (("b",), ["a"])
    assert not result.fault.retryable
    assert tools.calls == ["a", "b"]


async def test_a_run_goes_on_where_the_ledger_cannot_be_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    store, tools = MemoryStore(), Tools()

    async def full(key: str) -> None:
        raise StoreUnusable("There is no room.")

    monkeypatch.setattr(store.ledger, "undone", full)
    one = chain("c", write("a", key="key"), doing("b", "a", timeout_ms=1), output=ref("b"))

    async def call(source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        if arguments.get("do") == "b":
            return ToolAnswer(is_error=True)
        return ToolAnswer(structured=1)

    monkeypatch.setattr(tools, "call", call)
    result = await run(store, tools, one)
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.undone) == ("tool_error", ("a",))
    assert "the ledger cannot be told" in caplog.text


async def test_what_is_said_to_be_sent_is_sent_also_where_the_run_is_let_go_meanwhile(monkeypatch: pytest.MonkeyPatch):
    store, tools, leash, written = MemoryStore(), Tools(), Leash(), list[Entry]()
    append = store.journal.append

    async def let_go(run: str, entries: Sequence[Entry], receipts: Sequence[Receipt] = ()) -> None:
        if any(isinstance(each, Sent) for each in entries):
            leash.detach()
        await append(run, entries, receipts)
        written.extend(entries)

    monkeypatch.setattr(store.journal, "append", let_go)
    one = chain("c", doing("a"), approve("go", "a"), output=ref("a"))
    with pytest.raises(Detached):
        await run(store, tools, one, leash)
    assert tools.calls == ["a"]
    assert [type(each) for each in written] == [Sent, Happening]


@pytest.mark.parametrize("call_first", [False, True])
async def test_a_run_that_is_cut_off_is_not_written_as_ended(monkeypatch: pytest.MonkeyPatch, call_first: bool):
    """A second Ctrl-C cancels what a first one has left to be awaited: whether the call has happened is not known."""
    store, tools = MemoryStore(), Tools()
    begun = anyio.Event()

    async def call(source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        begun.set()
        await anyio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(tools, "call", call)
    before = asyncio.all_tasks()
    task = asyncio.ensure_future(run(store, tools, chain("c", doing("a"), output=ref("a")), run_id="r"))
    await begun.wait()
    for other in sorted(asyncio.all_tasks() - before, key=lambda each: (each is task) is call_first):
        other.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    row = await store.journal.run("r")
    assert row is not None
    assert row.ended is None
    sent, *later = await store.journal.entries("r")
    assert isinstance(sent, Sent)
    events = [each.event for each in later if isinstance(each, Happening)]
    assert events == ([] if call_first else [CancelRequested()]), "nothing answers the call"
