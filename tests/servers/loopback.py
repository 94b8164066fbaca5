"""Runs an ASGI application, or a handler of raw bytes, on a loopback port of the test's own event loop."""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener


@contextlib.asynccontextmanager
async def served(application: Any) -> AsyncIterator[int]:
    """The port of an ASGI application."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(application, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: server._serve([listener]))
            while not server.started:
                await anyio.sleep(0.01)
            try:
                yield listener.getsockname()[1]
            finally:
                server.should_exit = True


@contextlib.asynccontextmanager
async def spoken(
    handle: Callable[[ByteStream, bytes], Awaitable[None]], tls: ssl.SSLContext | None = None, port: int = 0
) -> AsyncIterator[int]:
    """The port of a server that reads one request (headers and what came with them) and lets `handle` answer; then
    the connection is closed."""

    async def one(stream: ByteStream) -> None:
        async with stream:
            request = b""
            with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                while b"\r\n\r\n" not in request:
                    request += await stream.receive()
                await handle(stream, request)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port, reuse_port=port != 0)
    async with listener, anyio.create_task_group() as group:
        serving = listener if tls is None else TLSListener(listener, tls, standard_compatible=False)
        group.start_soon(serving.serve, one)
        yield listener.extra(SocketAttribute.local_port)
        group.cancel_scope.cancel()
