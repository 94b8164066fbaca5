"""Runs that wait: which decisions from elsewhere count, and what goes wrong around them."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass
from typing import Any

import anyio
import pytest

from stdlib.runtime import progress
from stdlib.runtime.events import Progress
from stdlib.runtime.leash import Detached
from stdlib.runtime.load import load_plan
from stdlib.runtime.principal import Owner
from stdlib.runtime.question import APPROVE_FORM, Approved, Question, Refused
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import Caller, run_chain
from stdlib.runtime.run_result import Result
from stdlib.runtime.store.decisions import Decision
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.unusable import StoreUnusable
from stdlib.serve import waiting
from stdlib.serve.waiting import WaitingRun, WaitingRuns
from tests.stdlib.runtime.plans import approve, chain, const, plan, step

pytestmark = pytest.mark.anyio

ANNE = Owner("north", "anne")
QUESTION = Question("approve", "go", "Go?", APPROVE_FORM, 60_000)
PATIENCE_S = 30


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


async def full(*_: Any) -> Any:
    raise StoreUnusable("There is no room.")


async def test_a_mistake_in_one_run_ends_that_run_alone(caplog: pytest.LogCaptureFixture):
    async def wrong(run: WaitingRun) -> Result:
        raise LookupError("secret")

    async def right(run: WaitingRun) -> Result:
        return Result({"result": 1})

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            runs = WaitingRuns(group, MemoryStore().decisions)
            first = runs.begin("r1", ANNE, "pay", wrong)
            await first.end()
            second = runs.begin("r2", ANNE, "pay", right)
            await second.end()
    assert first.result is not None
    assert first.result.fault is not None
    assert first.result.fault.fault_class == "internal"
    assert "secret" not in first.result.fault.message
    assert "secret" in caplog.text
    assert second.result == Result({"result": 1})


@pytest.mark.parametrize("grouped", [False, True])
async def test_a_store_that_fails_is_no_mistake_of_ours(grouped: bool):
    async def work(run: WaitingRun) -> Result:
        error = StoreUnusable("secret.db is full")
        raise ExceptionGroup("of a task group", [LookupError(), ExceptionGroup("", [error])]) if grouped else error

    async with anyio.create_task_group() as group:
        run = WaitingRuns(group, MemoryStore().decisions).begin("r1", ANNE, "pay", work)
        await run.end()
    assert run.result is not None
    assert run.result.fault is not None
    assert run.result.fault.fault_class == "unavailable"
    assert "secret" not in run.result.fault.message


async def test_what_a_run_had_in_memory_is_let_go_at_its_end():
    class Driver:
        is_still = True

        def detach(self) -> None: ...

    driver = Driver()
    left = weakref.ref(driver)

    async def work(run: WaitingRun) -> Result:
        nonlocal driver
        run.leash.hold(driver)
        del driver
        return Result({"result": 1})

    async with anyio.create_task_group() as group:
        runs = WaitingRuns(group, MemoryStore().decisions)
        run = runs.begin("r1", ANNE, "pay", work)
        await run.end()
        gc.collect()
        assert runs.find("r1", ANNE) is run
        assert left() is None


class Tools:
    """Each gives 1."""

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        return ToolAnswer(structured=1)


async def test_who_waits_for_further_questions_hears_when_the_turn_has_ended(monkeypatch: pytest.MonkeyPatch):
    """A question may be open before that, and nothing else happens after it."""
    monkeypatch.setattr(waiting, "SETTLE_S", 600.0)
    monkeypatch.setattr(progress, "PATIENCE_S", 600.0)
    run = WaitingRun("r1", ANNE, "c", MemoryStore().decisions, lambda: 1000.0)
    go_on = anyio.Event()
    told: list[str] = []

    async def hold_up(_: Progress) -> None:
        await anyio.wait_all_tasks_blocked()
        if run.open():
            await go_on.wait()

    async def client() -> None:
        await run.settled()
        told.extend(each.question.step for each in run.open())

    async def work() -> None:
        caller = Caller(on_progress=hold_up)
        loaded = load_plan(plan(chain("c", step("a"), approve("go", "a"), output=const(1))))
        await run_chain(loaded, "c", {}, tools=Tools(), store=MemoryStore(), people=run, caller=caller, leash=run.leash)

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(work)
            await run.news()
            async with anyio.create_task_group() as clients:
                clients.start_soon(client)
                await anyio.wait_all_tasks_blocked()
                assert (told, run.leash.is_still) == ([], False)
                go_on.set()
            group.cancel_scope.cancel()
    assert told == ["go"]


@pytest.mark.parametrize(("lasts", "awaits"), [(True, True), (True, False), (False, False)])
async def test_what_is_told_of_a_run_that_was_let_go(lasts: bool, awaits: bool):
    begun = anyio.Event()

    async def work(run: WaitingRun) -> Result:
        let_go = anyio.Event()
        run.leash.hold(Let(let_go))
        async with anyio.create_task_group() as group:
            if awaits:
                group.start_soon(run.approve, QUESTION)
                await run.news()
            begun.set()
            await let_go.wait()
            group.cancel_scope.cancel()
        raise Detached(lasts=lasts)

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            runs = WaitingRuns(group, MemoryStore().decisions)
            run = runs.begin("r1", ANNE, "pay", work)
            await begun.wait()
            await runs.close(lets_go=True)
    assert run.result is not None
    fault = run.result.fault
    assert fault is not None
    assert fault.fault_class == ("input_required" if awaits else "unavailable")
    assert fault.retryable is not lasts
    assert ("resume_run" in str(fault.next)) is lasts
    assert [each["step"] for each in fault.details.get("awaits", ())] == (["go"] if awaits else [])


@dataclass
class Let:
    """What drives a run."""

    go: anyio.Event
    is_still: bool = True

    def detach(self) -> None:
        self.go.set()


async def test_a_question_that_cannot_be_shown_is_not_open(monkeypatch: pytest.MonkeyPatch):
    decisions = MemoryStore().decisions
    monkeypatch.setattr(decisions, "await_decision", full)
    run = WaitingRun("r1", ANNE, "pay", decisions, lambda: 1000.0)
    with pytest.raises(StoreUnusable):
        await run.approve(QUESTION)
    assert run.open() == []


async def test_an_answer_counts_also_where_its_question_cannot_be_closed(monkeypatch: pytest.MonkeyPatch):
    decisions = MemoryStore().decisions
    monkeypatch.setattr(decisions, "close_question", full)
    run = WaitingRun("r1", ANNE, "pay", decisions, lambda: 1000.0)
    got: list[Any] = []

    async def wait() -> None:
        got.append(await run.approve(QUESTION))

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await run.news()
            assert run.answer("go", QUESTION.digest, Approved("bob"))
    assert got == [Approved("bob")]
