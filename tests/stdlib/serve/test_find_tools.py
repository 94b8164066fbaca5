"""Where there are many tools they are found, described and called instead of listed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, TextContent

from stdlib.plan.catalogue import Catalogue
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve.engine import Engine
from stdlib.serve.options import read_options
from stdlib.serve.server import build_server

from .bundles import write_bundle
from .secured import client_of, secured, write_secured

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")
HANDLES = ["handle_read", "handle_describe"]
SEARCH = ["find_tools", "describe_tool"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The usual bundle; `act` says when to use it, `secret` has an example and a parameter with a description."""
    write_bundle(tmp_path)
    file = tmp_path / "catalogue.json"
    catalogue = json.loads(file.read_text())
    by_id = {entry["id"]: entry for entry in catalogue["entries"]}
    by_id["act"]["selection"]["use_when"] = ["somebody reports an outage"]
    by_id["secret"]["selection"]["examples"] = [{"request": "Which vault holds the crown jewels?"}]
    parameters = {
        "hoard": {"type": "array", "items": {"properties": {"gem_cut": {"description": "Facets of a stone"}}}}
    }
    by_id["secret"]["input"]["schema"] = {"type": "object", "properties": parameters}
    file.write_text(json.dumps(catalogue))
    return tmp_path


@asynccontextmanager
async def served(folder: Path, *argv: str, era: str = "auto") -> AsyncIterator[Client]:
    options = read_options(argv)
    catalogue = Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, MemoryStore())
        async with Client(build_server(catalogue, engine, options), mode=era) as client:
            yield client
        await engine.close()


async def listed(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


async def found(client: Client, query: str, **more: Any) -> list[str]:
    answer = await client.call_tool("find_tools", {"query": query, **more})
    assert answer.structured_content is not None
    return [each["name"] for each in answer.structured_content["tools"]]


def fault(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error
    block = result.content[0]
    assert isinstance(block, TextContent)
    told: dict[str, Any] = json.loads(block.text)["fault"]
    return told


async def test_only_where_there_are_more_tools_than_the_limit(folder: Path):
    async with served(folder) as client:
        assert await listed(client) == ["echo", "make", "count", "act", "secret", *HANDLES]
        with pytest.raises(MCPError, match="There is no tool `find_tools` here"):
            await client.call_tool("find_tools", {"query": "x"})
    async with served(folder, "--discovery-above", "5") as client:
        assert "find_tools" not in await listed(client)
    async with served(folder, "--discovery-above", "4") as client:
        assert await listed(client) == [*SEARCH, *HANDLES]
    async with served(folder, "--discovery-above", "4", "--groups", "plain", "--no-handles") as client:
        assert await listed(client) == ["echo", "make", "count"]


async def test_what_somebody_does_not_see_does_not_count(tmp_path: Path):
    async with secured(write_secured(tmp_path), "--discovery-above", "4") as url:
        async with client_of(url, "token-none") as client:
            assert await listed(client) == ["make", "count", "test__read", *HANDLES]
        async with client_of(url, "token-reader") as client:
            assert await listed(client) == [*SEARCH, *HANDLES]


@pytest.mark.parametrize("era", ERAS)
async def test_tools_are_found_described_and_called(folder: Path, era: str):
    async with served(folder, era=era) as client:
        whole = {tool.name: tool for tool in (await client.list_tools()).tools}
    async with served(folder, "--discovery-above", "1", era=era) as client:
        await client.list_tools()
        answer = await client.call_tool("find_tools", {"query": "echo something", "k": 1})
        assert answer.structured_content == {
            "tools": [
                {
                    "name": "echo",
                    "title": "Echo",
                    "description": "Does echo.",
                    "line": "TOOL @echo echo(value:json) -> scalar",
                }
            ]
        }
        described = await client.call_tool("describe_tool", {"name": "echo"})
        assert described.structured_content is not None
        expected = whole["echo"].model_dump(mode="json", by_alias=True, exclude_none=True)
        assert described.structured_content["tool"] == expected
        assert (await client.call_tool("echo", {"value": 7})).structured_content == {"value": 7}
        own = await client.call_tool("describe_tool", {"name": "handle_read"})
        assert own.structured_content is not None


@pytest.mark.parametrize(
    ("query", "name"),
    [("outage", "act"), ("crown jewels", "secret"), ("hoard", "secret"), ("gem cut", "secret"), ("facet", "secret")],
)
async def test_what_tools_are_found_by(folder: Path, query: str, name: str):
    async with served(folder, "--discovery-above", "1") as client:
        assert await found(client, query) == [name]


async def test_how_many_are_found(folder: Path):
    async with served(folder, "--discovery-above", "1") as client:
        assert await found(client, "does", k=2) == ["echo", "make"]
        assert await found(client, "echo make count act", k=3) == ["echo", "make", "count"]
        assert len(await found(client, "echo make count act secret", k=None)) == 5
        assert await found(client, "nothing like it") == []


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("find_tools", {}, "`query` must be a text that says what is to be done."),
        ("find_tools", {"query": "  "}, "`query` must be a text that says what is to be done."),
        ("find_tools", {"query": 1}, "`query` must be a text that says what is to be done."),
        ("find_tools", {"query": "x", "k": 0}, "`k` must be a whole number from 1 to 20."),
        ("find_tools", {"query": "x", "k": 21}, "`k` must be a whole number from 1 to 20."),
        ("find_tools", {"query": "x", "k": True}, "`k` must be a whole number from 1 to 20."),
        ("find_tools", {"query": "x", "n": 1}, "There is no input `n`; there are: query, k."),
        ("describe_tool", {}, "`name` must be the name of a tool."),
        ("describe_tool", {"name": "echo", "x": 1}, "There is no input `x`; there are: name."),
    ],
)
async def test_wrong_arguments(folder: Path, name: str, arguments: dict[str, Any], told: str):
    async with served(folder, "--discovery-above", "1") as client:
        problem = fault(await client.call_tool(name, arguments))
        assert (problem["class"], problem["message"]) == ("invalid_input", told)


async def test_a_tool_that_is_not_there_is_not_described(folder: Path):
    async with served(folder, "--discovery-above", "1") as client:
        problem = fault(await client.call_tool("describe_tool", {"name": "nothing"}))
        assert (problem["class"], problem["message"]) == ("unknown_tool", "There is no tool `nothing` here.")
        assert problem["next"] == "Search with find_tools."
