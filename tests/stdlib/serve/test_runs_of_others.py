"""Runs that wait belong to who began them, as long as they may call the chain."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, ElicitResult, InputRequiredResult, TextContent

from stdlib.plan import plan as p
from stdlib.plan.catalogue import Catalogue
from stdlib.runtime.principal import Principal
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve.engine import Engine
from stdlib.serve.options import read_options
from stdlib.serve.server import build_server
from tests.stdlib.runtime.plans import approve, chain, const

from .bundles import entry

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")
MAY = frozenset({"pay"})
ANN = Principal("ann", "acme", MAY)
OTHERS = (
    Principal("bob", "acme", MAY),
    Principal("ann", "umbrella", MAY),
    Principal("ann", "acme", frozenset({"look"})),
)
"""Somebody else, somebody of that name elsewhere, and she herself after she lost the scope."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Who:
    """Who sends the next request."""

    principal = ANN

    def __call__(self, _: Any) -> Principal:
        return self.principal


@asynccontextmanager
async def served(folder: Path, era: str, user: Any = None) -> AsyncIterator[tuple[Client, Who]]:
    made = [
        (chain(name, approve("go", timeout_ms=600_000), output=const(1), wrapped=True), scopes)
        for name, scopes in (("pay", ["pay"]), ("look", ["look"]))
    ]
    plan = p.Plan(name="test", version="1.0.0", chains={one.id: one for one, _ in made})
    told = [
        entry(one, {"type": "integer"}, behaviour={"scopes": scopes}, selection={"stages": [one.id]})
        for one, scopes in made
    ]
    folder.joinpath("plan.json").write_text(plan.model_dump_json(by_alias=True))
    who = Who()
    options = read_options([])
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, MemoryStore())
        catalogue = Catalogue(name="test", version="1.0.0", entries=tuple(told))
        server = build_server(catalogue, engine, options, principal_of=who)
        async with Client(server, mode=era, elicitation_callback=user) as client:
            yield client, who
        await engine.close()


def fault(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error
    block = result.content[0]
    assert isinstance(block, TextContent)
    told: dict[str, Any] = json.loads(block.text)["fault"]
    return told


@pytest.mark.parametrize("era", ERAS)
async def test_a_run_of_somebody_else_is_not_there(tmp_path: Path, era: str):
    async with served(tmp_path, era) as (client, who):
        parked = fault(await client.call_tool("pay", {}))
        assert parked["class"] == "input_required"
        run = parked["details"]["run"]
        lost = "run_" + "0" * (len(run) - 4)
        for other in OTHERS:
            who.principal = other
            told = fault(await client.call_tool("resume_run", {"run": run}))
            nothing = fault(await client.call_tool("resume_run", {"run": lost}))
            assert json.dumps(told).replace(run, "RUN") == json.dumps(nothing).replace(lost, "RUN")
            assert told["class"] == "invalid_input"
        who.principal = ANN
        assert fault(await client.call_tool("resume_run", {"run": run}))["class"] == "input_required"


@pytest.mark.parametrize("era", ERAS)
async def test_who_has_nothing_to_resume_has_no_such_tool(tmp_path: Path, era: str):
    async with served(tmp_path, era) as (client, who):
        who.principal = Principal("none", "acme", frozenset())
        assert [tool.name for tool in (await client.list_tools()).tools] == ["handle_read", "handle_describe"]
        with pytest.raises(MCPError, match="There is no tool `resume_run` here"):
            await client.call_tool("resume_run", {"run": "run_1"})


@pytest.mark.parametrize("era", ERAS)
async def test_a_run_can_be_resumed_in_another_stage(tmp_path: Path, era: str):
    async with served(tmp_path, era) as (client, _):
        run = fault(await client.call_tool("pay", {}))["details"]["run"]
        meta: Any = {"chainc/stages": ["look"]}
        with pytest.raises(MCPError, match="There is no tool `pay` here"):
            await client.call_tool("pay", {}, meta=meta)
        told = fault(await client.call_tool("resume_run", {"run": run}, meta=meta))
        assert told["class"] == "input_required"


async def test_nobody_goes_on_with_a_request_of_somebody_else(tmp_path: Path):
    async def user(*_: Any) -> ElicitResult:
        raise AssertionError("asked by hand")

    answers: Any = {"go": ElicitResult(action="accept", content={"approve": True})}
    async with served(tmp_path, "auto", user) as (client, who):
        asked = await client.session.call_tool("pay", {}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        for other in OTHERS[:2]:
            who.principal = other
            told = await client.session.call_tool(
                "pay", {}, input_responses=answers, request_state=asked.request_state, allow_input_required=True
            )
            assert isinstance(told, CallToolResult)
            assert fault(told)["message"].startswith("There is no run ")
        who.principal = OTHERS[2]
        with pytest.raises(MCPError, match="There is no tool `pay` here"):
            await client.session.call_tool("pay", {}, input_responses=answers, request_state=asked.request_state)
        who.principal = ANN
        done = await client.session.call_tool("pay", {}, input_responses=answers, request_state=asked.request_state)
        assert isinstance(done, CallToolResult)
        assert done.structured_content == {"result": 1}
