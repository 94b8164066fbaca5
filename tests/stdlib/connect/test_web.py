"""The standard library's way to the web: what it reads, where it does not go, and how much it takes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream
from httpx2 import Response

from stdlib.connect.std import StdTools
from stdlib.connect.web import AllowedWeb
from stdlib.plan.openapi import Network
from stdlib.runtime.fault import Fault, RunFault
from tests.servers.loopback import spoken
from tests.stdlib.tools.declared import called, plan

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


Answer = bytes | Callable[[ByteStream], Awaitable[None]]


class Site:
    """A scripted site. Names are known to the test's resolver."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.answers: dict[str, Answer] = {}
        self.names = {"site.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]}
        self.port = 0
        self.tools: StdTools

    async def resolve(self, host: str, port: int) -> list[str]:
        if host not in self.names:
            raise OSError("no such name")
        return self.names[host]

    async def handle(self, stream: ByteStream, request: bytes) -> None:
        self.requests.append(request)
        answer = self.answers.get(request.split(b" ")[1].decode().partition("?")[0], page("fine"))
        if isinstance(answer, bytes):
            await stream.send(answer)
        else:
            await answer(stream)

    def url(self, path: str, host: str = "site.example") -> str:
        return f"http://{host}:{self.port}{path}"

    async def get(self, tool: str, path: str, **arguments: Any) -> Any:
        url = path if ":" in path else self.url(path)
        return await called(self.tools, "http", tool, {"url": url, **arguments})

    async def fails(self, tool: str, path: str, **arguments: Any) -> Fault:
        with pytest.raises(RunFault) as found:
            await self.get(tool, path, **arguments)
        return found.value.fault


@asynccontextmanager
async def running(**network: Any) -> AsyncIterator[Site]:
    site = Site()
    async with spoken(site.handle) as site.port:
        allowed = Network.model_validate({"private_networks": True, **network})
        site.tools = StdTools(plan(allowed, result_bytes=100_000), site.resolve)
        yield site


def page(body: str | bytes, *headers: str, status: str = "200 OK", media: str = "text/plain") -> bytes:
    content = body.encode() if isinstance(body, str) else body
    kind = [f"Content-Type: {media}"] if media else []
    lines = [f"HTTP/1.1 {status}", *kind, f"Content-Length: {len(content)}", *headers, "Connection: close", "", ""]
    return "\r\n".join(lines).encode() + content


def to(location: str, status: str = "302 Found") -> bytes:
    return page("", f"Location: {location}", status=status)


async def test_a_text_and_what_was_said_about_it():
    async with running() as site:
        site.answers["/a"] = page(
            "é", "X-Twice: 1", "X-Twice: 2", "Set-Cookie: s=secret", media="text/plain; charset=utf-8"
        )
        found = await site.get("text", "/a?q=1 2#part".replace(" ", "+"))
        assert (found["status"], found["url"], found["text"]) == (200, site.url("/a?q=1+2"), "é")
        assert (found["headers"]["x-twice"], "set-cookie" in found["headers"]) == ("1, 2", False)
        request = site.requests[0].decode()
        assert request.startswith(f"GET /a?q=1+2 HTTP/1.1\r\nHost: site.example:{site.port}\r\n")
        assert not {"cookie", "authorization"} & {line.partition(":")[0].lower() for line in request.split("\r\n")}


@pytest.mark.parametrize(
    ("body", "media", "wanted"),
    [
        ("é€".encode("windows-1252"), "text/html; charset=windows-1252", "é€"),
        ("é".encode("latin-1"), 'text/html; charset="ISO-8859-1"', "é"),
        (b"\xef\xbb\xbfx", "text/plain; charset=latin-1", "x"),
        ("x".encode("utf-16"), "text/plain", "x"),
        (b'<meta charset="windows-1252">\x80', "text/html", '<meta charset="windows-1252">€'),
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>\xe9', "application/rss+xml", None),
        (b"\xff", "text/plain; charset=no-such", "�"),
        (b"x", "text/plain; charset=zlib_codec", "x"),
        (b"+AGE-", "text/plain; charset=unicode_escape", "+AGE-"),
        (b"x", "", "x"),
    ],
)
async def test_encodings(body: bytes, media: str, wanted: str | None):
    async with running() as site:
        site.answers["/"] = page(body, media=media)
        found = (await site.get("text", "/"))["text"]
        assert found == wanted if wanted is not None else found.endswith("é")


async def test_what_is_no_text():
    async with running() as site:
        site.answers["/"] = page(b"\x89PNG", media="image/png")
        assert "image/png, which is no text" in (await site.fails("text", "/")).message
        assert await site.get("download", "/") == "iVBORw=="
        site.answers["/"] = page(b"\0\1", media="")
        assert "which is no text" in (await site.fails("text", "/")).message


async def test_json_and_head():
    async with running() as site:
        site.answers["/"] = page('{"n": 12345678901234567890}', media="application/json")
        assert (await site.get("json", "/"))["value"] == {"n": 12345678901234567890}
        site.answers["/"] = page("<p>", media="text/html")
        assert "the answer is no JSON" in (await site.fails("json", "/")).message
        site.answers["/"] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\nETag: x\r\nConnection: close\r\n\r\n"
        found = await site.get("head", "/")
        assert (found["status"], found["headers"]["etag"], found["headers"]["content-length"]) == (404, "x", "99")
        assert site.requests[-1].startswith(b"HEAD / ")


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        ("404 Not Found", "tool_error"),
        ("403 Forbidden", "denied"),
        ("429 Slow", "rate_limited"),
        ("503 Down", "unavailable"),
        ("304 Not Modified", "tool_error"),
    ],
)
async def test_statuses(status: str, wanted: str):
    async with running() as site:
        site.answers["/"] = page("why it is so", status=status)
        found = await site.fails("text", "/")
        assert (found.fault_class, found.next) == (wanted, None)


