"""Chains over servers that misbehave as they are told, run as a client would run them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from stdlib.connect.router import Router
from stdlib.plan import plan as p
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import Result, run_chain
from stdlib.runtime.store.memory import MemoryStore
from tests.stdlib.connect.sources import scripted_plan, scripted_source
from tests.stdlib.runtime.plans import chain, const, ref, step

FORM = {"type": "object", "required": ["value"], "properties": {"value": {}}}
"""What the tools promise to answer."""

PATIENT = 60_000
"""Milliseconds for what does answer, however slow the machine is; for what never does see `HASTY`."""
HASTY = 600


@dataclass(frozen=True)
class Case:
    """`do`: what the tool is told. `read`, `write`: the fault of a step that reads, and that writes; None: it succeeds.
    `never`: there is no answer, so there is no use in waiting."""

    name: str
    do: dict[str, Any]
    read: str | None
    write: str | None
    never: bool = False


def does(name: str, tool: str, do: dict[str, Any], *needs: str, **more: Any) -> p.CallStep:
    """A step that tells a tool what to do; `more`: see `plans.step`."""
    arguments = {key: value if hasattr(value, "kind") else const(value) for key, value in do.items()}
    made = step(name, *needs, tool=tool, arguments=arguments, **{"timeout_ms": PATIENT, **more})
    assert isinstance(made, p.CallStep)
    return made


def both(case: Case) -> tuple[p.Chain, p.Chain]:
    """Two chains of one step: `read` and `write`."""
    timeout = HASTY if case.never else PATIENT
    made = {tool: does("s", tool, case.do, timeout_ms=timeout) for tool in ("read", "write")}
    one, other = (chain(tool, each, output=ref("s"), wrapped=True) for tool, each in made.items())
    return one, other


async def judged(case: Case, plan: p.Plan) -> None:
    """Runs both over one set of connections; at once where there is only silence to wait for."""
    found: dict[str, Result] = {}

    async def run(tool: str) -> None:
        found[tool] = await each.run(tool)

    async with runs(plan) as each:
        if case.never:
            async with anyio.create_task_group() as group:
                group.start_soon(run, "read")
                group.start_soon(run, "write")
        else:
            await run("read")
            await run("write")
    for tool, result in found.items():
        judge(case, tool, result)


def plan_of(transport: p.Stdio | p.Http | None, *chains: p.Chain, options: tuple[str, ...] = (), **limits: int):
    """The tools `read`, `put`, `write` over a transport; None: the scripted server over stdio, with these options."""
    source = scripted_source(*options, read=FORM, put=FORM, write=FORM)
    if transport is not None:
        source = source.model_copy(update={"transport": transport})
    return scripted_plan(source, *chains, **limits)


@asynccontextmanager
async def runs(plan: p.Plan) -> AsyncIterator[Runs]:
    """Runs of a plan's first chain over one set of connections."""
    async with Router(plan, Path(__file__).parent) as tools:
        yield Runs(plan, tools)


async def once(transport: p.Stdio | p.Http | None, one: p.Chain, *options: str) -> Result:
    """One run of one chain; see `plan_of`."""
    async with runs(plan_of(transport, one, options=options)) as each:
        return await each.run()


class Runs:
    def __init__(self, plan: p.Plan, tools: Router) -> None:
        self._loaded = load_plan(plan)
        self._tools = tools
        self.store = MemoryStore()

    async def run(self, id: str | None = None, **arguments: Any) -> Result:
        first = id or next(iter(self._loaded.chains))
        return await run_chain(self._loaded, first, arguments, tools=self._tools, store=self.store)


def told(result: Result) -> list[tuple[str, int, str]]:
    """The receipts: step, attempt, and the fault or `ok`."""
    return [(each.step, each.attempt, each.fault or each.outcome) for each in result.receipts]


def judge(case: Case, tool: str, result: Result) -> None:
    """The outcome and its receipt are as the case says; what is in doubt says so."""
    expected = case.read if tool == "read" else case.write
    found = None if result.fault is None else result.fault.fault_class
    assert found == expected, (found, None if result.fault is None else result.fault.message)
    assert told(result) == [("s", 1, expected or "ok")]
    if result.fault is None:
        assert result.wire == {"result": {"value": case.do.get("value", case.do.get("then"))}}
        return
    assert result.fault.step == "s"
    assert result.fault.sent, "the server got the call"
    if expected == "unknown_outcome":
        assert result.fault.details["cause"] == case.read
        assert not result.fault.retryable
    # What answered has happened, also where the answer is of no use.
    assert result.fault.done == (
        ("s",) if tool != "read" and expected in ("shape_mismatch", "result_too_large") else ()
    )
