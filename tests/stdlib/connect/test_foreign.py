"""What answers at the URL of a server and does not speak its protocol."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream

from stdlib.connect.foreign import bare, stays
from stdlib.connect.mcp import McpTools, list_tools
from stdlib.plan import plan as p
from stdlib.runtime.fault import Fault, RunFault
from tests.servers.far import Far
from tests.servers.loopback import spoken

from .sources import scripted_source

pytestmark = pytest.mark.anyio

HERE = p.Network(private_networks=True)
ADVICE = "Is the path right? It often ends in `/mcp`."
JSON = "Content-Type: application/json\r\n"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def moved(status: str, location: str) -> bytes:
    head = f"HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n"
    return f"{head}\r\n".encode()


def calling(port: int) -> McpTools:
    source = scripted_source().model_copy(update={"transport": p.Http(url=f"http://127.0.0.1:{port}/mcp")})
    return McpTools(p.Plan(name="t", version="1.0.0", sources={"test": source}, network=HERE))


async def told(head: str, body: str = "", path: str = "/api") -> tuple[int, Fault, Fault]:
    """The port of a server that answers all requests so, and what is told to who asks for its tools and who calls."""

    async def answer(stream: ByteStream, _: bytes) -> None:
        length = f"Content-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n"
        await stream.send(f"HTTP/1.1 {head}{length}{body}".encode())

    async with spoken(answer) as port:
        transport = p.Http(url=f"http://127.0.0.1:{port}{path}?key=hush#there")
        with pytest.raises(RunFault) as listing:
            await list_tools("test", transport, HERE, timeout=60)
        source = scripted_source().model_copy(update={"transport": transport})
        async with McpTools(p.Plan(name="t", version="1.0.0", sources={"test": source}, network=HERE)) as tools:
            with pytest.raises(RunFault) as call:
                await tools.call("test", "read", {"do": "echo", "value": 1}, 60)
    return port, listing.value.fault, call.value.fault


@pytest.mark.parametrize(
    ("head", "body", "author", "caller"),
    [
        (f"200 OK\r\n{JSON}", '{"error":"maintenance"}', '(200, application/json: `{"error":"maintenance"}`)', None),
        (f"200 OK\r\n{JSON}", "[]", "(200, application/json: `[]`)", None),
        (f"200 OK\r\n{JSON}", "{", "(200, application/json: `{`)", None),
        (f"200 OK\r\n{JSON}", "", "(200, application/json, and nothing in it)", None),
        (
            f"200 OK\r\n{JSON}",
            '{"jsonrpc":"2.0","id":{}}',
            '(200, application/json: `{"jsonrpc":"2.0","id":{}}`)',
            None,
        ),
        ("200 OK\r\nContent-Type: text/html; charset=utf-8\r\n", "<p>Hi", "(200, text/html)", "(200, text/html)"),
        ("200 OK\r\n", "hi", "(200, without a media type)", "(200, without a media type)"),
        ("404 Not Found\r\nContent-Type: text/plain\r\n", "no such page", "(404)", "(404)"),
        ("405 Method Not Allowed\r\n", "", "(405)", "(405)"),
        ("202 Accepted\r\n", "", "(202, without a media type)", "(202, without a media type)"),
    ],
)
async def test_an_answer_of_something_else(
    head: str, body: str, author: str, caller: str | None, caplog: pytest.LogCaptureFixture
):
    port, listing, call = await told(head, body)
    place = f"The server of `test` at http://127.0.0.1:{port}"
    assert listing.message == f"{place}/api answered, but not in MCP {author}."
    assert call.message == f"{place} answered, but not in MCP {caller or '(200, application/json)'}."
    for each in (listing, call):
        assert (each.fault_class, each.sent, each.next) == ("unavailable", False, ADVICE)
    assert [each for each in caplog.records if each.exc_info and each.name != "chainc.connect"] == []


async def test_a_long_body_with_hidden_characters():
    _, listing, _ = await told(f"200 OK\r\n{JSON}", '{"a": "\u202e`\n' + "x" * 9000 + '"}')
    assert "\u202e" not in listing.message
    assert '(200, application/json: `{"a": "\' xxx' in listing.message
    assert len(listing.message) < 300


async def test_a_redirect_to_another_host():
    port, listing, call = await told("302 Found\r\nLocation: https://u:hush@login.example/in?next=hush\r\n")
    place = f"The server of `test` at http://127.0.0.1:{port}"
    assert listing.message == f"{place}/api only leads elsewhere (302) to https://login.example/in."
    assert call.message == f"{place} only leads elsewhere (302)."
    advice = "Is this the URL of the server? Write the one where it answers itself; nothing is sent to another host."
    assert (listing.next, call.next) == (advice, advice)


@pytest.mark.parametrize("status", ["301 Moved Permanently", "307 Temporary Redirect"])
async def test_a_redirect_within_the_server_that_ends_nowhere(status: str):
    """The first would lose the message, the second leads in a circle."""
    port, listing, _ = await told(f"{status}\r\nLocation: /api\r\n")
    place = f"The server of `test` at http://127.0.0.1:{port}/api"
    assert listing.message == f"{place} only leads elsewhere ({status[:3]}) to http://127.0.0.1:{port}/api."
    assert listing.next == ADVICE


async def test_a_redirect_within_the_server_is_followed():
    """As from `/mcp` to `/mcp/`."""
    async with anyio.create_task_group() as group:
        server = Far(group)

        async def hear(stream: ByteStream, request: bytes) -> None:
            if request.startswith(b"POST /mcp HTTP"):
                await stream.send(moved("307 Temporary Redirect", "/mcp/"))
            else:
                await server.handle(stream, request)

        async with spoken(hear) as port:
            listing = await list_tools("test", p.Http(url=f"http://127.0.0.1:{port}/mcp"), HERE, timeout=60)
    assert "read" in [each.name for each in listing.tools]


async def test_calls_side_by_side_are_redirected_each_for_itself():
    """Eight are led to the right path before the first of them is answered."""
    async with anyio.create_task_group() as group:
        server, led, all_led = Far(group), 0, anyio.Event()

        async def hear(stream: ByteStream, request: bytes) -> None:
            nonlocal led
            if not request.startswith(b"POST /mcp HTTP"):
                await server.handle(stream, request)
                return
            if opened:
                led += 1
                if led == 8:
                    all_led.set()
                await all_led.wait()
            await stream.send(moved("307 Temporary Redirect", "/mcp/"))

        opened, answers = False, list[Any]()
        async with spoken(hear) as port, calling(port) as tools:

            async def call(value: int) -> None:
                answers.append((await tools.call("test", "read", {"do": "echo", "value": value}, 60)).structured)

            await call(0)
            opened = True
            async with anyio.create_task_group() as calls:
                for value in range(1, 9):
                    calls.start_soon(call, value)
    assert sorted(each["value"] for each in answers) == list(range(9))


@pytest.mark.parametrize(
    ("status", "location", "sent"),
    [
        ("307 Temporary Redirect", "https://other.example/mcp", False),
        ("308 Permanent Redirect", "/mcp", False),
        ("301 Moved Permanently", "/mcp/", False),
        ("302 Found", "/done", True),
        ("303 See Other", "/done", True),
    ],
)
async def test_a_call_that_is_led_elsewhere(status: str, location: str, sent: bool):
    """A write is in doubt only where the server may have done it. The second leads in a circle."""
    async with anyio.create_task_group() as group:
        server, opened = Far(group), False

        async def hear(stream: ByteStream, request: bytes) -> None:
            if opened:
                await stream.send(moved(status, location))
            else:
                await server.handle(stream, request)

        async with spoken(hear) as port, calling(port) as tools:
            await tools.call("test", "read", {"do": "echo", "value": 1}, 60)
            opened = True
            with pytest.raises(RunFault) as found:
                await tools.call("test", "write", {"do": "echo", "value": 2}, 60)
    fault = found.value.fault
    assert (fault.fault_class, fault.sent) == ("unavailable", sent)
    assert fault.message == f"The server of `test` at http://127.0.0.1:{port} only leads elsewhere ({status[:3]})."


async def test_what_a_handshake_is_answered_with():
    async def answer(stream: ByteStream, request: bytes) -> None:
        body = b'{"jsonrpc":"2.0","id":%d,"result":{"weather":"fine"}}'
        found = body % (2 if b'"initialize"' in request else 1)
        head = f"HTTP/1.1 200 OK\r\n{JSON}Content-Length: {len(found)}\r\nConnection: close\r\n\r\n"
        await stream.send(head.encode() + found)

    async with spoken(answer) as port:
        with pytest.raises(RunFault) as found:
            await list_tools("test", p.Http(url=f"http://127.0.0.1:{port}/mcp"), HERE, timeout=60)
    assert found.value.fault.message == "The server of `test` answered the handshake with something that is none."


def test_urls_that_may_be_shown():
    assert bare("https://u:p@one.example:8/a/b?c=d#e") == "https://one.example:8/a/b"
    assert bare("https://[broken/a?b") == "its URL"
    assert stays("http://a.example/x", "/y")
    assert stays("http://a.example:80/x", "http://a.example/y")
    assert not stays("http://a.example/x", "http://b.example/x")
    assert not stays("http://a.example/x", "http://u@a.example/x")
    assert not stays("http://a.example/x", "http://a.example:99999999/x")
    assert not stays("http://a.example/x", "http://[x")
