"""Principals × tools × every way to a tool: what somebody may not call is not there for them.

Nothing may tell a tool that is not theirs from one that does not exist: not a list, not the search, not a description,
not the registry, not the refusal of a call. The same holds for handles of others.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, TextContent, TextResourceContents

from .secured import PRINCIPALS, SCOPES, client_of, may, secured, write_secured

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")
NOT_THERE = "no_such_tool"
LOST = "h_00000000000000000000000000000000"
CALLS: dict[str, dict[str, Any]] = {
    "make": {"rows": [1, 2]},
    "count": {"table": "h_0"},
    "test__read": {"do": "echo", "value": 1},
    "test__put": {"do": "echo", "value": 1},
    "test__write": {"do": "echo", "value": 1},
}
OWN = ("find_tools", "describe_tool", "handle_read", "handle_describe")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with secured(write_secured(tmp_path)) as found:
        yield found


@pytest.fixture
async def searched(tmp_path: Path) -> AsyncIterator[str]:
    async with secured(write_secured(tmp_path), "--discovery-above", "1") as found:
        yield found


def theirs(token: str) -> set[str]:
    return {tool for tool in SCOPES if may(token, tool)}


async def refusal(client: Client, name: str, said: str | None = None) -> tuple[int, str, str]:
    """How a call is refused, with the name taken out."""
    with pytest.raises(MCPError) as found:
        await client.call_tool(name, CALLS.get(name, {}))
    error = found.value.error
    return error.code, error.message.replace(name, "NAME"), json.dumps(error.data).replace(name, "NAME")


async def is_there(client: Client, name: str) -> bool:
    """Whether a call is served; `count` is called with a handle that nobody has."""
    answer = await client.call_tool(name, CALLS.get(name, {}))
    return '"class":"handle_denied"' in told(answer) if name == "count" else not answer.is_error


def told(result: CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text


async def registry(client: Client) -> str:
    content = (await client.read_resource("chainc://registry")).contents[0]
    assert isinstance(content, TextResourceContents)
    return content.text


@pytest.mark.parametrize("era", ERAS)
async def test_nobody_sees_or_calls_what_they_may_not(url: str, era: str):
    """Lists, registry, resources, calls."""
    resources, templates = set(), set()
    for token in PRINCIPALS:
        async with client_of(url, token, era) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            assert listed == theirs(token) | {"handle_read", "handle_describe"}
            lines = (await registry(client)).splitlines()
            assert {line.split("@")[1].split()[0] for line in lines} == theirs(token)
            resources.add((await client.list_resources()).model_dump_json())
            templates.add((await client.list_resource_templates()).model_dump_json())
            unknown = await refusal(client, NOT_THERE)
            for tool in SCOPES:
                if may(token, tool):
                    assert await is_there(client, tool), (token, tool)
                else:
                    assert await refusal(client, tool) == unknown, (token, tool)
    assert len(resources) == len(templates) == 1, "the same for everybody"


@pytest.mark.parametrize("era", ERAS)
async def test_nobody_finds_what_they_may_not(searched: str, era: str):
    """Search and descriptions, and calls of what is not listed."""
    for token in PRINCIPALS:
        async with client_of(searched, token, era) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(OWN)
            nothing = await client.call_tool("describe_tool", {"name": NOT_THERE})
            unknown = await refusal(client, NOT_THERE)
            for tool in SCOPES:
                found = await client.call_tool("find_tools", {"query": tool.replace("__", " "), "k": 20})
                assert found.structured_content is not None
                names = {each["name"] for each in found.structured_content["tools"]}
                assert names <= theirs(token)
                assert (tool in names) == may(token, tool), (token, tool)
                described = await client.call_tool("describe_tool", {"name": tool})
                if may(token, tool):
                    assert described.structured_content is not None
                    assert described.structured_content["tool"]["name"] == tool
                    assert await is_there(client, tool), (token, tool)
                else:
                    assert told(described).replace(tool, "NAME") == told(nothing).replace(NOT_THERE, "NAME")
                    assert described.is_error
                    assert await refusal(client, tool) == unknown


@pytest.mark.parametrize("era", ERAS)
async def test_nobody_reads_handles_of_others(url: str, era: str):
    """Reading, describing, the resource, and passing one on; a principal of the same name in another tenant, too."""
    async with AsyncExitStack() as stack:
        clients = {token: await stack.enter_async_context(client_of(url, token, era)) for token in PRINCIPALS}
        handles: dict[str, str] = {}
        for token, client in clients.items():
            made = await client.call_tool("make", {"rows": [token]})
            assert made.structured_content is not None
            handles[token] = made.structured_content["handle"]["id"]
        assert len(set(handles.values())) == len(handles)
        for token, client in clients.items():
            lost = [told(each).replace(LOST, "ID") for each in await uses(client, LOST)]
            for owner, handle in handles.items():
                ways = await uses(client, handle)
                if owner == token:
                    assert not any(each.is_error for each in ways)
                    await client.read_resource(f"chainc://handle/{handle}")
                    continue
                assert [told(each).replace(handle, "ID") for each in ways] == lost
                assert all(each.is_error for each in ways)
                with pytest.raises(MCPError):
                    await client.read_resource(f"chainc://handle/{handle}")


async def uses(client: Client, handle: str) -> list[CallToolResult]:
    """The ways to a handle through tools."""
    return [
        await client.call_tool("handle_read", {"handle": handle}),
        await client.call_tool("handle_describe", {"handle": handle}),
        await client.call_tool("count", {"table": handle}),
    ]
