"""Services that misbehave: redirects to where nobody may go, bodies without end, connections that break."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream

from stdlib.connect.openapi import OpenApiTools
from stdlib.plan.openapi import Network, OpenApi, Operation
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.gates.side_effect import known_outcome
from stdlib.runtime.result import NOTHING, ToolAnswer
from tests.servers.loopback import spoken

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


JSON = {"responses": [{"status": "200", "body": "json"}]}
OPERATIONS = {
    "get": {"method": "GET", "path": "/get", **JSON},
    "post": {
        "method": "POST",
        "path": "/post",
        "body": {"encoding": "json", "media_type": "application/json", "argument": "body"},
        **JSON,
    },
    "raw": {"method": "GET", "path": "/raw", "raw": True},
    "text": {"method": "GET", "path": "/text", "responses": [{"status": "2XX", "body": "text"}]},
    "secret": {"method": "GET", "path": "/secret", "security": [["header", "query", "cookie"]], **JSON},
    "elsewhere": {"method": "GET", "path": "/x", "server": "http://files.example", **JSON},
    "below": {"method": "GET", "path": "/x", "server": "/v9", **JSON},
    "beside": {"method": "GET", "path": "/x", "server": "//api.example:9", "security": [["header"]], **JSON},
    "plain": {"method": "GET", "path": "/x", "server": "http://files.example", "security": [["header"]], **JSON},
}
AUTH = {
    kind: {"kind": "api_key", "location": kind, "name": f"k-{kind}", "variable": "SECRET"}
    for kind in ("header", "query", "cookie")
}

Answer = bytes | Callable[[ByteStream, bytes], Awaitable[None]]


class Service:
    """A scripted service and the tools that call it. Its name is `api.example`, which the test's resolver knows."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.answers: dict[str, Answer] = {}
        self.names: dict[str, list[str]] = {"api.example": ["127.0.0.1"]}
        self.looked_up: list[str] = []
        self.port = 0
        self.tools: OpenApiTools

    async def resolve(self, host: str, port: int) -> list[str]:
        self.looked_up.append(host)
        if host not in self.names:
            raise OSError("no such name")
        return self.names[host]

    async def handle(self, stream: ByteStream, request: bytes) -> None:
        self.requests.append(request)
        path = request.split(b" ")[1].decode().partition("?")[0]
        answer = self.answers.get(path, json_answer(b'"fine"'))
        if isinstance(answer, bytes):
            await stream.send(answer)
        else:
            await answer(stream, request)

    async def call(self, key: str, timeout: float = 5, **arguments: Any) -> ToolAnswer:
        return await self.tools.call("api", key, arguments, timeout)

    async def fails(self, key: str, timeout: float = 5, **arguments: Any) -> Fault:
        with pytest.raises(RunFault) as found:
            await self.call(key, timeout, **arguments)
        return found.value.fault

    @property
    def paths(self) -> list[str]:
        return [request.split(b" ")[1].decode() for request in self.requests]


@asynccontextmanager
async def running(base: str = "http://api.example:{port}", **network: Any) -> AsyncIterator[Service]:
    service = Service()
    async with spoken(service.handle) as service.port:
        source = OpenApi.model_validate(
            {"base_url": base.format(port=service.port), "auth": AUTH, "operations": OPERATIONS}
        )
        allowed = Network.model_validate({"private_networks": True, **network})
        async with OpenApiTools({"api": source}, allowed, most_bytes=100_000, resolve=service.resolve) as service.tools:
            yield service


def json_answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *headers,
        "Connection: close",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def redirect(location: str, status: int = 307) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


# ------------------------------------------------------------------ where requests go


async def test_the_checked_address_is_the_one_that_is_called():
    async with running() as service:
        assert (await service.call("get")).structured == "fine"
        assert service.looked_up == ["api.example"]
        assert f"Host: api.example:{service.port}\r\n".encode() in service.requests[0]


async def test_a_name_that_means_loopback():
    async with running(private_networks=False) as service:
        found = await service.fails("get")
        assert (found.fault_class, found.sent, service.requests) == ("denied", False, [])
        assert found.message == "The host `api.example` of `api` has a loopback address, which is not allowed."


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254", "10.0.0.1"])
async def test_addresses_that_mean_private_networks(host: str):
    async with running(f"http://{host}:{{port}}", private_networks=False) as service:
        found = await service.fails("get")
        assert (found.fault_class, found.sent, service.requests) == ("denied", False, [])


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "user@127.0.0.1"])
async def test_addresses_that_look_like_names(host: str):
    async with running(f"http://{host}:{{port}}") as service:
        found = await service.fails("get")
        assert (found.fault_class, found.sent, service.looked_up, service.requests) == ("unavailable", False, [], [])