# ------------------------------------------------------------------ where it goes


async def test_redirects_are_followed_and_told():
    async with running() as site:
        site.answers |= {"/a": to("/b", "301 Moved"), "/b": to(site.url("/c", "other.example"), "308 Moved")}
        found = await site.get("text", "/a")
        assert (found["url"], found["text"]) == (site.url("/c", "other.example"), "fine")
        assert (await site.get("head", "/a"))["url"] == site.url("/c", "other.example")
        site.answers["/b"] = to("/a")
        assert "redirected more than 5 times" in (await site.fails("text", "/a")).message


@pytest.mark.parametrize(
    "place",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://2130706433:{port}/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1.:{port}/",
        "http://0.0.0.0:{port}/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://inner.example:{port}/",
        "http://mixed.example:{port}/",
        "http://user:secret@public.example/",
        "http://public.example\\@127.0.0.1/",
        "http:///etc/passwd",
        "file:///etc/passwd",
        "ftp://public.example/",
        "gopher://127.0.0.1/",
        "//127.0.0.1/",
        "http://ⓛocalhost/",
    ],
)
async def test_private_places_by_every_name(place: str):
    async with running(private_networks=False) as site:
        site.names |= {
            "inner.example": ["127.0.0.1"],
            "mixed.example": ["93.184.216.34", "127.0.0.1"],
            "localhost": ["127.0.0.1"],
            "127.0.0.1.": ["127.0.0.1"],
        }
        url = place.format(port=site.port)
        with pytest.raises(RunFault) as found:
            await site.tools.call("http", "text", {"url": url}, 20)
        assert found.value.fault.fault_class == "denied"
        assert site.requests == []


async def test_a_redirect_to_a_private_place():
    async with running(private_networks=False) as site:
        # The first hop is public by its name alone: what the resolver says decides, and it says so for every hop.
        site.names["site.example"] = ["10.1.2.3"]
        fault = await site.fails("text", "/")
        assert (fault.fault_class, fault.refused) == ("denied", "resource")
        assert "private_networks = true" in (fault.next or "")


@pytest.mark.parametrize(
    "location", ["http://169.254.169.254/x", "http://user@site.example/", "file:///x", "http://[x/"]
)
async def test_redirects_are_checked_again(location: str):
    async with running() as site:
        site.answers["/a"] = to(location)
        assert (await site.fails("text", "/a")).fault_class == "denied"
        assert len(site.requests) == 1


