"""The journal, in every store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import pytest

from stdlib.runtime.events import CallFailed, CancelRequested, PersonAnswered, TimerFired
from stdlib.runtime.fault import Fault
from stdlib.runtime.question import Approved
from stdlib.runtime.store import Store
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.journal import Entry, Forgotten, Happening, NoSuchRun, RunRow, Sent

from .making import ANNE, DONE, FAILED, PLAN, Clock, answered, begun, receipt

pytestmark = pytest.mark.anyio

LARGE = [{"n": 2**70 + n, "text": "ü" * 100, "double": 1.0} for n in range(2_000)]


async def test_everything_that_happened_comes_back_in_order(store: Store):
    entries: list[Entry] = [
        Sent("a#1", 1.5),
        Happening(CallFailed("a#1", Fault("timeout", "late", "a", details={"n": 2**70}, sent=False), "k"), 2.5),
        answered("b#1", LARGE),
        answered("b#2", {"z": 1.0, "a": -0.0}),
        Happening(PersonAnswered("c", Approved("bob", "Yes."), "2026-01-01T00:00:00Z"), 3.0),
        Happening(TimerFired("t"), 4.0),
        Happening(CancelRequested(), 5.0),
    ]
    await store.journal.begin(begun("r1"), PLAN)
    await store.journal.append("r1", entries[:3])
    await store.journal.append("r1", entries[3:])
    assert repr(await store.journal.entries("r1")) == repr(tuple(entries))
    assert await store.journal.entries("r2") == ()


async def test_a_run_from_beginning_to_end(store: Store):
    given = {"rows": LARGE, "b": 1}
    start = begun("r1", given=given, request="q", version="2", old={"c": 1}, started=1_000.125)
    await store.journal.begin(start, PLAN)
    assert await store.journal.run("r1") == RunRow(start, "running", None)
    await store.journal.park("r1", True)
    assert await store.journal.run("r1") == RunRow(start, "parked", None)
    await store.journal.park("r1", False)
    await store.journal.append("r1", [answered("a")])
    await store.journal.end("r1", DONE)
    over = replace(start, given={}, old=None)
    assert await store.journal.run("r1") == RunRow(over, "succeeded", DONE)
    assert await store.journal.entries("r1") == ()
    assert await store.journal.run("r2") is None


async def test_a_failed_run(store: Store):
    await store.journal.begin(begun("r1"), PLAN)
    await store.journal.end("r1", FAILED)
    row = await store.journal.run("r1")
    assert row is not None
    assert (row.state, row.ended) == ("failed", FAILED)


async def test_a_run_that_only_reads_is_kept_at_its_end(store: Store):
    await store.journal.keep(begun("r1"), DONE, [receipt("r1", "a")])
    assert await store.journal.run("r1") == RunRow(begun("r1"), "succeeded", DONE)
    assert await store.journal.receipts("r1") == (receipt("r1", "a"),)


@pytest.mark.parametrize("at_once", [False, True])
async def test_arguments_are_let_go_at_the_end(store: Store, at_once: bool):
    start = begun("r1", given={"iban": "secret"}, old={"iban": "secret"})
    if at_once:
        await store.journal.keep(start, FAILED, [])
    else:
        await store.journal.begin(start, PLAN)
        await store.journal.end("r1", FAILED)
    assert "secret" not in repr(await store.journal.runs())


@pytest.mark.parametrize("ended", [False, True])
async def test_nothing_happens_to_a_run_that_does_not_go_on(store: Store, ended: bool):
    if ended:
        await store.journal.keep(begun("r1"), DONE, [])
    with pytest.raises(NoSuchRun):
        await store.journal.append("r1", [answered("a")], [receipt("r1", "a")])
    with pytest.raises(NoSuchRun):
        await store.journal.park("r1", True)
    with pytest.raises(NoSuchRun):
        await store.journal.end("r1", FAILED, [receipt("r1", "a")])
    row = await store.journal.run("r1")
    assert (row is not None and row.ended == DONE) is ended
    assert await store.journal.receipts("r1") == ()


async def test_an_id_is_given_once(store: Store):
    await store.journal.begin(begun("r1"), PLAN)
    with pytest.raises(ValueError, match="r1"):
        await store.journal.begin(begun("r1", chain="other"), PLAN)
    with pytest.raises(ValueError, match="r1"):
        await store.journal.keep(begun("r1"), DONE, [])
    assert await store.journal.run("r1") == RunRow(begun("r1"), "running", None)


async def test_receipts_stay_in_order(store: Store):
    one, two = receipt("r1", "a", receipt={"id": 2**70}, approval={"by": "bob"}), receipt("r1", "b", fault="timeout")
    three, four = receipt("r1", "c", verified=False, ms=7), receipt("r1", "d", replayed=True)
    await store.journal.begin(begun("r1"), PLAN)
    await store.journal.append("r1", [], [one, two])
    await store.journal.append("r1", [answered("a")], [three])
    await store.journal.end("r1", DONE, [four])
    assert await store.journal.receipts("r1") == (one, two, three, four)
    assert await store.journal.receipts("r2") == ()


async def test_the_newest_runs_first(store: Store):
    for name, started in [("r1", 3.0), ("r2", 1.0), ("r3", 3.0), ("r4", 2.0)]:
        await store.journal.begin(begun(name, started=started), PLAN)
    await store.journal.end("r1", DONE)
    await store.journal.park("r4", True)

    async def names(**how: Any) -> list[str]:
        return [row.begun.run for row in await store.journal.runs(**how)]

    assert await names() == ["r3", "r1", "r4", "r2"]
    assert await names(limit=2) == ["r3", "r1"]
    assert await names(limit=0) == []
    assert await names(state="running") == ["r3", "r2"]
    assert await names(state="parked") == ["r4"]
    assert await names(state="succeeded") == ["r1"]
    assert await names(state="failed") == []
    assert await names(state="interrupted") == []
    await store.journal.keep(begun("r5", chain="other", started=0.0), DONE, [])
    assert await names(chain="other") == ["r5"]
    assert await names(chain="c", limit=3) == ["r3", "r1", "r4"]
    assert await names(chain="other", state="failed") == []


async def test_the_record_of_several_runs_has_the_order_in_which_it_was_written(store: Store):
    assert await store.journal.record() == ()
    await store.journal.begin(begun("r1"), PLAN)
    await store.journal.begin(begun("r2"), PLAN)
    await store.journal.append("r1", [], [receipt("r1", "a")])
    await store.journal.append("r2", [], [receipt("r2", "b"), receipt("r2", "b2")])
    await store.journal.end("r1", DONE, [receipt("r1", "c")])

    async def steps(*runs: str, **how: Any) -> list[str]:
        return [each.step for _, each in await store.journal.record(runs, **how)]

    assert await steps() == ["a", "b", "b2", "c"]
    assert await steps("r1") == ["a", "c"]
    assert await steps("r2", "r1", "r1") == ["a", "b", "b2", "c"]
    assert await steps("r3") == []
    numbers = [number for number, _ in await store.journal.record()]
    assert numbers == sorted(set(numbers))
    assert await steps(after=numbers[1]) == ["b2", "c"]
    assert await steps(after=numbers[0], limit=2) == ["b", "b2"]


async def test_old_runs_go_when_their_owner_says_so(store: Store, clock: Clock):
    await store.journal.keep(begun("old"), replace(DONE, at=2_000.0), [receipt("old", "a"), receipt("old", "b")])
    await store.journal.keep(begun("new"), replace(FAILED, at=3_000.0), [receipt("new", "c")])
    await store.journal.begin(begun("on"), PLAN)
    await store.journal.append("on", [answered("a")], [receipt("on", "d")])
    assert await store.journal.forgotten() == ()
    first = await store.journal.forget(3_000.0, "anne")
    assert first == Forgotten("anne", clock.now, 3_000.0, runs=1, receipts=2)
    assert await store.journal.run("old") is None
    assert await store.journal.receipts("old") == ()
    assert {row.begun.run for row in await store.journal.runs()} == {"new", "on"}
    assert [each.step for _, each in await store.journal.record()] == ["c", "d"]
    second = await store.journal.forget(9_000_000.0, "bob")
    assert (second.runs, second.receipts) == (1, 1)
    assert [row.begun.run for row in await store.journal.runs()] == ["on"]
    assert await store.journal.entries("on") == (answered("a"),)
    assert await store.journal.forgotten() == (first, second)
    await store.journal.end("on", DONE)


async def test_a_plan_is_there_while_a_run_or_a_handle_needs_it(store: Store, clock: Clock):
    for run, plan in [("r1", "d1"), ("r2", "d1"), ("r3", "d2")]:
        await store.journal.begin(begun(run, plan=plan), f"text of {plan}")
    await store.handles.put(ANNE, Label("rows", expires_ms=200_000, plan="d2"), [1])

    async def plans() -> list[Any]:
        clock.now += 61
        await store.journal.keep(begun(f"{clock.now}", plan="d9"), DONE, [])
        return [await store.journal.plan(digest) for digest in ("d1", "d2", "d9")]

    await store.journal.end("r1", DONE)
    await store.journal.end("r3", DONE)
    assert await plans() == ["text of d1", "text of d2", None]
    await store.journal.end("r2", DONE)
    assert await plans() == [None, "text of d2", None]
    clock.now += 80
    assert await plans() == [None, None, None]


async def test_our_own_runs_are_not_adopted(store: Store):
    await store.journal.begin(begun("r1"), PLAN)
    assert await store.journal.adopt() == ()


async def test_a_run_that_was_given_back_is_nobodys_until_it_is_adopted(store: Store):
    for name in ("r1", "r2", "r3"):
        await store.journal.begin(begun(name, given={"n": 1}), PLAN)
    await store.journal.append("r2", [answered("a")])
    await store.journal.park("r2", True)
    for name in ("r2", "r1"):
        await store.journal.give_back(name)
    assert [row.begun.run for row in await store.journal.runs(state="interrupted")] == ["r2", "r1"]
    assert await store.journal.plan("d1") == PLAN
    with pytest.raises(NoSuchRun):
        await store.journal.append("r2", [answered("b")])
    with pytest.raises(NoSuchRun):
        await store.journal.give_back("r2")
    assert [each.run for each in await store.journal.adopt()] == ["r1", "r2"]
    assert await store.journal.adopt() == ()
    row = await store.journal.run("r2")
    assert row is not None
    assert row.state == "parked"
    await store.journal.append("r2", [answered("b")])
    assert await store.journal.entries("r2") == (answered("a"), answered("b"))


@pytest.mark.parametrize("interrupted", [False, True])
async def test_what_was_given_back_can_be_forgotten(store: Store, interrupted: bool):
    await store.journal.begin(begun("r1"), PLAN)
    await store.journal.give_back("r1")
    assert (await store.journal.forget(2_000.0, "anne", interrupted=interrupted)).runs == interrupted
    assert (await store.journal.run("r1") is None) is interrupted


async def test_many_runs_at_once(store: Store):
    async def one(name: str) -> None:
        await store.journal.begin(begun(name), PLAN)
        for n in range(5):
            await store.journal.append(name, [answered(f"{n}", name)], [receipt(name, f"{n}")])
        assert await store.journal.entries(name) == tuple(answered(f"{n}", name) for n in range(5))
        await store.journal.end(name, DONE)

    async with anyio.create_task_group() as group:
        for n in range(40):
            group.start_soon(one, f"r{n}")
    assert len(await store.journal.runs(state="succeeded")) == 40
    assert [each.step for each in await store.journal.receipts("r7")] == ["0", "1", "2", "3", "4"]