async def test_a_name_is_looked_up_for_each_call_and_checked_again():
    async with running(private_networks=True) as service:
        await service.call("get")
        service.names["api.example"] = ["169.254.169.254"]
        assert (await service.fails("get")).fault_class == "denied"
        assert len(service.requests) == 1


async def test_the_next_address_is_tried():
    async with running() as service:
        service.names["api.example"] = ["127.0.0.9", "127.0.0.1"]
        assert (await service.call("get")).structured == "fine"


async def test_servers_of_operations():
    async with running() as service:
        assert (await service.call("below")).structured == "fine"
        assert service.paths == ["/v9/x"]
        found = await service.fails("elsewhere")
        assert (found.fault_class, found.sent) == ("denied", False)
        assert "leads to `files.example`, which is no allowed host" in found.message
    async with running(hosts=["*.example"]) as service:
        found = await service.fails("elsewhere")  # allowed, but nobody knows it
        assert (found.fault_class, found.sent) == ("unavailable", False)


async def test_credentials_go_to_no_other_origin_that_nobody_allowed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET", "s3cret")
    async with running() as service:
        found = await service.fails("beside")  # the host of the service, but another port
        assert (found.fault_class, found.sent) == ("denied", False)
        assert found.message == "The request of `api.beside` leads to `api.example`, which is no allowed host."
    async with running("https://api.example:{port}", hosts=["files.example"]) as service:
        service.names["files.example"] = ["127.0.0.1"]
        found = await service.fails("plain")
        assert (found.fault_class, found.sent) == ("denied", False)
        assert "goes to http://files.example, without TLS" in found.message
        assert service.looked_up == []


async def test_refusals_say_why_and_where_to_look(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET", "s3cret")
    async with running() as service:
        why = b'{"detail": {"code": 9, "why": "bad bearer s3cret"}}'
        service.answers["/secret"] = json_answer(why, "401 Unauthorized")
        found = await service.fails("secret")
        assert (found.fault_class, found.retryable) == ("denied", False)
        assert found.message.startswith("`api` refuses `api.secret` (401): {")
        assert '"why":"bad bearer ' in found.message
        assert "s3cret" not in str(found)
        where = "at the `auth` of the source, and at the variable `SECRET` of `header` and `query` and `cookie`."
        assert found.next == f"Look {where}"
        monkeypatch.setenv("SECRET", 'a"b\\c')
        service.answers["/secret"] = json_answer(b'{"sent": "a\\"b\\\\c"}', "401 Unauthorized")
        found = await service.fails("secret")
        assert found.message == '`api` refuses `api.secret` (401): {"sent":"***"}'
        service.answers["/get"] = json_answer(b"{}", "403 Forbidden")
        found = await service.fails("get")
        assert found.message == "`api` refuses `api.get` (403)."
        assert found.next is not None
        assert found.next.startswith("Ask somebody who may do this, or look at the `auth` of the source: no credential")


# ------------------------------------------------------------------ redirects


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://api.example@169.254.169.254/",
        "http://evil.example/",
        "//evil.example/",
        "\\\\evil.example\\x",
        "https://evil.example",
        "ftp://api.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://[::1",
    ],
)
async def test_redirects_to_where_nobody_may_go(location: str):
    async with running() as service:
        service.answers["/get"] = redirect(location)
        found = await service.fails("get")
        assert found.fault_class == "denied"
        assert service.paths == ["/get"]
        assert service.looked_up == ["api.example"]


async def test_a_redirect_to_an_allowed_name_that_is_private():
    async with running(hosts=["*.example"]) as service:
        service.answers["/get"] = redirect("http://inside.example/")
        service.names["inside.example"] = ["169.254.169.254"]
        assert (await service.fails("get")).fault_class == "denied"
        assert service.paths == ["/get"]


