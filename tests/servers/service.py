"""An HTTP service that answers as it is told, byte by byte where it matters, over connections that are kept.

`script` says what each request gets, in their order; the last one is repeated:

    fine | kept (late: when another request has come, on a connection that stays open) | hang | drop | half | trickle
    status code [headers] | wrong (another form) | prose (text for JSON) | broken (no JSON) | empty | page
    drip | extra (a second answer that nobody asked for) | size bytes
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.abc import ByteStream

from stdlib.plan import plan as p
from tests.servers.loopback import spoken

FORM = {"type": "object", "required": ["value"], "properties": {"value": {}}}
JSON = {"responses": [{"status": "200", "body": "json"}]}
BODY = {"encoding": "json", "media_type": "application/json", "argument": "body"}
OPERATIONS = {
    "read": {"method": "GET", "path": "/read", **JSON},
    "put": {"method": "PUT", "path": "/put", "body": BODY, **JSON},
    "write": {"method": "POST", "path": "/write", "body": BODY, **JSON},
}


@dataclass(frozen=True)
class Told:
    """One answer."""

    do: str
    code: int = 200
    headers: tuple[str, ...] = ()
    bytes: int = 0


class Service:
    """`requests`: method and path of all requests, in their order; `connections`: how many were opened."""

    def __init__(self) -> None:
        self.port = 0
        self.script: list[Told] = [Told("fine")]
        self.requests: list[str] = []
        self.connections = 0
        self._came = anyio.Event()

    def source(self, handle: str | None = None) -> p.Source:
        """The tools `read`, `put` and `write`. `handle`: the kind of handle that results go into as they come."""
        effects = {"read": p.Effects(read_only=True), "put": p.Effects(idempotent=True), "write": p.Effects()}
        tools = {
            name: p.Tool(
                name=name,
                input_schema={"type": "object", "properties": {"body": {}}},
                result_schema=FORM,
                effects=effects[name],
                digest="-",
                handle=handle,
            )
            for name in OPERATIONS
        }
        transport = {"base_url": f"http://127.0.0.1:{self.port}", "operations": OPERATIONS}
        return p.Source(kind="openapi", transport=p.OpenApi.model_validate(transport), tools=tools)

    async def handle(self, stream: ByteStream, request: bytes) -> None:
        """All requests of one connection."""
        self.connections += 1
        while True:
            head, _, body = request.partition(b"\r\n\r\n")
            lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            length = int(lines.get(b"content-length", 0))
            while len(body) < length:
                body += await stream.receive()
            self.requests.append(" ".join(head.split(b" ")[index].decode() for index in (0, 1)))
            told = self.script[min(len(self.requests), len(self.script)) - 1]
            self._came.set()
            self._came = anyio.Event()
            if not await self._answer(stream, told, len(self.requests)):
                return
            request = body[length:]
            while b"\r\n\r\n" not in request:
                request += await stream.receive()

    async def _answer(self, stream: ByteStream, told: Told, number: int) -> bool:
        """Whether the connection stays open."""
        fine = json.dumps({"value": number}).encode()
        match told.do:
            case "fine":
                await stream.send(answer(fine))
            case "kept":
                while len(self.requests) <= number:
                    await self._came.wait()
                await stream.send(answer(fine))
            case "hang":
                await anyio.sleep_forever()
            case "drop":
                return False
            case "half":
                await stream.send(answer(fine, length=500))
                return False
            case "trickle":
                await stream.send(answer(b"", length=1 << 20))
                while True:
                    await stream.send(b" ")
                    await anyio.sleep(0.02)
            case "drip":
                for byte in answer(fine):
                    await stream.send(bytes([byte]))
            case "status":
                await stream.send(answer(b'{"message": "so it is"}', *told.headers, status=f"{told.code} Status"))
            case "wrong":
                await stream.send(answer(b'{"other": 1}'))
            case "prose":
                await stream.send(answer(b"All is well.", kind="text/plain"))
            case "broken":
                await stream.send(answer(b'{"value": '))
            case "empty":
                await stream.send(answer(b""))
            case "page":
                await stream.send(answer(b"<html></html>", kind="text/html"))
            case "extra":
                await stream.send(answer(fine) + answer(b'{"value": "nobody asked for this"}'))
            case "size":
                await stream.send(answer(b'{"value": "', length=told.bytes + 13))
                for start in range(0, told.bytes, 1 << 16):
                    await stream.send(b"x" * min(1 << 16, told.bytes - start))
                await stream.send(b'"}')
        return True


@asynccontextmanager
async def service() -> AsyncIterator[Service]:
    served = Service()
    async with spoken(served.handle) as served.port:
        yield served


def answer(
    body: bytes, *headers: str, kind: str = "application/json", status: str = "200 OK", length: int | None = None
) -> bytes:
    lines = (
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body) if length is None else length}",
    )
    return "\r\n".join((*lines, *headers)).encode() + b"\r\n\r\n" + body


def over(served: Service, *chains: Any, handle: str | None = None, **limits: int) -> p.Plan:
    """A plan whose source `test` is the service; see `Service.source`."""
    return p.Plan(
        name="test",
        version="1.0.0",
        sources={"test": served.source(handle)},
        kinds={} if handle is None else {handle: p.Kind.model_validate({"schema": FORM})},
        chains={each.id: each for each in chains},
        limits=p.Limits(**limits),
        network=p.Network(private_networks=True),
    )
