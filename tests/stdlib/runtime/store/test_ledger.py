"""The ledger, in every store."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from stdlib.runtime.keys import again
from stdlib.runtime.result import NOTHING
from stdlib.runtime.store import Store
from stdlib.runtime.store.ledger import KEEP_S, Claim

from .making import Clock

pytestmark = pytest.mark.anyio

LARGE = {"rows": ["ä" * 100] * 1000, "n": 2**70}


async def test_equal_requests_within_the_window_share_a_key(store: Store, clock: Clock):
    first = await store.ledger.request("q", 60_000)
    clock.now += 59.9
    assert await store.ledger.request("q", 60_000) == first
    assert await store.ledger.request("p", 60_000) != first
    clock.now += 0.1
    later = await store.ledger.request("q", 60_000)
    assert later != first
    assert later.startswith("q:")


async def test_a_window_may_be_longer_than_a_day(store: Store, clock: Clock):
    first = await store.ledger.request("q", 3 * 86_400_000)
    clock.now += 2 * 86_400
    await store.ledger.request("p", 1)
    assert await store.ledger.request("q", 3 * 86_400_000) == first


@pytest.mark.parametrize("value", [None, False, 1.0, {"b": 1, "a": [2**80]}, LARGE], ids=lambda value: repr(value)[:9])
async def test_a_recorded_result_answers_every_later_claim(store: Store, value: Any):
    claim = await store.ledger.claim("k")
    assert claim == Claim("k", "k", NOTHING, False)
    await store.ledger.record(claim, value)
    for _ in range(2):
        recorded = (await store.ledger.claim("k")).recorded
        assert (recorded, type(recorded)) == (value, type(value))


async def test_the_order_of_fields_stays(store: Store):
    await store.ledger.record(await store.ledger.claim("k"), {"b": 1, "a": 2})
    assert list((await store.ledger.claim("k")).recorded) == ["b", "a"]


async def test_a_released_claim_is_free_with_the_same_key(store: Store):
    await store.ledger.release(await store.ledger.claim("k"))
    assert await store.ledger.claim("k") == Claim("k", "k", NOTHING, False)


async def test_who_was_undone_gets_another_key(store: Store):
    for times in range(3):
        claim = await store.ledger.claim("k")
        assert (claim.sends, claim.recorded) == (again("k", times), NOTHING)
        await store.ledger.record(claim, times)
        await store.ledger.undone("k")


async def test_a_result_names_the_run_that_did_it(store: Store):
    claim = await store.ledger.claim("k", "run_1")
    assert claim.run == "run_1"
    await store.ledger.record(claim, 7)
    assert (await store.ledger.claim("k", "run_2")).run == "run_1"


async def test_what_was_found_to_have_happened_needs_no_claim(store: Store):
    await store.ledger.note("k", "run_1", 7)
    claim = await store.ledger.claim("k", "run_2")
    assert (claim.recorded, claim.run) == (7, "run_1")
    await store.ledger.note("k", "run_2", 8)
    assert (await store.ledger.claim("k")).recorded == 8


async def test_what_is_noted_takes_nobodys_claim(store: Store):
    claim, later = await store.ledger.claim("k", "run_1"), []

    async def second() -> None:
        later.append(await store.ledger.claim("k", "run_2"))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(second)
            await store.ledger.note("k", "run_3", 7)
            await store.ledger.release(await store.ledger.claim("other"))
            await anyio.wait_all_tasks_blocked()
            assert later == []
            await store.ledger.release(claim)
    assert [(each.recorded, each.run) for each in later] == [(7, "run_3")]


async def test_results_are_forgotten_after_a_day(store: Store, clock: Clock):
    await store.ledger.record(await store.ledger.claim("k"), 7)
    await store.ledger.record(await store.ledger.claim("u"), 7)
    await store.ledger.undone("u")
    clock.now += KEEP_S - 1
    assert (await store.ledger.claim("k")).recorded == 7
    claim = await store.ledger.claim("u")
    assert claim.sends == again("u", 1)
    await store.ledger.release(claim)
    clock.now += 1
    assert (await store.ledger.claim("k")).recorded is NOTHING
    assert (await store.ledger.claim("u")).sends == "u"


async def test_a_claim_waits_until_the_other_one_has_ended(store: Store):
    order: list[str] = []
    claim = await store.ledger.claim("k")

    async def second() -> None:
        found = await store.ledger.claim("k")
        order.append(f"second {found.recorded}")

    async with anyio.create_task_group() as group:
        group.start_soon(second)
        await store.ledger.release(await store.ledger.claim("other"))
        await anyio.wait_all_tasks_blocked()
        order.append("first")
        await store.ledger.record(claim, 7)
    assert order == ["first", "second 7"]


async def test_one_of_many_does_it(store: Store):
    done = 0
    found: list[Any] = []

    async def one() -> None:
        nonlocal done
        claim = await store.ledger.claim("k")
        if claim.recorded is NOTHING:
            done += 1
            await anyio.lowlevel.checkpoint()
            if done < 3:
                await store.ledger.release(claim)
                return
            await store.ledger.record(claim, "value")
        found.append((await store.ledger.claim("k")).recorded)

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(one)
    assert (done, found) == (3, ["value"] * 18)


async def test_who_gives_up_waiting_leaves_the_key_to_others(store: Store):
    claim = await store.ledger.claim("k")
    async with anyio.create_task_group() as group:
        group.start_soon(store.ledger.claim, "k")
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
    await store.ledger.release(claim)
    with anyio.fail_after(30):
        assert (await store.ledger.claim("k")).recorded is NOTHING


async def test_a_cancelled_caller_can_still_release(store: Store):
    async def work() -> None:
        claim = await store.ledger.claim("k")
        try:
            await anyio.sleep_forever()
        finally:
            await store.ledger.release(claim)

    async with anyio.create_task_group() as group:
        group.start_soon(work)
        await store.ledger.release(await store.ledger.claim("other"))
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
    with anyio.fail_after(30):
        assert await store.ledger.claim("k") == Claim("k", "k", NOTHING, False)