async def test_redirects_to_another_host_carry_no_credentials(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET", "s3cret")
    async with running(hosts=["cdn.example"]) as service:
        service.names["cdn.example"] = ["127.0.0.1"]
        service.answers["/secret"] = redirect(f"http://cdn.example:{service.port}/there")
        assert (await service.call("secret")).structured == "fine"
        first, second = service.requests
        assert first.count(b"s3cret") == 3
        assert b"s3cret" not in second
        assert f"Host: cdn.example:{service.port}".encode() in second


async def test_a_refusal_behind_a_redirect_says_that_credentials_do_not_go_there(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET", "s3cret")
    async with running(hosts=["cdn.example"]) as service:
        service.names["cdn.example"] = ["127.0.0.1"]
        there = f"http://cdn.example:{service.port}"
        for key in ("secret", "get"):
            service.answers[f"/{key}"] = redirect(f"{there}/there")
        service.answers["/there"] = json_answer(b"{}", "401 Unauthorized")
        advice = (
            f"The call was redirected to {there}, where the credentials of the source do not go. If they may go there, "
            "write that place as the `base_url` of the source."
        )
        assert (await service.fails("secret")).next == advice
        service.answers["/there"] = redirect(f"http://api.example:{service.port}/back")
        service.answers["/back"] = json_answer(b"{}", "403 Forbidden")
        assert (await service.fails("secret")).next == advice
        assert "no credential was sent" in ((await service.fails("get")).next or "")


async def test_redirects_to_the_same_origin_keep_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET", "s3cret")
    async with running() as service:
        service.answers["/secret"] = redirect("/there?a=1")
        await service.call("secret")
        assert service.paths == ["/secret?k-query=s3cret", "/there?a=1"]
        assert service.requests[1].count(b"s3cret") == 2


async def test_redirects_in_a_circle():
    async with running() as service:
        service.answers["/get"] = redirect("/get")
        assert (await service.fails("get")).fault_class == "tool_error"
        assert len(service.requests) == 6


async def test_redirects_of_writes():
    async with running() as service:
        service.answers["/post"] = redirect("/again", 308)
        await service.call("post", body={"a": 1})
        assert service.requests[1].startswith(b"POST /again ")
        assert service.requests[1].endswith(b'{"a":1}')
        service.answers["/post"] = redirect("/result", 303)
        await service.call("post", body={"a": 1})
        assert service.requests[3].startswith(b"GET /result ")
        assert b"Content-" not in service.requests[3]
        service.answers["/post"] = redirect("/lost", 302)
        assert (await service.fails("post", body=1)).fault_class == "tool_error"
        assert service.paths[-1] == "/post"


# ------------------------------------------------------------------ answers


def closing(head: str, body: bytes) -> bytes:
    return f"HTTP/1.1 200 OK\r\nConnection: close\r\n{head}\r\n\r\n".encode() + body


async def endless(stream: ByteStream, _: bytes) -> None:
    await stream.send(closing("Content-Type: application/json", b'"'))
    with pytest.raises((anyio.BrokenResourceError, anyio.ClosedResourceError)):  # noqa: PT012
        while True:
            await stream.send(b"x" * 10_000)


async def test_bodies_without_end():
    async with running() as service:
        service.answers["/get"] = endless
        found = await service.fails("get")
        assert found.fault_class == "result_too_large"
        assert found.message == "`api.get` answered more than 100000 bytes."


@pytest.mark.parametrize("status", ["200 OK", "500 Bad"])
async def test_packed_bodies_that_grow(status: str):
    bomb = (
        gzip.compress(b"[" + b" " * 30_000_000 + b"]", 9) if status.startswith("200") else gzip.compress(b" " * 300_000)
    )
    async with running() as service:
        service.answers["/get"] = json_answer(bomb, status, "Content-Encoding: gzip")
        assert (await service.fails("get")).fault_class == (
            "result_too_large" if status.startswith("200") else "unavailable"
        )


async def test_packed_bodies():
    async with running() as service:
        for packed, coding in (
            (gzip.compress(b"[1]"), "gzip"),
            (zlib.compress(b"[1]"), "deflate"),
            (b"[1]", "identity"),
            (gzip.compress(b"[") + gzip.compress(b"") + gzip.compress(b"1]"), "gzip"),
            (gzip.compress(b"[1]") + bytes(7), "gzip"),
            (gzip.compress(b"[1]") + b"\r\n", "gzip"),
            (zlib.compress(b"[1]") + b"\r\n", "deflate"),
        ):
            service.answers["/get"] = json_answer(packed, "200 OK", f"Content-Encoding: {coding}")
            assert (await service.call("get")).structured == [1]
        packed = gzip.compress(b"[1]")
        damaged = {"gzip": b"[1]", "x-gzip": packed[:-9], "br": b"[1]", "gzip, gzip": gzip.compress(packed)}
        for cut in (packed[:2], packed + packed[:9]):
            service.answers["/get"] = json_answer(cut, "200 OK", "Content-Encoding: gzip")
            assert (await service.fails("get")).fault_class == "shape_mismatch"
        for coding, content in damaged.items():
            service.answers["/get"] = json_answer(content, "200 OK", f"Content-Encoding: {coding}")
            assert (await service.fails("get")).fault_class == "shape_mismatch"


@pytest.mark.parametrize(
    ("head", "body", "message"),
    [
        ("Content-Type: text/html", b"<p>", "`api.get` answered text/html, not JSON."),
        ("Content-Type: application/json", b"{oops", "`api.get` answered no JSON. This is no JSON: "),
        ("Content-Type: application/json", b"\xff\xfe", "`api.get` answered no JSON. This is no UTF-8: "),
        (
            "Content-Type: application/json",
            b"[" * 5000 + b"]" * 5000,
            "`api.get` answered no JSON. The JSON is nested more than ",
        ),
        ("Content-Type: application/json", b'{"a": NaN}', "`api.get` answered no JSON. "),
        ("Content-Type: application/json", b"", "`api.get` answered nothing where JSON was promised."),
        ("Content-Type: \x1b[31m", b"x", "`api.get` answered [31m, not JSON."),
    ],
)
async def test_bodies_of_another_form(head: str, body: bytes, message: str):
    async with running() as service:
        service.answers["/get"] = closing(head, body)
        found = await service.fails("get")
        assert found.fault_class == "shape_mismatch"
        assert found.message.startswith(message)


async def test_json_however_it_is_called():
    async with running() as service:
        for head in ("Content-Type: application/vnd.api+json; charset=UTF-8", "Content-Type: Application/JSON", "X: y"):
            service.answers["/get"] = closing(head, b'\xef\xbb\xbf{"n": 12345678901234567890123}')
            assert (await service.call("get")).structured == {"n": 12345678901234567890123}


async def test_texts():
    async with running() as service:
        service.answers["/text"] = closing("Content-Type: text/plain; charset=latin-1", b"\xfc")
        assert (await service.call("text")).structured == "ü"
        for charset in ("punycode", "idna"):
            slow = b"a" * 40_000 + b"-" + b"a" * 40_000
            service.answers["/text"] = closing(f"Content-Type: text/plain; charset={charset}", slow)
            assert (await service.call("text")).structured == slow.decode()
        service.answers["/text"] = closing("Content-Type: text/plain; charset=nonsense", "ü".encode())
        assert (await service.call("text")).structured == "ü"
        service.answers["/text"] = closing("Content-Type: image/png", b"\x89PNG")
        assert (await service.fails("text")).fault_class == "shape_mismatch"


async def test_undescribed_bodies_are_their_text():
    async with running() as service:
        service.answers["/raw"] = closing("Content-Type: application/json", b'{"a": 1}')
        assert await service.call("raw") == ToolAnswer(({"type": "text", "text": '{"a": 1}'},), NOTHING)
        service.answers["/raw"] = b"HTTP/1.1 204 No Content\r\n\r\n"
        assert await service.call("raw") == ToolAnswer((), NOTHING)
        service.answers["/raw"] = closing("Content-Type: image/png", b"\x89PNG")
        assert (await service.fails("raw")).fault_class == "shape_mismatch"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"title": "Bad", "detail": "No such colour."}', "Bad: No such colour."),
        (b'{"error": {"code": 5, "message": "Deep."}}', "Deep."),
        (b'{"errors": ["One.", {"message": "Two."}]}', "One.; Two."),
        (b'{"error": "\\u001b[31mred\\u202e\\nnext"}', "[31mred next"),
        (b"not json", ""),
        (b'{"message": "' + b"x" * 5000 + b'"}', "x" * 500 + "… (4500 more characters)"),
    ],
)
async def test_messages_of_errors(body: bytes, said: str):
    async with running() as service:
        service.answers["/get"] = json_answer(body, "400 Bad")
        assert (await service.fails("get")).message == "`api.get` failed (400)" + (f": {said}" if said else ".")


