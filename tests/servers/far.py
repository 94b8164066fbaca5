"""The tools of `obedient` behind a URL: the protocol's streamable HTTP by hand, so that every byte can be wrong.

Calls do what their argument `do` says:

    echo value | result result | error message | refuse message | text text
    hang | open (a stream without an event) | drop (closes without an answer) | half (of the body, then closes)
    status code | garbage (JSON is promised, prose comes) | page (text/html) | empty (a body of no bytes)
    stranger [then] | twice value | stream value (as an event stream) | cut (a stream without the answer)
    resumable (a stream that ends early and says that it can be taken up again, which nobody answers)
    noise value (a stream with events that are no messages) | drip value | trickle | size bytes
    endless kind (of that media type) | packed bytes value (gzip, so many blanks first) | json code body (a status)
    late value (answers when another call has come) | turns turns (one of these a call)
"""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import ByteStream, TaskGroup, TaskStatus

from tests.servers.loopback import spoken
from tests.servers.obedient import HINTS, INPUT

JSON = "application/json"
EVENTS = "text/event-stream"


class Far:
    """`calls`: the names and arguments of all calls of tools, in the order in which they came. `late_until`: `late`
    answers when so many have come. It can be stopped and started again, on the same port."""

    def __init__(self, group: TaskGroup) -> None:
        self.port = 0
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.late_until = 2
        self._came = anyio.Event()
        self._group = group
        self._serving = anyio.CancelScope()
        self._stopped = anyio.Event()

    async def start(self) -> None:
        await self._group.start(self._serve)

    async def stop(self) -> None:
        """Connections are closed, whatever goes on in them."""
        self._serving.cancel()
        await self._stopped.wait()

    async def _serve(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        self._serving, self._stopped = anyio.CancelScope(), anyio.Event()
        try:
            with self._serving:
                async with spoken(self.handle, port=self.port) as self.port:
                    task_status.started()
                    await anyio.sleep_forever()
        finally:
            self._stopped.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def handle(self, stream: ByteStream, request: bytes) -> None:
        head, _, body = request.partition(b"\r\n\r\n")
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        while len(body) < int(lines.get(b"content-length", 0)):
            body += await stream.receive()
        if not head.startswith(b"POST"):
            await send(stream, b"", status="405 Method Not Allowed")
            return
        message = json.loads(body)
        if "id" not in message:
            await send(stream, b"", status="202 Accepted")
            return
        match message["method"]:
            case "initialize":
                info = {"name": "far", "version": "1"}
                found = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
                await send(stream, result(message, found))
            case "tools/list":
                tools = [{"name": each, "inputSchema": INPUT, "annotations": hints} for each, hints in HINTS.items()]
                await send(stream, result(message, {"tools": tools}))
            case "tools/call":
                params = message["params"]
                self.calls.append((params["name"], params["arguments"]))
                self._came.set()
                self._came = anyio.Event()
                arguments = params["arguments"]
                if arguments["do"] == "turns":
                    arguments = arguments["turns"][len(self.calls) - 1]
                await self.act(stream, message, arguments)
            case _:
                await send(stream, refusal(message, -32601, "Method not found"))

    async def act(self, stream: ByteStream, message: dict[str, Any], arguments: dict[str, Any]) -> None:
        fine = result(message, echoed(arguments.get("value")))
        match arguments["do"]:
            case "echo":
                await send(stream, fine)
            case "result":
                await send(stream, result(message, arguments["result"]))
            case "text":
                await send(stream, result(message, {"content": [{"type": "text", "text": arguments["text"]}]}))
            case "error":
                content = [{"type": "text", "text": arguments["message"]}]
                await send(stream, result(message, {"content": content, "isError": True}))
            case "refuse":
                await send(stream, refusal(message, -32603, arguments["message"]))
            case "hang":
                await anyio.sleep_forever()
            case "open":
                await head(stream, 1 << 20, kind=EVENTS)
                await stream.send(b": a comment\n\n")
                await anyio.sleep_forever()
            case "half":
                await send(stream, fine[:40], length=500)
            case "status":
                await send(stream, b"no", kind="text/plain", status=f"{arguments['code']} Status")
            case "garbage":
                await send(stream, b"Please log in.")
            case "page":
                await send(stream, b"<html></html>", kind="text/html")
            case "empty":
                await send(stream, b"")
            case "stranger":
                other = {**message, "id": 987654321}
                events = event(result(other, echoed("nobody asked for this")))
                if "then" in arguments:
                    events += event(result(message, echoed(arguments["then"])))
                await send(stream, events, kind=EVENTS)
            case "twice":
                await send(stream, event(fine) + event(result(message, echoed("the second answer"))), kind=EVENTS)
            case "stream":
                await send(stream, b": a comment\n\n" + event(fine), kind=EVENTS)
            case "cut":
                await send(stream, b': a comment\n\ndata: {"jsonrpc"', kind=EVENTS, length=4000)
            case "resumable":
                await send(stream, b"id: 7\nretry: 1\nevent: message\ndata: \n\n", kind=EVENTS)
            case "noise":
                await send(stream, event(b"Please wait.") + event(b"[]") + event(fine), kind=EVENTS)
            case "drip":
                await head(stream, len(fine))
                for byte in fine:
                    await stream.send(bytes([byte]))
            case "trickle":
                await head(stream, 1 << 20)
                while True:
                    await stream.send(b" ")
                    await anyio.sleep(0.02)
            case "size":
                whole = result(message, {"content": [{"type": "text", "text": "@"}]})
                before, after = whole.split(b"@")
                await head(stream, len(before) + arguments["bytes"] + len(after))
                await stream.send(before)
                for start in range(0, arguments["bytes"], 1 << 16):
                    await stream.send(b"x" * min(1 << 16, arguments["bytes"] - start))
                await stream.send(after)
            case "endless":
                await head(stream, 1 << 40, kind=arguments["kind"])
                await stream.send(b"data: " if arguments["kind"] == EVENTS else b'"')
                while True:
                    await stream.send(b"x" * (1 << 16))
            case "packed":
                body = gzip.compress(b" " * arguments["bytes"] + fine)
                await head(stream, len(body), encoding="gzip")
                await stream.send(body)
            case "json":
                body = json.dumps(arguments["body"]).encode()
                await send(stream, body, status=f"{arguments['code']} Status")
            case "late":
                while len(self.calls) < self.late_until:
                    await self._came.wait()
                await send(stream, fine)
            case other:
                assert other == "drop", other


@asynccontextmanager
async def far() -> AsyncIterator[Far]:
    async with anyio.create_task_group() as group:
        served = Far(group)
        await served.start()
        yield served
        await served.stop()


def echoed(value: Any) -> dict[str, Any]:
    return {"content": [], "structuredContent": {"value": value}}


def result(message: dict[str, Any], found: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": found}).encode()


def refusal(message: dict[str, Any], code: int, words: str) -> bytes:
    error = {"code": code, "message": words}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()


def event(data: bytes) -> bytes:
    return b"event: message\ndata: " + data + b"\n\n"


async def head(
    stream: ByteStream, length: int, *, kind: str = JSON, status: str = "200 OK", encoding: str = "identity"
) -> None:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {length}", "Connection: close"]
    lines.append(f"Content-Encoding: {encoding}")
    await stream.send("\r\n".join(lines).encode() + b"\r\n\r\n")


async def send(stream: ByteStream, body: bytes, *, kind: str = JSON, status: str = "200 OK", length: int = -1) -> None:
    """`length`: what is promised, where it is not the body's."""
    await head(stream, len(body) if length < 0 else length, kind=kind, status=status)
    if body:
        await stream.send(body)
