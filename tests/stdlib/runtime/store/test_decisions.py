"""Questions and decisions, in every store."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from stdlib.runtime.store import Store

from .making import Clock, decision, question

pytestmark = pytest.mark.anyio


async def test_a_question_is_decided_once(store: Store):
    await store.decisions.await_decision(question())
    assert await store.decisions.awaited() == (question(),)
    assert await store.decisions.decided("r1") == ()
    assert await store.decisions.decide(decision()) is True
    assert await store.decisions.decide(decision(approved=False)) is False
    assert await store.decisions.decided("r1") == (decision(),)
    assert await store.decisions.decided("r2") == ()
    assert await store.decisions.awaited() == ()


async def test_of_many_deciders_one_is_the_first(store: Store):
    await store.decisions.await_decision(question())
    won: list[str] = []

    async def decide(name: str) -> None:
        if await store.decisions.decide(decision(by=name)):
            won.append(name)

    async with anyio.create_task_group() as group:
        for n in range(10):
            group.start_soon(decide, f"p{n}")
    assert [each.by for each in await store.decisions.decided("r1")] == won
    assert len(won) == 1


async def test_what_is_not_asked_cannot_be_decided(store: Store, clock: Clock):
    await store.decisions.await_decision(question())
    for other in (decision(run="r2"), decision(step="no"), decision(digest="q2")):
        assert await store.decisions.decide(other) is False
    clock.now = question().until
    assert await store.decisions.decide(decision()) is False
    assert await store.decisions.awaited() == ()


async def test_a_closed_question_is_gone_with_its_decision(store: Store):
    await store.decisions.await_decision(question())
    await store.decisions.decide(decision())
    await store.decisions.close_question("r1", "ok")
    await store.decisions.close_question("r1", "never asked")
    assert await store.decisions.decided("r1") == ()
    assert await store.decisions.decide(decision()) is False


async def test_another_question_takes_the_place(store: Store):
    await store.decisions.await_decision(question())
    await store.decisions.decide(decision())
    await store.decisions.await_decision(question(digest="q2", text="And now?"))
    assert await store.decisions.decided("r1") == ()
    assert await store.decisions.awaited() == (question(digest="q2", text="And now?"),)
    assert await store.decisions.decide(decision()) is False
    assert await store.decisions.decide(decision(digest="q2")) is True


async def test_the_same_question_again_keeps_its_decision(store: Store):
    await store.decisions.await_decision(question())
    await store.decisions.decide(decision())
    await store.decisions.await_decision(question(until=1_000_900.0))
    assert await store.decisions.decided("r1") == (decision(),)


async def test_the_oldest_first(store: Store):
    asked = [question(step=f"s{n}", show={"n": 2**70}, by=None) for n in range(4)]
    for each in asked:
        await store.decisions.await_decision(each)
    assert await store.decisions.awaited() == tuple(asked)
    given = [replace(decision(step=f"s{n}"), at=1_000_010.0 - n, comment=None) for n in range(4)]
    for made in given:
        assert await store.decisions.decide(made)
    assert await store.decisions.decided("r1") == tuple(reversed(given))


async def test_questions_whose_time_is_long_over_are_forgotten(store: Store, clock: Clock):
    await store.decisions.await_decision(question())
    await store.decisions.decide(decision())
    clock.now = question().until + 86_399
    await store.decisions.await_decision(question("r2"))
    assert await store.decisions.decided("r1") == (decision(),)
    clock.now += 61
    await store.decisions.await_decision(question("r2"))
    assert await store.decisions.decided("r1") == ()
