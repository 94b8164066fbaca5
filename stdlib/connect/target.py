"""Where a source is and how the protocol's client reaches it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..plan.plan import Http, Network, Stdio
from ..runtime.fault import fault
from ..runtime.gates.network import BadUrl, Guard, host_of, read_url
from ..values.header_value import from_variable
from .asked_back import AskedBack, Reading, Writing
from .ground import Ground
from .process import StdioTransport
from .styles import Unsendable, one_line
from .wire import Wire

if TYPE_CHECKING:
    from .posts import Posts

Target = Any
"""A transport of the client: entered, it gives two message streams."""


def target_for(
    name: str,
    transport: Stdio | Http,
    network: Network,
    ground: Ground,
    most_bytes: int,
    on_end: Callable[[], None],
) -> Target:
    """`network`: where a URL may lead. `ground`: where a program may start. `most_bytes`: of one result; a message may
    be twice as long, because JSON escapes. `on_end` is called when the server's program has ended."""
    longest = 2 * most_bytes + (1 << 20)
    if isinstance(transport, Stdio):
        return StdioTransport(name, transport, ground, longest, on_end)
    return HttpTarget(name, transport, network, longest)


def came_of(target: Target) -> list[Any]:
    """The tools of the last list that came, as they came, where the transport knows them."""
    return target.came if isinstance(target, StdioTransport) else []


class HttpTarget:
    """A server behind a URL. Its host needs no entry in `hosts`; its addresses are checked before each request."""

    def __init__(self, name: str, transport: Http, network: Network, longest: int) -> None:
        self._name = name
        self._transport = transport
        self._guard = Guard(name, network, host_of(transport.url))
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
        from mcp.client.streamable_http import streamable_http_client

        from .posts import Posts

        transport = self._transport
        try:
            read_url(transport.url)
        except BadUrl as error:
            raise fault("unavailable", f"The URL of `{self._name}` {error}.", sent=False) from None
        headers = {key: header_value(self._name, key, value) for key, value in transport.headers.items()}
        self._posts = Posts(self._name, Wire(self._guard), self._longest, headers=headers)
        async with (
            self._posts as client,
            streamable_http_client(transport.url, http_client=client, max_sse_event_size=self._longest) as streams,
        ):
            asked = AskedBack()
            yield Reading(self._name, streams[0], asked), Writing(streams[1], asked)


def header_value(name: str, header: str, value: str) -> str:
    """A header's value; `env:NAME`, alone or at its end, stands for a variable. Raises the fault `unavailable` where
    that is not set, or holds what no header can."""
    meant = from_variable(value)
    if meant is None:
        return value
    variable = meant.variable
    found = os.environ.get(variable)
    if not found:
        message = f"The header `{header}` of `{name}` comes from the variable `{variable}`, which is not set."
        raise fault("unavailable", message, sent=False, lasting=True, next=f"Set `{variable}` and call again.")
    try:
        return meant.before + one_line(found)
    except Unsendable as problem:
        message = f"The variable `{variable}` holds no value of a header: it {problem.problem}."
        raise fault("unavailable", message, sent=False, lasting=True, next=f"Correct `{variable}`.") from None
