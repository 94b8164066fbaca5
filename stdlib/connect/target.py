"""Where a source is and how the protocol's client reaches it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..plan.plan import Http, Stdio
from ..runtime.fault import fault
from .process import StdioTransport

if TYPE_CHECKING:
    from .posts import Posts

Target = Any
"""A transport of the client: entered, it gives two message streams."""


def target_for(name: str, transport: Stdio | Http, most_bytes: int, on_end: Callable[[], None]) -> Target:
    """`most_bytes`: of one result; a message may be twice as long, because JSON escapes. `on_end` is called when the
    server's program has ended."""
    longest = 2 * most_bytes + (1 << 20)
    if isinstance(transport, Stdio):
        return StdioTransport(name, transport, longest, on_end)
    return HttpTarget(name, transport, longest)


def came_of(target: Target) -> list[Any]:
    """The tools of the last list that came, as they came, where the transport knows them."""
    return target.came if isinstance(target, StdioTransport) else []


class HttpTarget:
    """A server behind a URL."""

    def __init__(self, name: str, transport: Http, longest: int) -> None:
        self._name = name
        self._transport = transport
        self._longest = longest
        self._posts: Posts | None = None
        self._entered: AbstractAsyncContextManager[tuple[Any, Any]] | None = None

    async def __aenter__(self) -> tuple[Any, Any]:
        self._entered = self._streams()
        return await self._entered.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._entered is not None
        return await self._entered.__aexit__(kind, error, trace)

    def opened(self) -> None:
        """The handshake is done: from now on each request answers for itself."""
        assert self._posts is not None
        self._posts.is_open = True

    @asynccontextmanager
    async def _streams(self) -> AsyncGenerator[tuple[Any, Any], None]:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        from .posts import Posts

        transport = self._transport
        headers = {key: header_value(self._name, key, value) for key, value in transport.headers.items()}
        # Each call has its own timeout, so reading has none here.
        timeout = httpx2.Timeout(30, read=None)
        self._posts = Posts(self._name, self._longest, headers=headers, timeout=timeout)
        async with (
            self._posts as client,
            streamable_http_client(transport.url, http_client=client, max_sse_event_size=self._longest) as streams,
        ):
            yield streams


def header_value(name: str, header: str, value: str) -> str:
    """A header's value; `env:NAME` stands for a variable. Raises the fault `unavailable` where it is not set."""
    if not value.startswith("env:"):
        return value
    variable = value.removeprefix("env:")
    found = os.environ.get(variable)
    if found is None:
        message = f"The header `{header}` of `{name}` comes from the variable `{variable}`, which is not set."
        raise fault("unavailable", message, sent=False, lasting=True, next=f"Set `{variable}` and call again.")
    return found