async def test_waiting_until_a_date():
    async with running() as service:
        service.answers["/get"] = json_answer(b"", "429 Slow", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT")
        assert (await service.fails("get")).details == {"status": 429, "retry_after_seconds": 0}
        service.answers["/get"] = json_answer(b"", "429 Slow", "Retry-After: soon")
        assert (await service.fails("get")).details == {"status": 429}


# ------------------------------------------------------------------ what breaks


async def test_nobody_listens():
    async with running() as service:
        service.names["api.example"] = ["127.0.0.9"]
        found = await service.fails("post", body=1)
        assert (found.fault_class, found.sent) == ("unavailable", False)
        assert known_outcome(found, "it", repeatable=False).fault_class == "unavailable"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"220 smtp ready\r\n",
    ],
)
async def test_a_connection_that_breaks_after_a_write(answer: bytes):
    async with running() as service:
        service.answers["/post"] = answer
        found = await service.fails("post", body=1)
        assert (found.fault_class, found.sent) == ("unavailable", True)
        assert known_outcome(found, "it", repeatable=False).fault_class == "unknown_outcome"
        assert known_outcome(found, "it", repeatable=True).fault_class == "unavailable"


async def slow(stream: ByteStream, _: bytes) -> None:
    await stream.send(closing("Content-Type: application/json", b""))
    with pytest.raises((anyio.BrokenResourceError, anyio.ClosedResourceError)):  # noqa: PT012
        while True:
            await anyio.sleep(0.02)
            await stream.send(b" ")


