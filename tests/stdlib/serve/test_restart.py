"""Runs that outlive their server: what waits and what was interrupted goes on under the plan that it was begun with."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from stdlib.plan import plan as p
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.document import to_text
from stdlib.runtime.principal import Owner
from stdlib.runtime.question import Approved
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.store.decisions import Decision
from stdlib.runtime.store.sqlite import SqliteStore
from stdlib.runtime.world import Ambient
from stdlib.serve.engine import Engine
from stdlib.serve.options import read_options
from stdlib.serve.server import build_server
from tests.stdlib.connect.sources import scripted_plan, scripted_source
from tests.stdlib.runtime.plans import approve, call, chain, const, step

from .bundles import entry
from .test_server import fault

pytestmark = pytest.mark.anyio
PLAIN: dict[str, Any] = {"wrapped": True, "schema": {"type": "string"}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Tools:
    """Counts writes. `held`: a call waits until it is set."""

    def __init__(self, calls: list[str], held: anyio.Event | None = None) -> None:
        self.calls = calls
        self.held = held
        self.under_way = anyio.Event()
        self.closed = False

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        self.calls.append(str(arguments.get("do")))
        self.under_way.set()
        if self.held is not None:
            await self.held.wait()
        return ToolAnswer(structured={"n": len(self.calls)})

    def close(self) -> None:
        """There are no connections."""
        self.closed = True


def bundle(folder: Path, says: str) -> Path:
    """A server whose chain asks a manager between two writes; `says`: what it gives and does in the end."""
    one = chain(
        "pay",
        step("before", tool="write", arguments={"do": const("before")}, undo=call("write", do=const("undo"))),
        approve("go", "before", by="managers"),
        step("after", "go", tool="write", arguments={"do": const(says)}),
        output=const(says),
        **PLAIN,
    )
    return written(folder, one)


def written(folder: Path, one: p.Chain) -> Path:
    """What a server of one chain reads."""
    folder.mkdir()
    plan = scripted_plan(scripted_source(write={}), one)
    entries = (entry(one, one.output.json_schema),)
    (folder / "plan.json").write_text(to_text(plan))
    (folder / "catalogue.json").write_text(to_text(Catalogue(name="test", version="1.0.0", entries=entries)))
    return folder


@asynccontextmanager
async def started(
    folder: Path, store: Path, tools: Tools, later: float = 0.0, *, adopts: bool = True
) -> AsyncIterator[tuple[Client, Engine]]:
    """`later`: so many seconds from now. `adopts`: it goes on with the runs that were interrupted."""

    def clock() -> float:
        return time.time() + later

    options = read_options([])
    catalogue = Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())
    kept = SqliteStore.open(store, clock)
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, kept, ambient=Ambient(clock))
        serving = engine._serving

        def with_tools(text: str) -> Any:
            served = serving(text)
            served.__dict__["tools"] = tools
            return served

        engine.__dict__["_serving"] = with_tools
        if adopts:
            await engine.adopt()
        async with Client(build_server(catalogue, engine, options)) as client:
            yield client, engine
        await engine.close()
    await kept.close()


async def parked(client: Client) -> str:
    told = fault(await client.call_tool("pay", {}))
    assert told["class"] == "input_required"
    run: str = told["details"]["run"]
    return run


async def test_a_parked_run_survives_and_keeps_its_plan(tmp_path: Path):
    calls: list[str] = []
    store = tmp_path / "state.db"
    async with started(bundle(tmp_path / "old", "old"), store, Tools(calls)) as (client, _):
        run = await parked(client)
    assert calls == ["before"], "the end of the server takes nothing back"
    async with started(bundle(tmp_path / "new", "new"), store, Tools(calls)) as (client, engine):
        again = fault(await client.call_tool("resume_run", {"run": run}))
        assert (again["class"], again["details"]["awaits"][0]["by"]) == ("input_required", "managers")
        waiting = engine.runs.find(run, Owner())
        assert waiting is not None
        assert waiting.answer("go", waiting.open()[0].question.digest, Approved("ann"))
        result = await client.call_tool("resume_run", {"run": run})
        assert result.structured_content == {"result": "old"}
        assert calls == ["before", "old"]
        fresh = await parked(client)
        assert fresh != run
    assert calls == ["before", "old", "before"]


async def test_a_decision_that_was_made_while_there_was_no_server(tmp_path: Path):
    calls: list[str] = []
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    async with started(folder, store, Tools(calls)) as (client, _):
        run = await parked(client)
    kept = SqliteStore.open(store)
    (asked,) = await kept.decisions.awaited()
    assert (asked.run, asked.by, asked.requester) == (run, "managers", Owner())
    assert not await kept.decisions.decide(Decision(run, "go", "another", True, "ann", None, 1.0))
    assert await kept.decisions.decide(Decision(run, "go", asked.digest, True, "ann", "fine", 1.0))
    await kept.close()
    async with started(folder, store, Tools(calls)) as (client, engine):
        waiting = engine.runs.find(run, Owner())
        assert waiting is not None
        await waiting.end()
        result = await client.call_tool("resume_run", {"run": run})
        assert result.structured_content == {"result": "old"}
    assert calls == ["before", "old"]
    async with started(folder, store, Tools(calls)) as (client, _):
        late = await client.call_tool("resume_run", {"run": run})
        assert late.structured_content == {"result": "old"}, "its end is remembered"
    assert calls == ["before", "old"]


async def test_the_connections_of_an_older_plan_end_with_its_last_run(tmp_path: Path):
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    async with started(folder, store, Tools([])) as (client, _):
        runs = [await parked(client) for _ in range(2)]
    tools = Tools([])
    async with started(bundle(tmp_path / "new", "new"), store, tools) as (client, engine):
        for left in (1, 0):
            waiting = engine.runs.find(runs[left], Owner())
            assert waiting is not None
            await waiting.news()
            assert waiting.answer("go", waiting.open()[0].question.digest, Approved("ann"))
            await waiting.end()
            assert tools.closed is (left == 0)
        assert (await client.call_tool("resume_run", {"run": runs[0]})).structured_content == {"result": "old"}


async def test_a_run_whose_plan_cannot_be_loaded_is_left_to_others(tmp_path: Path):
    calls: list[str] = []
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    async with started(folder, store, Tools(calls)) as (client, _):
        run = await parked(client)
    with closing(sqlite3.connect(store)) as database:
        database.execute("UPDATE plans SET text = '{}'")
        database.commit()
    async with started(bundle(tmp_path / "new", "new"), store, Tools(calls)) as (client, engine):
        row = await engine.store.journal.run(run)
        assert row is not None
        assert row.state == "interrupted"
        told = fault(await client.call_tool("resume_run", {"run": run}))
        assert told["message"] == "`pay` was interrupted, and goes on when its server starts again."
        async with started(folder, store, Tools(calls)) as (other, _):
            assert fault(await other.call_tool("resume_run", {"run": run}))["class"] == "input_required"
    assert calls == ["before"]


async def test_a_question_has_the_rest_of_its_time_and_a_decision_in_time_counts(tmp_path: Path):
    """The server ends, and starts again when the time is over: who decided before that is heard."""
    calls: list[str] = []
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    async with started(folder, store, Tools(calls)) as (client, _):
        run = await parked(client)
    async with started(folder, store, Tools(calls), later=3600.0) as (client, _):
        told = fault(await client.call_tool("resume_run", {"run": run}))
        until = datetime.fromisoformat(told["details"]["awaits"][0]["until"]).timestamp()
    kept = SqliteStore.open(store)
    (asked,) = await kept.decisions.awaited()
    assert asked.until == pytest.approx(until, abs=1)
    assert until < time.time() + 86_400, "a day from the beginning, not from the restart"
    assert await kept.decisions.decide(Decision(run, "go", asked.digest, True, "ann", None, time.time()))
    await kept.close()
    async with started(folder, store, Tools(calls), later=90_000.0) as (client, engine):
        waiting = engine.runs.find(run, Owner())
        assert waiting is not None
        await waiting.end()
        assert (await client.call_tool("resume_run", {"run": run})).structured_content == {"result": "old"}


async def test_a_run_of_another_process_is_known(tmp_path: Path):
    """Whoever is told that there is no such run calls again, and does it twice."""
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    async with started(folder, store, Tools([])) as (one, engine), started(folder, store, Tools([])) as (other, _):
        run = await parked(one)
        told = fault(await other.call_tool("resume_run", {"run": run}))
        assert (told["class"], told["details"]["awaits"][0]["by"]) == ("input_required", "managers")
        assert told["next"].startswith("Do not call `pay` again.")
        waiting = engine.runs.find(run, Owner())
        assert waiting is not None
        assert waiting.answer("go", waiting.open()[0].question.digest, Approved("ann"))
        await waiting.end()
        assert (await other.call_tool("resume_run", {"run": run})).structured_content == {"result": "old"}


async def test_a_call_under_way_is_awaited_before_the_run_is_let_go(tmp_path: Path):
    """The approval is there, the second write under way when the server ends: it is finished, and not done again."""
    calls: list[str] = []
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    tools = Tools(calls)
    async with anyio.create_task_group() as group, started(folder, store, tools) as (client, engine):
        run = await parked(client)
        tools.held, tools.under_way = anyio.Event(), anyio.Event()
        waiting = engine.runs.find(run, Owner())
        assert waiting is not None
        assert waiting.answer("go", waiting.open()[0].question.digest, Approved("ann"))
        await tools.under_way.wait()
        group.start_soon(_let_go_on, waiting, tools.held)
    assert calls == ["before", "old"]
    async with started(folder, store, Tools(calls)) as (client, _):
        assert (await client.call_tool("resume_run", {"run": run})).structured_content == {"result": "old"}
    assert calls == ["before", "old"]


async def _let_go_on(waiting: Any, held: anyio.Event) -> None:
    while not waiting.detached:
        await anyio.sleep(0.01)
    held.set()


async def test_nobody_approves_a_run_of_their_own(tmp_path: Path):
    calls: list[str] = []
    store = tmp_path / "state.db"
    async with started(bundle(tmp_path / "old", "old"), store, Tools(calls)) as (client, engine):
        run = await parked(client)
        (asked,) = await engine.store.decisions.awaited()
        assert await engine.store.decisions.decide(Decision(run, "go", asked.digest, True, "local", None, 1.0))
        waiting = engine.runs.find(run, Owner())
        assert waiting is not None
        await waiting.look()
        assert [each.question.step for each in waiting.open()] == ["go"]
    assert calls == ["before"]


async def test_a_server_that_ends_while_runs_are_taken_over_lets_them_go(tmp_path: Path):
    calls: list[str] = []
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    async with started(folder, store, Tools(calls)) as (client, _):
        run = await parked(client)
    kept = SqliteStore.open(store)
    looked, held, take_over = anyio.Event(), anyio.Event(), kept.journal.adopt

    async def slowly() -> Any:
        looked.set()
        await held.wait()
        return await take_over()

    kept.journal.__dict__["adopt"] = slowly
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            engine = Engine(folder, read_options([]), group, kept)
            group.start_soon(engine.adopt)
            await looked.wait()
            group.start_soon(engine.close)
            await anyio.wait_all_tasks_blocked()
            held.set()
    await kept.close()
    async with started(folder, store, Tools(calls)) as (client, _):
        assert fault(await client.call_tool("resume_run", {"run": run}))["class"] == "input_required"
    assert calls == ["before"]


async def test_who_asks_while_interrupted_runs_are_taken_over_waits_for_them(tmp_path: Path):
    store, folder = tmp_path / "state.db", bundle(tmp_path / "old", "old")
    async with started(folder, store, Tools([])) as (client, _):
        run = await parked(client)
    async with started(bundle(tmp_path / "new", "new"), store, Tools([]), adopts=False) as (client, engine):
        looked, held = anyio.Event(), anyio.Event()
        journal = engine.store.journal
        take_over = journal.adopt

        async def slowly() -> Any:
            looked.set()
            await held.wait()
            return await take_over()

        journal.__dict__["adopt"] = slowly
        answers: list[Any] = []

        async def ask() -> None:
            answers.append(fault(await client.call_tool("resume_run", {"run": run})))

        async with anyio.create_task_group() as group:
            group.start_soon(engine.adopt)
            await looked.wait()
            group.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            assert answers == []
            held.set()
        assert answers[0]["class"] == "input_required"


async def test_a_call_that_is_given_up_takes_back_before_the_store_is_closed(tmp_path: Path):
    done: list[str] = []
    begun, release = anyio.Event(), anyio.Event()
    folder = bundle(tmp_path / "old", "old")
    async with anyio.create_task_group() as group, started(folder, tmp_path / "state.db", Tools([])) as (_, engine):

        async def call() -> None:
            with engine._counted():
                begun.set()
                await release.wait()
                done.append("taken back")

        async def close() -> None:
            await engine.close()
            done.append("closed")

        group.start_soon(call)
        await begun.wait()
        group.start_soon(close)
        await anyio.wait_all_tasks_blocked()
        release.set()
        await anyio.wait_all_tasks_blocked()
        assert done == ["taken back", "closed"]


def writes(folder: Path) -> Path:
    """A server whose chain writes twice, and asks nobody."""
    one = chain(
        "both",
        step("first", tool="write", arguments={"do": const("first")}, undo=call("write", do=const("undo"))),
        step("second", "first", tool="write", arguments={"do": const("second")}),
        output=const("done"),
        **PLAIN,
    )
    return written(folder, one)


@pytest.mark.parametrize("gives_up", [False, True])
async def test_a_server_that_is_told_to_end_lets_go_of_what_it_does_for_a_request(tmp_path: Path, gives_up: bool):
    """The first write is awaited, nothing new is begun or taken back, and the client is told; then it goes on."""
    calls: list[str] = []
    store, folder = tmp_path / "state.db", writes(tmp_path / "old")
    tools = Tools(calls, anyio.Event())
    told: list[dict[str, Any]] = []
    async with started(folder, store, tools) as (client, engine), anyio.create_task_group() as group:

        async def ask(scope: anyio.CancelScope) -> None:
            with scope:
                told.append(fault(await client.call_tool("both", {})))

        asking = anyio.CancelScope()
        group.start_soon(ask, asking)
        await tools.under_way.wait()
        engine.let_go()
        if gives_up:
            asking.cancel()
            await anyio.wait_all_tasks_blocked()
        assert tools.held is not None
        tools.held.set()
    assert calls == ["first"]
    if not gives_up:
        assert (told[0]["class"], told[0]["retryable"]) == ("unavailable", False)
        assert told[0]["details"]["run"] in told[0]["next"]
    async with started(folder, store, Tools(calls)) as (_, engine):
        (run,) = engine.runs._runs.values()
        await run.end()
        assert run.result is not None
        assert run.result.wire == {"result": "done"}
    assert calls == ["first", "second"]
