"""The HTTP border: who comes in, what they are told who do not, and where a token ends."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import ByteStream
from mcp import Client
from mcp_types import CallToolResult, TextContent
from starlette.testclient import TestClient

from stdlib.runtime.principal import Principal
from stdlib.serve.bearer import NOBODY, principal_of
from stdlib.serve.http import application
from stdlib.serve.options import read_options
from stdlib.serve.principals import Verified
from tests.servers.loopback import spoken

from .bundles import start
from .secured import PRINCIPALS, client_of, principal_lines, secured, write_secured

pytestmark = pytest.mark.anyio

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_secured(tmp_path)


@pytest.fixture
async def url(folder: Path) -> AsyncIterator[str]:
    async with secured(folder) as found:
        yield found


def fault_of(result: CallToolResult) -> dict[str, Any]:
    block = result.content[0]
    assert isinstance(block, TextContent)
    told: dict[str, Any] = json.loads(block.text)["fault"]
    return told


async def test_nobody_comes_in_without_a_token(url: str):
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic dG9rZW4tYWxs"}):
            answer = await http.post(url, json=PING, headers=headers)
            assert answer.status_code == 401
            told = answer.headers["WWW-Authenticate"]
            assert told.startswith('Bearer error="invalid_token"')
            metadata = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
            assert f'resource_metadata="{metadata}"' in told
        found = await http.get(metadata)
        assert found.json() == {"resource": url, "bearer_methods_supported": ["header"]}


async def test_an_authorization_server_is_told(folder: Path):
    argv = ("--issuer", "https://login.example", "--resource", "https://tools.example/mcp")
    async with secured(folder, *argv) as url, httpx2.AsyncClient(headers=ACCEPT) as http:
        found = (await http.get(url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"))).json()
        assert found["resource"] == "https://tools.example/mcp"
        assert found["authorization_servers"] == ["https://login.example"]
        authorized = {"Authorization": "Bearer token-all"}
        for host, status in (("tools.example", 400), ("tools.example:8443", 400), ("evil.example", 421)):
            answer = await http.post(url, json=PING, headers={**authorized, "Host": host})
            assert answer.status_code == status, "400: let in, but a ping is no request to begin with"


class ForAnother:
    async def verify(self, token: str) -> Verified | None:
        return Verified(
            Principal("ann"), resource={"right": "http://127.0.0.1:8000/mcp"}.get(token, "http://b.example/")
        )


def test_a_token_for_another_server_is_refused():
    from mcp.server.lowlevel.server import Server

    options = read_options(["--http", "8000", "--principals", "who.toml"])
    app = application(Server("test"), options, "http://127.0.0.1:8000/mcp", (ForAnother(),))
    with TestClient(app, base_url="http://127.0.0.1:8000") as http:
        for token, status in (("right", 400), ("wrong", 401)):
            headers = {"Authorization": f"Bearer {token}", **ACCEPT}
            assert http.post("/mcp", json=PING, headers=headers).status_code == status


async def test_a_session_is_of_who_opened_it(url: str):
    async with client_of(url, "token-all", "legacy"), httpx2.AsyncClient(headers=ACCEPT) as http:
        begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}
        opened = await http.post(url, json=message, headers={"Authorization": "Bearer token-all"})
        session = opened.headers["mcp-session-id"]
        ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
        for token, allowed in (("token-none", False), ("token-stranger", False), ("token-all", True)):
            headers = {"Authorization": f"Bearer {token}", "mcp-session-id": session}
            answer = await http.post(url, json=ask, headers=headers)
            assert (answer.status_code == 200) == allowed


async def test_the_refusal_is_in_the_log_and_the_token_nowhere(url: str, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.DEBUG):
        async with client_of(url, "token-reader") as client:
            for name in ("distillery", "no_such_tool"):
                with pytest.raises(Exception, match="There is no tool"):
                    await client.call_tool(name, {})
    ours = [each.getMessage() for each in caplog.records if each.name == "chainc.serve"]
    assert ours == [
        "refused: reader of acme may not call `distillery`, for want of ['fruit:write']",
        "refused: reader of acme may not call 'no_such_tool': they see no such tool",
    ]
    assert "token-reader" not in "".join(each.getMessage() for each in caplog.records if each.name != "httpcore2")


async def test_no_token_goes_on_to_a_source(folder: Path):
    seen = b""

    async def listen(stream: ByteStream, request: bytes) -> None:
        nonlocal seen
        seen += request
        await stream.send(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")

    async with (
        spoken(listen) as port,
        secured(folder, "--source", f"test=http://127.0.0.1:{port}/mcp") as url,
        client_of(url, "token-all", headers={"X-Mine": "mine"}) as client,
    ):
        answer = await client.call_tool("test__read", {"do": "echo"})
        assert fault_of(answer)["class"] == "unavailable"
    assert b"POST /mcp" in seen
    assert b"token-all" not in seen
    assert b"authorization" not in seen.lower()
    assert b"x-mine" not in seen.lower()


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_who_gets_or_loses_a_scope_is_told(folder: Path, era: str):
    told = anyio.Event()

    async def note(message: Any) -> None:
        if "tools/list_changed" in str(getattr(message, "method", "")):
            told.set()

    def now(*scopes: str) -> None:
        changed = {**PRINCIPALS, "token-none": ("none", "acme", set(scopes))}
        (folder / "who.toml").write_text(principal_lines(changed))
        os.utime(folder / "who.toml", ns=(len(scopes), len(scopes)))

    async def lists(client: Client) -> bool:
        return "granary" in {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}

    async with secured(folder) as url, client_of(url, "token-none", era, message_handler=note) as client:
        assert not await lists(client)
        if era == "auto":
            async with client.listen(tools_list_changed=True) as events:
                now("grain:read")
                assert (await client.call_tool("granary", {})).structured_content == {"result": "granary"}
                with anyio.fail_after(60):
                    assert type(await anext(aiter(events))).__name__ == "ToolsListChanged"
        else:
            now("grain:read")
            assert (await client.call_tool("granary", {})).structured_content == {"result": "granary"}
            with anyio.fail_after(60):
                await told.wait()
        assert await lists(client)
        now()
        with pytest.raises(Exception, match="There is no tool `granary` here"):
            await client.call_tool("granary", {})
        assert not await lists(client)


def test_a_request_that_nobody_vouches_for_has_no_rights():
    class Unknown:
        request = None

    found: Any = Unknown()
    assert principal_of(found) == NOBODY
    assert NOBODY.scopes == frozenset()


def test_a_wrong_file_ends_the_server_before_it_listens(folder: Path):
    (folder / "who.toml").write_text('[[principal]]\nid = "ann"\ntoken_sha256 = "my-own-token"\n')
    process = start(folder, "--http", "0", "--principals", str(folder / "who.toml"))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"error: " in err
    assert b"who.toml, principal 1 (`ann`): `token_sha256` must be 64 digits" in err
    assert b"my-own-token" not in err
    assert b"serving" not in err
