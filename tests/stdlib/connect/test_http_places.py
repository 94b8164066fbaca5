"""Where servers of tools behind a URL may be: the rules that hold for OpenAPI sources."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import ByteStream

from stdlib.connect.guarded import Guarded
from stdlib.connect.mcp import McpTools, list_tools
from stdlib.connect.wire import Wire
from stdlib.plan import plan as p
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.gates.network import Guard
from tests.servers.far import Far, far
from tests.servers.loopback import spoken

from .sources import scripted_source

pytestmark = pytest.mark.anyio

NOBODY = p.Network()
HERE = p.Network(private_networks=True)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def plan(url: str, network: p.Network, **headers: str) -> p.Plan:
    source = scripted_source().model_copy(update={"transport": p.Http(url=url, headers=headers)})
    return p.Plan(name="t", version="1.0.0", sources={"test": source}, network=network)


async def refused(url: str, network: p.Network) -> Fault:
    """The same for who asks for the tools, and for who calls one."""
    with pytest.raises(RunFault) as listing:
        await list_tools("test", p.Http(url=url), network, timeout=60)
    async with McpTools(plan(url, network)) as tools:
        with pytest.raises(RunFault) as call:
            await tools.call("test", "read", {"do": "echo", "value": 1}, 60)
    assert call.value.fault == listing.value.fault
    return call.value.fault


async def echo(tools: McpTools) -> Any:
    return (await tools.call("test", "read", {"do": "echo", "value": 1}, 60)).structured


class Names:
    """What names stand for. `answers`: of one look-up after the other; the last is repeated."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def look_up(self, host: str, port: int, **_: Any) -> list[Any]:
        self.asked.append(host)
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]


def named(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> Names:
    names = Names(*answers)
    monkeypatch.setattr(anyio, "getaddrinfo", names.look_up)
    return names


@contextlib.asynccontextmanager
async def untouched() -> AsyncIterator[int]:
    """A port to which nobody may connect."""
    connected = 0

    async def hear(stream: ByteStream, _: bytes) -> None:
        nonlocal connected
        connected += 1

    async with spoken(hear) as port:
        yield port
    assert connected == 0


@contextlib.asynccontextmanager
async def overheard(requests: list[bytes]) -> AsyncIterator[int]:
    """The port of a server of tools; `requests` gets what it is asked."""
    async with anyio.create_task_group() as group:
        server = Far(group)

        async def hear(stream: ByteStream, request: bytes) -> None:
            requests.append(request)
            await server.handle(stream, request)

        async with spoken(hear) as port:
            yield port


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "10.1.2.3", "192.168.0.1", "[fd00::1]"]
)
async def test_private_addresses_are_opened_by_the_manifest_only(host: str):
    async with untouched() as port:
        fault = await refused(f"http://{host}:{port}/mcp", NOBODY)
    assert (fault.fault_class, fault.sent, fault.refused) == ("denied", False, "resource")
    assert fault.message.startswith("The host `")
    assert "of `test` has a" in fault.message
    assert fault.next == "Write `private_networks = true` in `[allow]` of `chainc.toml` if it may be reached."


async def test_a_list_of_hosts_opens_no_private_network():
    async with untouched() as port:
        fault = await refused(f"http://127.0.0.1:{port}/mcp", p.Network(hosts=("127.0.0.1",)))
    assert fault.fault_class == "denied"


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "user@127.0.0.1", "[::1%25lo]"])
async def test_disguised_addresses_are_no_urls(host: str):
    async with untouched() as port:
        fault = await refused(f"http://{host}:{port}/mcp", HERE)
    assert (fault.fault_class, fault.sent) == ("unavailable", False)
    assert fault.message.startswith("The URL of `test` has ") or fault.message == "The URL of `test` holds a user."


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "0.0.0.0", "[::ffff:169.254.169.254]"])
async def test_special_addresses_are_never_opened(host: str):
    fault = await refused(f"http://{host}/latest/meta-data", HERE)
    assert (fault.fault_class, fault.sent, fault.next) == ("denied", False, None)
    assert fault.message.endswith("has a special address, which is not allowed.")


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"]])
async def test_names_that_stand_for_private_addresses(monkeypatch: pytest.MonkeyPatch, addresses: list[str]):
    named(monkeypatch, addresses)
    async with untouched() as port:
        fault = await refused(f"http://far.example:{port}/mcp", NOBODY)
    assert (fault.fault_class, fault.sent) == ("denied", False)
    assert fault.message.startswith("The host `far.example` of `test` has a")


