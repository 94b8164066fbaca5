"""Decisions from elsewhere: which of them count for a run that waits."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from stdlib.runtime.principal import Owner
from stdlib.runtime.question import APPROVE_FORM, Approved, Question, Refused
from stdlib.runtime.store.decisions import Decision
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve.waiting import WaitingRun

pytestmark = pytest.mark.anyio

ANNE = Owner("north", "anne")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("kind", "group", "approved", "by", "answer"),
    [
        ("approve", "bosses", True, "bob", Approved("bob", "Yes.")),
        ("approve", "bosses", False, "bob", Refused("bob", "Yes.")),
        ("approve", "bosses", True, "anne", None),
        ("approve", "bosses", False, "anne", None),
        ("approve", None, True, "anne", Approved("anne", "Yes.")),
        ("ask", None, True, "anne", None),
        ("ask", None, False, "anne", Refused("anne", "Yes.")),
    ],
)
async def test_which_decisions_count(kind: Any, group: str | None, approved: bool, by: str, answer: Any):
    decisions = MemoryStore(lambda: 1000.0).decisions
    run = WaitingRun("r1", ANNE, "pay", decisions, lambda: 1000.0)
    question = Question(kind, "go", "Go?", APPROVE_FORM, 60_000, group)
    got: list[Any] = []

    async def wait() -> None:
        got.append(await run.approve(question))

    async with anyio.create_task_group() as group_of_tasks:
        group_of_tasks.start_soon(wait)
        await run.news()
        decision = Decision("r1", "go", question.digest, approved, by, "Yes.", 1001.0)
        assert await decisions.decide(decision)
        await run.look()
        if answer is None:
            assert [each.question for each in run.open()] == [question]
            group_of_tasks.cancel_scope.cancel()
    assert got == ([] if answer is None else [answer])
