"""One HTTP exchange with a checked address. Connections are kept for the next call; cookies, proxies of the
environment and redirects are not the library's business here, so its transport is used without its client."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..runtime.fault import fault
from ..runtime.gates.network import Guard, Origin
from .upload import Upload

if TYPE_CHECKING:
    import httpx2

CONNECTING: Final = 10.0
"""Seconds that one address has to accept a connection."""
MOST_CONNECTIONS: Final = 32
"""At once, to one host."""
IDLE: Final = 30.0
"""Seconds that an unused connection is kept."""


@dataclass(slots=True)
class Sent:
    """A request under way. `yes`: whether anything of it has left: set when its first byte is about to be written."""

    yes: bool = False
    _framing: Any = None

    def answered(self, response: httpx2.Response) -> None:
        """To be told before the body is read: what stands behind it on the connection is nobody's answer."""
        self._framing = _framing(response.stream)

    async def trace(self, event: str, _: Any) -> None:
        if event.endswith("send_request_headers.started"):
            self.yes = True
        elif event.endswith("response_closed.started") and self._framing is not None and self._framing.trailing_data[0]:
            # Kept, the connection would give these bytes to the next request as its answer.
            self._framing.send_failed()


@dataclass(frozen=True, slots=True)
class Message:
    """A request as it goes out; `target` is path and query, written exactly so."""

    method: str
    origin: Origin
    target: str
    headers: tuple[tuple[str, str], ...]
    content: bytes | Upload | None


@dataclass(slots=True)
class Wire:
    """The connections of one source. A pool belongs to a host's name: TLS proved that name for its connections."""

    guard: Guard
    _pools: dict[tuple[str, str], httpx2.AsyncHTTPTransport] = field(default_factory=dict)
    _tls: ssl.SSLContext | None = None

    async def close(self) -> None:
        """Closes all connections; calls under way fail."""
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            await pool.aclose()

    @asynccontextmanager
    async def exchange(self, name: str, message: Message, sent: Sent, keep: bool) -> AsyncIterator[httpx2.Response]:
        """The answer, its body not yet read. `keep`: another call may need the connection.

        Raises `denied` and `unavailable`; `httpx2.TransportError` when something went wrong after connecting.
        """
        addresses = await self.guard.addresses(message.origin)
        pool = self._pool(message.origin) if keep else self._new_pool(message.origin)
        try:
            response = await self._first(name, pool, message, addresses, sent)
            try:
                yield response
            finally:
                await response.aclose()
        finally:
            if not keep:
                await pool.aclose()

    async def answer(self, name: str, message: Message, sent: Sent) -> httpx2.Response:
        """As `exchange` with a connection that is kept, for somebody who closes the answer when it is read."""
        addresses = await self.guard.addresses(message.origin)
        return await self._first(name, self._pool(message.origin), message, addresses, sent)

    async def _first(
        self, name: str, pool: httpx2.AsyncHTTPTransport, message: Message, addresses: Sequence[str], sent: Sent
    ) -> httpx2.Response:
        """From the first address that accepts a connection."""
        import httpx2

        problem = ""
        for address in addresses:
            try:
                response = await pool.handle_async_request(_request(message, address, sent))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                problem = str(error) or "it does not answer"
            else:
                sent.answered(response)
                return response
        message_text = f"The server of `{name}` at {message.origin} cannot be reached: {problem}."
        raise fault("unavailable", message_text, sent=sent.yes)

    def _pool(self, origin: Origin) -> httpx2.AsyncHTTPTransport:
        key = (origin.scheme, origin.host)
        if key not in self._pools:
            self._pools[key] = self._new_pool(origin)
        return self._pools[key]

    def _new_pool(self, origin: Origin) -> httpx2.AsyncHTTPTransport:
        import httpx2

        limits = httpx2.Limits(
            max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS, keepalive_expiry=IDLE
        )
        # Without TLS an empty context saves reading the system's certificates; it would accept none.
        verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if origin.scheme == "http" else self._context()
        return httpx2.AsyncHTTPTransport(verify=verify, limits=limits)

    def _context(self) -> ssl.SSLContext:
        import httpx2

        if self._tls is None:
            self._tls = httpx2.create_ssl_context()
        return self._tls


_WAY: Final = ("_stream", "_httpcore_stream", "_connection")


def _framing(stream: Any) -> Any:
    """What divides the bytes of the connection below a body into answers (HTTP/1.1); None where there is none. The
    library has no public way to it."""
    for _ in range(8):
        if hasattr(stream, "_h11_state"):
            return stream._h11_state
        stream = next((getattr(stream, name) for name in _WAY if hasattr(stream, name)), None)
    return None


def _request(message: Message, address: str, sent: Sent) -> httpx2.Request:
    import httpx2

    host = f"[{address}]" if ":" in address else address
    timeout = {"connect": CONNECTING, "read": None, "write": None, "pool": None}
    extensions = {
        "timeout": timeout,
        "target": message.target.encode("ascii"),
        "sni_hostname": message.origin.host,
        "trace": sent.trace,
    }
    headers, content = [("Host", message.origin.authority), *message.headers], message.content
    if isinstance(content, Upload):
        headers.append(("Content-Length", str(content.size)))
    return httpx2.Request(
        message.method,
        f"{message.origin.scheme}://{host}:{message.origin.port}/",
        headers=headers,
        content=content.stream() if isinstance(content, Upload) else content,
        extensions=extensions,
    )
