"""Requests that are to become other requests: another place, another header, another part, another word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream

from stdlib.connect.body import body_of
from stdlib.connect.router import Router
from stdlib.connect.styles import cookie_pair
from stdlib.plan.openapi import Body, BodyField, Parameter
from stdlib.plan.plan import Http, Network, Plan, Source, Tool
from stdlib.runtime.fault import RunFault
from tests.servers.loopback import spoken

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_a_server_of_tools_leads_nobody_elsewhere(status: str):
    """It would lead into a private network, and take the headers with it."""
    elsewhere: list[bytes] = []

    async def other(stream: ByteStream, request: bytes) -> None:
        elsewhere.append(request)
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    async with spoken(other) as there:

        async def leads(stream: ByteStream, _: bytes) -> None:
            place = f"http://127.0.0.1:{there}/mcp"
            await stream.send(f"HTTP/1.1 {status}\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode())

        async with spoken(leads) as port:
            tool = Tool(name="t", input_schema={"type": "object"}, digest="")
            source = Source(kind="mcp", transport=Http(url=f"http://127.0.0.1:{port}/mcp"), tools={"t": tool})
            plan = Plan(name="p", version="1.0.0", sources={"x": source}, network=Network(private_networks=True))
            with anyio.fail_after(60):
                async with Router(plan, Path(".")) as tools:
                    with pytest.raises(RunFault) as found:
                        await tools.call("x", "t", {}, 20)
    assert found.value.fault.fault_class in ("unavailable", "tool_error")
    assert elsewhere == []


NASTY = 'a"; filename="x.sh"\r\nContent-Type: text/x\r\n\r\nowned\r\n--'


@pytest.mark.parametrize("name", [NASTY, "a\r\nX-Evil: 1", "a\nb", 'a"b', "a\0b"])
def test_no_name_of_a_part_begins_another(name: str):
    body = Body.model_validate(
        {"argument": "body", "encoding": "multipart", "media_type": "multipart/form-data", "fields": ()}
    )
    content = body_of(body, {"body": {name: "fine"}})
    assert content is not None
    assert isinstance(content.content, bytes)
    boundary = content.media_type.partition("boundary=")[2].encode()
    parts = content.content.split(b"--" + boundary)
    assert len(parts) == 3
    head, _, value = parts[1].partition(b"\r\n\r\n")
    assert value == b"fine\r\n"
    assert [line.partition(b":")[0] for line in head.strip().split(b"\r\n")] == [b"Content-Disposition"]
    assert b"\n" not in head.strip()
    assert head.count(b'"') == 2


def test_no_value_of_a_part_ends_it():
    """The boundary is drawn anew for each request, so that no value can have it."""
    field = BodyField(argument="a", name="a")
    body = Body.model_validate(
        {"encoding": "multipart", "media_type": "multipart/form-data", "fields": (field,), "required": True}
    )
    kinds = {content.media_type for _ in range(3) if (content := body_of(body, {"a": "\r\n--x--\r\n"}))}
    assert len(kinds) == 3


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b=1", "a; admin=1", "a\nb", "a\0", "a, b", '"a"'])
def test_no_value_ends_a_cookie(value: Any):
    parameter = Parameter.model_validate(
        {"argument": "c", "name": "c", "location": "cookie", "style": "form", "explode": True}
    )
    written = cookie_pair(parameter, value)
    assert written.isprintable()
    assert not set('\r\n;," ') & set(written)


@pytest.mark.parametrize("key", ["__proto__", "a&b=c", "a\r\nb"])
def test_no_key_of_a_form_becomes_another(key: str):
    body = Body.model_validate(
        {"argument": "body", "encoding": "form", "media_type": "application/x-www-form-urlencoded", "fields": ()}
    )
    content = body_of(body, {"body": {key: "v"}})
    assert content is not None
    assert isinstance(content.content, bytes)
    assert content.content.count(b"=") == 1
    assert content.content.count(b"&") == 0
    assert json.dumps(content.content.decode()).isprintable()