async def test_the_address_that_was_checked_is_the_one_that_is_called(monkeypatch: pytest.MonkeyPatch):
    """Each request looks its name up once, and goes to what was found then; later the name stands for metadata."""
    async with far() as server:
        names = named(monkeypatch, ["127.0.0.1"])
        async with McpTools(plan(f"http://far.example:{server.port}/mcp", HERE)) as tools:
            assert await echo(tools) == {"value": 1}
            asked = len(names.asked)
            assert await echo(tools) == {"value": 1}
            assert names.asked[asked:] == ["far.example"]
            names.answers = [["169.254.169.254"]]
            with pytest.raises(RunFault) as found:
                await echo(tools)
            assert (found.value.fault.fault_class, found.value.fault.sent) == ("denied", False)
            assert found.value.fault.refused == "resource"
            names.answers = [["127.0.0.1"]]
            assert await echo(tools) == {"value": 1}
        assert [arguments for _, arguments in server.calls] == [{"do": "echo", "value": 1}] * 3


async def test_who_is_asked_for_stands_in_the_request(monkeypatch: pytest.MonkeyPatch):
    named(monkeypatch, ["127.0.0.1"])
    requests: list[bytes] = []

    async with overheard(requests) as port:
        url = f"http://far.example:{port}/mcp?tenant=a%2Fb"
        async with McpTools(plan(url, HERE, Authorization="t")) as tools:
            assert await echo(tools) == {"value": 1}
    posts = [each for each in requests if each.startswith(b"POST")]
    assert all(each.startswith(b"POST /mcp?tenant=a%2Fb HTTP/1.1\r\n") for each in posts)
    assert all(each.lower().count(b"\r\nhost: ") == 1 for each in requests)
    assert all(f"\r\nhost: far.example:{port}\r\n".encode() in each.lower() for each in requests)
    assert all(b"\r\nauthorization: t\r\n" in each.lower() for each in requests)


async def test_proxies_and_passwords_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    requests: list[bytes] = []
    async with untouched() as proxy, overheard(requests) as port:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        async with McpTools(plan(f"http://127.0.0.1:{port}/mcp", HERE)) as tools:
            assert await echo(tools) == {"value": 1}
    assert requests
    assert all(b"authorization" not in each.lower() for each in requests)


async def test_another_host_is_no_place_of_the_source():
    """Whatever the protocol's client may follow one day."""
    url = "https://own.example/mcp"
    guard = Guard("test", HERE, frozenset(("own.example",)))
    async with httpx2.AsyncClient(transport=Guarded("test", Wire(guard))) as client:
        for other in ("http://127.0.0.1:9/mcp", "https://own.example.evil.example/mcp", "https://2130706433/mcp"):
            with pytest.raises(RunFault) as found:
                await client.post(other, headers={"Referer": url})
            assert (found.value.fault.fault_class, found.value.fault.sent) == ("denied", False)


@pytest.mark.parametrize("token", ["s3cret\r\nX-Evil: 1", "s3cret\nb", "s3cretä", " s3cret"])
async def test_a_variable_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch, token: str):
    monkeypatch.setenv("FAR_TOKEN", token)
    async with far() as server, McpTools(plan(server.url, HERE, Authorization="env:FAR_TOKEN")) as tools:
        with pytest.raises(RunFault) as found:
            await echo(tools)
    assert (found.value.fault.fault_class, found.value.fault.sent) == ("unavailable", False)
    assert found.value.fault.message.startswith("The variable `FAR_TOKEN` holds no value of a header: it ")
    assert "s3cret" not in found.value.fault.message


@pytest.mark.parametrize(
    ("status", "fault_class"),
    [
        (400, "unavailable"),
        (401, "denied"),
        (403, "denied"),
        (429, "rate_limited"),
        (500, "unavailable"),
        (504, "timeout"),
    ],
)
async def test_a_server_that_lets_nobody_in(status: int, fault_class: str):
    async def turn_away(stream: ByteStream, _: bytes) -> None:
        body = b"token is wrong"
        lines = f"HTTP/1.1 {status} No\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        await stream.send(lines.encode() + body)

    async with spoken(turn_away) as port:
        fault = await refused(f"http://127.0.0.1:{port}/mcp", HERE)
    assert (fault.fault_class, fault.sent) == (fault_class, False)
    assert fault.message.endswith(": token is wrong")
    if status == 401:
        assert fault.message == "`test` refuses the connection (401): token is wrong"
        assert (fault.next or "").startswith("Look at the `headers` of the source, and at the variables that they come")
        assert '`Authorization = "Bearer env:NAME"`' in (fault.next or "")
    if status == 400:
        assert fault.message == "The server of `test` refuses the connection (400): token is wrong"


@pytest.mark.parametrize("status", [401, 403])
async def test_a_call_that_is_refused_leads_to_the_headers(status: int):
    async with far() as server, McpTools(plan(server.url, HERE)) as tools:
        with pytest.raises(RunFault) as found:
            await tools.call("test", "read", {"do": "status", "code": status}, 60)
    fault = found.value.fault
    assert (fault.fault_class, fault.message) == ("denied", f"`test` refuses `test.read` ({status}): no")
    advice = "Look at the `headers` of the source, and at the variables that they come from."
    assert (fault.next or "").startswith(advice)
    assert ("Bearer env:NAME" in (fault.next or "")) == (status == 401)
