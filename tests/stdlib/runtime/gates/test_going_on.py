"""Runs that go on after an interruption: rights are those of now, and what must be settled is settled."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from stdlib.runtime.gates.gates import Gates
from stdlib.runtime.leash import Detached, Leash
from stdlib.runtime.load import load_plan
from stdlib.runtime.principal import Owner, Principal
from stdlib.runtime.question import Answer, Approved, Question
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import Caller, Result, resume_run, run_chain
from stdlib.runtime.store.memory import MemoryStore

from ..plans import approve, chain, plan, ref, write
from .passings import User

pytestmark = pytest.mark.anyio

ANN = Principal("ann", "acme", frozenset({"pay"}))
FIRST, AFTER = write("first"), write("after", "go")
ONE = chain("c", FIRST, approve("go", "first"), AFTER, output=ref("after"), wrapped=True, scopes=("pay",))


class Known:
    def __init__(self, *known: Principal) -> None:
        self.known = {each.owner: each for each in known}

    def current(self, owner: Owner) -> Principal | None:
        return self.known.get(owner)


class Tools:
    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        self.calls.append(arguments)
        return ToolAnswer(structured=len(self.calls))


class Away(User):
    """Does not answer; tells when it is asked."""

    def __init__(self) -> None:
        super().__init__(Approved("user"))
        self.is_asked = anyio.Event()

    async def approve(self, question: Question) -> Answer:
        self.is_asked.set()
        await anyio.sleep_forever()
        raise AssertionError

    ask = approve


async def gone_on(*known: Principal, limits: p.Limits | None = None) -> tuple[Result, Tools]:
    """The end of a run of ann's that waited for an approval, after which the principals were these."""
    loaded, store, tools = load_plan(plan(ONE, limits=limits or p.Limits())), MemoryStore(), Tools()
    away, leash = Away(), Leash()
    gates = Gates(loaded, Known(ANN))

    async def begin() -> None:
        with pytest.raises(Detached):
            await run_chain(
                loaded, "c", {}, tools=tools, store=store, people=away, caller=Caller(ANN), leash=leash, gates=gates
            )

    async with anyio.create_task_group() as group:
        group.start_soon(begin)
        await away.is_asked.wait()
        leash.detach()
    (row,) = await store.journal.runs()
    result = await resume_run(
        loaded,
        row.begun,
        tools=tools,
        store=store,
        people=User(Approved("boss")),
        gates=Gates(loaded, Known(*known), usage=gates.usage),
    )
    return result, tools


async def test_whoever_may_still_call_gets_the_result():
    result, _ = await gone_on(ANN)
    assert (result.fault, result.wire) == (None, {"result": 2})


@pytest.mark.parametrize(
    ("known", "gate"),
    [((), "principal"), ((Principal("ann", "acme", frozenset()),), "resource")],
)
async def test_rights_that_were_lost_meanwhile_are_lost_and_what_was_done_is_taken_back(
    known: tuple[Principal, ...], gate: str
):
    result, tools = await gone_on(*known)
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step, result.fault.undone) == ("denied", "after", ("first",))
    assert tools.calls == [{}, {"of": 1}]
    assert [each.refused for each in result.receipts if each.refused] == [gate]


async def test_taking_back_needs_no_budget():
    result, _ = await gone_on(ANN, limits=p.Limits(principal=p.Allowance(calls=1)))
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.undone) == ("budget_exceeded", ("first",))
