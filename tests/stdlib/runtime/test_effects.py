"""Side effects through the driver: keys and the ledger, people, receipts."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest
from hypothesis import given as hypothesis_given
from hypothesis import settings
from hypothesis import strategies as st

from stdlib.plan import plan as p
from stdlib.runtime.fault import fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.people import People
from stdlib.runtime.principal import Principal
from stdlib.runtime.question import Answer, Answered, Approved, Expired, Question
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import Caller, Result, run_chain
from stdlib.runtime.store import Store
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.world import Ambient

from .plans import approve, ask, call, chain, const, given, loop, plan, ref, step, verify, write

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Till:
    """Counts what is done: each write gives the number of its turn. `fail`: classes for the next calls of a tool."""

    def __init__(self, **fail: list[str | None]) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.fail = fail
        self.done: list[Any] = []

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        self.calls.append((key, arguments))
        await anyio.sleep(arguments.get("ms", 0) / 1000)
        failing = self.fail.get(key)
        found = failing.pop(0) if failing else None
        if found is not None:
            raise fault(found, "no")
        self.done.append(arguments.get("k"))
        return ToolAnswer(structured=len(self.calls))

    def count(self, tool: str) -> int:
        return sum(key == tool for key, _ in self.calls)


class Clock:
    def __init__(self) -> None:
        self.now = 1_780_300_800.0

    def __call__(self) -> float:
        return self.now


async def run(
    till: Till,
    one: p.Chain,
    *more: p.Chain,
    store: Store | None = None,
    clock: Clock | None = None,
    people: People | None = None,
    caller: Caller | None = None,
    **arguments: Any,
) -> Result:
    return await run_chain(
        load_plan(plan(one, *more)),
        one.id,
        arguments,
        tools=till,
        store=store or MemoryStore(),
        people=people,
        caller=caller,
        ambient=Ambient(chance=lambda: 1.0, clock=clock or Clock()),
    )


PAY = step("pay", tool="write", key="k", arguments={"n": ref("n")})
REFUND = chain("c", PAY, step("mail", "pay", tool="put"), output=ref("pay"), inputs=(given("n"),), wrapped=True)


async def test_a_repeated_call_gets_the_recorded_result():
    till, store = Till(), MemoryStore(Clock())
    first = await run(till, REFUND, store=store, n=1)
    again = await run(till, REFUND, store=store, n=1)
    assert (first.wire, first.replayed) == ({"result": 1}, ())
    assert (again.wire, again.replayed) == ({"result": 1}, ("pay",))
    assert (till.count("write"), till.count("put")) == (1, 2)
    replayed = next(each for each in again.receipts if each.step == "pay")
    assert (replayed.replayed, replayed.key) == (True, first.receipts[0].key)
    other = await run(till, REFUND, store=store, n=2)
    assert other.replayed == ()


async def test_a_new_request_key_does_it_again_and_an_old_one_does_not():
    till, store = Till(), MemoryStore(Clock())
    for key, count in (("a", 1), ("b", 2), ("a", 2)):
        await run(till, REFUND, store=store, n=1, request_key=key)
        assert till.count("write") == count
    await run(till, REFUND, store=store, n=1, caller=Caller(request_key="a"))
    assert till.count("write") == 2
    await run(till, REFUND, store=store, n=1, caller=Caller(Principal("somebody else"), request_key="a"))
    assert till.count("write") == 3, "nobody gets what another one did"


async def test_a_request_key_stands_for_its_arguments():
    till, store = Till(), MemoryStore(Clock())
    await run(till, REFUND, store=store, n=1, request_key="a")
    other = await run(till, REFUND, store=store, n=2, request_key="a")
    assert other.fault is not None
    assert (other.fault.fault_class, till.count("write")) == ("invalid_input", 1)
    assert (await run(till, REFUND, store=store, n=1, request_key="a")).replayed == ("pay",)


async def test_after_the_window_an_equal_call_is_a_new_request():
    till, clock = Till(), Clock()
    store = MemoryStore(clock)
    for later, count in ((0, 1), (599, 1), (2, 2)):
        clock.now += later
        await run(till, REFUND, store=store, clock=clock, n=1)
        assert till.count("write") == count
    assert till.calls[0][1]["k"] != till.calls[-2][1]["k"]


async def test_two_calls_at_once_do_it_once():
    till, store = Till(), MemoryStore(Clock())
    slow = chain("c", step("pay", tool="write", key="k", arguments={"ms": const(30)}), output=ref("pay"), wrapped=True)
    results: list[Result] = []

    async def one() -> None:
        results.append(await run(till, slow, store=store))

    async with anyio.create_task_group() as group:
        group.start_soon(one)
        group.start_soon(one)
    assert [each.wire for each in results] == [{"result": 1}] * 2
    assert till.count("write") == 1


async def test_what_failed_is_done_anew_with_the_same_key():
    till, store = Till(write=["tool_error", "timeout"]), MemoryStore(Clock())
    results = [await run(till, REFUND, store=store, n=1) for _ in range(3)]
    assert [each.fault and each.fault.fault_class for each in results] == ["tool_error", "unknown_outcome", None]
    assert len({arguments["k"] for key, arguments in till.calls if key == "write"}) == 1


async def test_what_was_undone_is_done_anew_with_another_key():
    till, store = Till(put=["tool_error"]), MemoryStore(Clock())
    one = chain("c", write("pay", key="k"), step("mail", "pay", tool="put"), output=ref("pay"), wrapped=True)
    failed = await run(till, one, store=store)
    assert failed.fault is not None
    assert failed.fault.undone == ("pay",)
    again = await run(till, one, store=store)
    assert again.replayed == ()
    keys = [arguments["k"] for key, arguments in till.calls if "k" in arguments]
    assert len(set(keys)) == len(keys) == 2
    assert (await run(till, one, store=store)).replayed == ("pay",)


async def test_what_was_found_by_reconciling_is_recorded():
    till, store = Till(write=["timeout"]), MemoryStore(Clock())
    one = chain("c", step("pay", tool="write", key="k", reconcile=call("read")), output=ref("pay"), wrapped=True)
    assert (await run(till, one, store=store)).wire == {"result": 2}
    again = await run(till, one, store=store)
    assert (again.wire, again.replayed) == ({"result": 2}, ("pay",))


@settings(max_examples=40, deadline=None)
@hypothesis_given(st.lists(st.sampled_from([None, None, "tool_error", "unavailable"]), max_size=8), st.integers(1, 4))
def test_repeating_never_does_twice_what_was_done(failures: list[str | None], items: int):
    """Each item is paid once, however often the request is repeated and whatever fails in between."""
    till, store = Till(write=list(failures)), MemoryStore(Clock())
    body = step("l", tool="write", key="k", arguments={"item": ref("item")})
    one = chain("c", loop("l", const([0, 0, 1, 2][:items]), body, parallel=2), output=ref("l"), wrapped=True)

    async def repeat() -> Result:
        for _ in range(10):
            result = await run(till, one, store=store)
            if result.fault is None:
                return result
        raise AssertionError("it never came to an end")

    result = anyio.run(repeat)
    assert len(till.done) == len(set(till.done)) == items
    again = anyio.run(lambda: run(till, one, store=store))
    assert again.wire == result.wire
    assert len(again.replayed) == items


# ------------------------------------------------------------------ people


class Person:
    def __init__(self, *answers: Answer, ms: int = 0) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []
        self.ms = ms

    async def approve(self, question: Question) -> Answer:
        return await self.ask(question)

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        await anyio.sleep(self.ms / 1000)
        return self.answers.pop(0)


async def test_people_are_asked_and_their_answers_kept():
    person = Person(Approved("ann", "ok"), Answered({"size": "m"}))
    one = chain("c", approve("go"), ask("q", "go"), step("w", "q", tool="write"), output=ref("go"))
    result = await run(Till(), one, people=person)
    assert result.value == {"approved": True, "by": "ann", "comment": "ok", "at": "2026-06-01T08:00:00Z"}
    assert [each.purpose for each in result.receipts] == ["approve", "ask", "step"]
    proof = result.receipts[0].approval
    assert proof == {"digest": person.asked[0].digest, "approved": True, "by": "ann"}


async def test_without_people_a_question_is_a_fault():
    result = await run(Till(), chain("c", write("a"), approve("go", "a", by="bosses"), output=ref("go")))
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step, result.fault.undone) == ("input_required", "go", ("a",))
    assert "The approval of bosses is needed: May go?" in result.fault.message


async def test_an_expired_question_is_given_up():
    result = await run(
        Till(), chain("c", approve("go", timeout_ms=20), output=ref("go")), people=Person(Expired(), ms=5000)
    )
    assert result.fault is not None
    assert result.fault.fault_class == "timeout"


async def test_a_client_that_leaves_ends_the_question_and_undoes():
    till = Till()
    before = asyncio.all_tasks()
    with anyio.move_on_after(0.05):
        one = chain("c", write("a"), approve("go", "a"), output=ref("go"))
        await run(till, one, people=Person(Approved("ann"), ms=5000))
    assert [key for key, _ in till.calls] == ["write", "write"]
    assert asyncio.all_tasks() == before


# ------------------------------------------------------------------ receipts


async def test_every_call_leaves_a_receipt():
    till = Till(write=[None, "unavailable"])
    body = step("l", tool="put", arguments={"n": ref("item")})
    pay = step("pay", "l", tool="write", key="k", receipt=ref("pay"), verify=verify(const(True)), undo=call("put"))
    bad = step("bad", "pay", tool="write")
    result = await run(till, chain("c", loop("l", const(["x"]), body), pay, bad, output=ref("pay")))
    assert [(each.step, each.purpose, each.outcome) for each in result.receipts] == [
        ("l[0]", "step", "ok"),
        ("pay", "step", "ok"),
        ("pay", "verify", "ok"),
        ("bad", "step", "fault"),
        ("pay", "undo", "ok"),
    ]
    item, paid = result.receipts[0], result.receipts[1]
    assert item.item == 0
    assert (paid.receipt, paid.verified, paid.attempt) == (2, True, 1)
    written = paid.to_json()
    assert written["at"] == "2026-06-01T08:00:00Z"
    assert written["run"] == result.run
    assert (written["tool"], written["bytes"], written["key"]) == ("test.write", 1, till.calls[1][1]["k"])
    assert result.receipts[3].to_json()["fault"] == "unknown_outcome"
    assert "verified" not in item.to_json()


async def test_a_read_that_is_given_up_has_a_receipt_too():
    slow = step("r", arguments={"ms": const(5000)})
    result = await run(Till(write=["tool_error"]), chain("c", slow, step("w", tool="write"), output=ref("r")))
    assert {(each.step, each.fault) for each in result.receipts} == {("w", "tool_error"), ("r", "cancelled")}