async def test_answers_that_take_too_long():
    async with running() as service:
        service.answers["/post"] = slow
        found = await service.fails("post", 0.2, body=1)
        assert (found.fault_class, found.sent) == ("timeout", True)
        assert found.message == "`api.post` did not answer within 0.2 s."


async def test_names_that_take_too_long():
    async with running() as service:

        async def stuck(host: str, port: int) -> list[str]:
            await anyio.sleep_forever()
            raise AssertionError

        source = OpenApi.model_validate({"base_url": "http://api.example", "operations": OPERATIONS})
        async with OpenApiTools({"api": source}, resolve=stuck) as service.tools:
            found = await service.fails("post", 0.1, body=1)
        assert (found.fault_class, found.sent) == ("timeout", False)


async def test_headers_without_end():
    async def many(stream: ByteStream, _: bytes) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\n")
        with pytest.raises((anyio.BrokenResourceError, anyio.ClosedResourceError)):  # noqa: PT012
            while True:
                await stream.send(b"X-More: " + b"y" * 1000 + b"\r\n")

    async with running() as service:
        service.answers["/get"] = many
        assert (await service.fails("get")).fault_class == "unavailable"


async def test_connections_are_used_again():
    connections: list[ByteStream] = []

    async def kept(stream: ByteStream, request: bytes) -> None:
        connections.append(stream)
        while True:
            assert b"GET" in request
            await stream.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n1")
            request = await stream.receive()

    async with running() as service:
        service.answers["/get"] = kept
        for _ in range(3):
            assert (await service.call("get")).structured == 1
        assert len(connections) == 1


async def test_cookies_of_answers_are_forgotten():
    async with running() as service:
        service.answers["/get"] = json_answer(b"1", "200 OK", "Set-Cookie: sid=1")
        await service.call("get")
        await service.call("get")
        assert all(b"cookie" not in request.lower() for request in service.requests)


async def test_proxies_and_passwords_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    (tmp_path / "netrc").write_text("machine api.example login a password b\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with running() as service:
        assert (await service.call("get")).structured == "fine"
        assert b"authorization" not in service.requests[0].lower()


async def test_secrets_are_not_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    monkeypatch.setenv("SECRET", "s3cret")
    caplog.set_level("DEBUG")
    async with running() as service:
        await service.call("secret")
        service.answers["/secret"] = json_answer(b'{"message": "k-query=s3cret is wrong"}', "400 Bad")
        found = await service.fails("secret")
        assert found.message == "`api.secret` failed (400): k-query=*** is wrong"
    assert "s3cret" not in caplog.text


def test_a_url_that_somebody_gives_stands_for_every_server():
    source = OpenApi.model_validate({"base_url": "https://a.example", "operations": OPERATIONS})
    moved = source.at("http://b.example/v1")
    assert moved.base_url == "http://b.example/v1"
    servers = {key: each.server for key, each in moved.operations.items()}
    assert {key for key, server in servers.items() if server} == {"below"}


def test_operations_are_valid():
    assert all(Operation.model_validate(each) for each in OPERATIONS.values())