async def test_a_list_of_hosts_is_for_every_hop():
    async with running(hosts=["site.example"]) as site:
        assert (await site.get("text", "/"))["text"] == "fine"
        fault = await site.fails("text", site.url("/", "other.example"))
        assert (fault.fault_class, fault.refused) == ("denied", "resource")
        assert fault.message == "The request of `http.text` leads to `other.example`, which is no allowed host."
        site.answers["/a"] = to(site.url("/", "other.example"))
        fault = await site.fails("text", "/a")
        assert fault.message == "A redirect of `http.text` leads to `other.example`, which is no allowed host."
        assert fault.next == 'Add "other.example" to `hosts` of `[allow]` if it may be reached.'


async def test_headers_cannot_be_forged():
    async with running() as site:
        for accept in ("x\r\nHost: evil", "x\ny: z", "é"):
            assert (await site.fails("text", "/", accept=accept)).fault_class == "invalid_input"
        url = site.url("/a\r\nX-Evil: 1")
        with pytest.raises(RunFault):
            await site.tools.call("http", "text", {"url": url}, 20)
        assert not any(b"x-evil" in each.lower().split(b"\r\n\r\n")[0].split(b"\r\n", 1)[1] for each in site.requests)


async def test_who_is_not_there():
    async with running() as site:
        assert (await site.fails("text", "http://nowhere.example/")).fault_class == "unavailable"

        async def gone(stream: ByteStream) -> None:
            await stream.aclose()

        site.answers["/"] = gone
        assert (await site.fails("text", "/")).fault_class == "unavailable"


# ------------------------------------------------------------------ how much it takes


async def test_bodies_are_bounded():
    async def endless(stream: ByteStream) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
        with anyio.move_on_after(20):
            while True:
                await stream.send(b"x" * 65536)

    async with running() as site:
        site.answers |= {"/endless": endless, "/bomb": bomb()}
        for path, more in (("/endless", {}), ("/bomb", {}), ("/small", {"most_bytes": 3})):
            for tool in ("text", "json"):
                assert (await site.fails(tool, path, **more)).fault_class == "result_too_large", path
        assert (await site.fails("download", "/bomb")).fault_class == "result_too_large"


def bomb() -> bytes:
    packed = gzip.compress(b"0" * 10_000_000)
    return page(packed, "Content-Encoding: gzip")


async def test_damaged_packings():
    async with running() as site:
        site.answers["/"] = page(zlib.compress(b"x" * 1000)[:10], "Content-Encoding: deflate")
        assert (await site.fails("text", "/")).fault_class == "shape_mismatch"


async def test_a_server_that_never_ends_is_left():
    async def stuck(stream: ByteStream) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        with anyio.move_on_after(20):
            await anyio.sleep_forever()

    async with running() as site:
        site.answers["/"] = stuck
        with pytest.raises(RunFault) as found:
            await site.tools.call("http", "text", {"url": site.url("/")}, 0.3)
        assert found.value.fault.fault_class == "timeout"


async def test_a_download_goes_under_a_handle_as_it_comes():
    content = bytes(range(256)) * 2000
    async with running() as site:
        site.answers |= {"/big": page(content, media="image/x"), "/to": to("/big")}
        found: list[Any] = []

        async def keep(body: AsyncIterator[bytes], media: str) -> Any:
            found.append((b"".join([part async for part in body]), media))

        await site.tools.fetch("http", "download", {"url": site.url("/to")}, 20, keep)
        assert found == [(content, "image/x")], "more than fits into memory"
        site.answers["/big"] = page("no", status="404 Not Found")
        with pytest.raises(RunFault):
            await site.tools.fetch("http", "download", {"url": site.url("/to")}, 20, keep)
        assert len(found) == 1


async def test_no_redirect_leads_from_https_to_http():
    web = AllowedWeb("`http.text`", Network(private_networks=True), 1000)
    message = web._message("https://site.example/a", "*/*", "GET", "The request")
    response = Response(302, headers={"Location": "http://site.example/b"})
    with pytest.raises(RunFault) as found:
        web._redirected(message, response)
    assert found.value.fault.fault_class == "denied"
    onward = web._redirected(message, Response(302, headers={"Location": "/b"}))
    assert f"{onward.origin}{onward.target}" == "https://site.example/b"
