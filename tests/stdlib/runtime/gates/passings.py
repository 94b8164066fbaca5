"""Calls at a gate: a plan with tools, a world around it, and what lies behind the gate."""

from __future__ import annotations

from typing import Any

from stdlib.plan import plan as p
from stdlib.runtime.events import StartCall
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.gates.consent import Consents
from stdlib.runtime.gates.gates import Gates
from stdlib.runtime.gates.passing import Pass, Passing
from stdlib.runtime.gates.principal import Who
from stdlib.runtime.load import load_plan
from stdlib.runtime.loaded import LoadedPlan
from stdlib.runtime.people import Nobody, People
from stdlib.runtime.question import Answer, Question
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.world import Ambient, World

from ..plans import tool


class Clock:
    def __init__(self) -> None:
        self.now = 1_780_300_800.0

    def __call__(self) -> float:
        return self.now


class Behind:
    """What lies behind a gate: counts what gets through, and gives `answer`, or raises it."""

    def __init__(self, answer: Any = "done") -> None:
        self.answer = answer
        self.passed: list[Passing] = []

    async def __call__(self, passing: Passing) -> Any:
        self.passed.append(passing)
        if isinstance(self.answer, Fault):
            raise RunFault(self.answer)
        return self.answer


class User:
    """Gives one answer to whatever is asked."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    async def approve(self, question: Question) -> Answer:
        self.asked.append(question)
        return self.answer

    ask = approve


class NoTools:
    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        raise AssertionError("a gate calls nothing")


def loaded(
    schema: dict[str, Any] | None = None,
    *,
    transport: p.Transport | None = None,
    network: p.Network | None = None,
    limits: p.Limits | None = None,
    **more: Any,
) -> LoadedPlan:
    """A plan with the tool `test.act`."""
    one = tool("act", **more)
    if schema is not None:
        one = one.model_copy(update={"input_schema": {"type": "object", "properties": schema}})
    source = p.Source(transport=transport or p.Stdio(command="nothing"), tools={"act": one})
    made = p.Plan(
        name="test",
        version="1.0.0",
        sources={"test": source},
        network=network or p.Network(),
        limits=limits or p.Limits(),
    )
    return load_plan(made)


def passing(
    plan: LoadedPlan | None = None,
    arguments: dict[str, Any] | None = None,
    *,
    who: Who | None = None,
    gates: Gates | None = None,
    people: People | None = None,
    clock: Clock | None = None,
    store: MemoryStore | None = None,
    scopes: tuple[str, ...] = (),
    by_client: bool = False,
    key: str | None = None,
    repeatable: bool = False,
    **more: Any,
) -> Passing:
    """A step's call of `test.act`, or with `by_client` a client's."""
    gates = gates or Gates(plan or loaded())
    called = gates.loaded.tools["test", "act"]
    given = arguments or {}
    ambient = Ambient(clock=clock or Clock())
    world = World(NoTools(), store or MemoryStore(), gates, who or Who(), people or Nobody(), ambient)
    command = StartCall("act#1", "act", called, given, 1000, 1, repeatable, key=key, parameter=key and "k")
    return Passing(
        world, "test__act", called.label, scopes, given, Behind(), called, command, by_client=by_client, **more
    )


async def refused(gate: Pass, call: Passing, behind: Behind | None = None) -> Fault:
    """Why the gate refuses. Nothing gets through, unless it is the gate's to judge what comes back (`behind`)."""
    inside = behind or Behind()
    try:
        await gate(call, inside)
    except RunFault as found:
        assert behind is not None or inside.passed == []
        return found.fault
    raise AssertionError("it was let through")


def asking(plan: LoadedPlan, mode: Any = "destructive", *listed: str) -> Gates:
    return Gates(plan, consents=Consents(mode, listed))
