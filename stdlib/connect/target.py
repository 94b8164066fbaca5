"""Where a source is and how the protocol's client reaches it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from ..plan.plan import Http, Stdio
from ..runtime.fault import fault
from .process import StdioTransport

Target = Any
"""A transport of the client: entered, it gives two message streams."""


def target_for(name: str, transport: Stdio | Http, most_bytes: int, on_end: Callable[[], None]) -> Target:
    """`most_bytes`: of one result; a message may be twice as long, because JSON escapes. `on_end` is called when the
    server's program has ended."""
    longest = 2 * most_bytes + (1 << 20)
    if isinstance(transport, Stdio):
        return StdioTransport(name, transport, longest, on_end)
    return _http(name, transport, longest)


def came_of(target: Target) -> list[Any]:
    """The tools of the last list that came, as they came, where the transport knows them."""
    return target.came if isinstance(target, StdioTransport) else []


@asynccontextmanager
async def _http(name: str, transport: Http, longest: int) -> AsyncGenerator[tuple[Any, Any], None]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    headers = {key: header_value(name, key, value) for key, value in transport.headers.items()}
    # Each call has its own timeout, so reading has none here.
    timeout = httpx2.Timeout(30, read=None)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout) as client,
        streamable_http_client(transport.url, http_client=client, max_sse_event_size=longest) as streams,
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
