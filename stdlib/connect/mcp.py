"""The way out to MCP servers: the tools of a plan's sources, and what a server offers."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any

import anyio
from anyio.abc import TaskGroup

from ..plan.plan import Http, Plan, Source, Stdio
from ..runtime.fault import Fault, RunFault
from ..runtime.result import ToolAnswer
from .answer import client_info, problem_of
from .connection import Connection
from .listing import ServerListing, read_listing
from .process import StdioTransport
from .target import target_for

log = logging.getLogger("chainc.connect")

LISTING_BYTES = 64 << 20


class McpTools:
    """The tools of all sources of a plan. Entered and left by one task; servers are started by the first call."""

    def __init__(self, plan: Plan, sources: dict[str, Source] | None = None) -> None:
        """`sources` replaces those of the plan where somebody moved a server."""
        self._sources = {**plan.sources, **(sources or {})}
        self._most_bytes = plan.limits.result_bytes
        self._connections: dict[str, Connection] = {}
        self._group: TaskGroup | None = None

    async def __aenter__(self) -> McpTools:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        for name, source in self._sources.items():
            self._connections[name] = Connection(name, source, self._group, self._most_bytes)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._group is not None
        for connection in self._connections.values():
            connection.close()
        return await self._group.__aexit__(kind, error, trace)

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`."""
        return await self._connections[source].call(key, arguments, timeout)


async def list_tools(name: str, transport: Stdio | Http, *, timeout: float) -> ServerListing:
    """Asks a server what it offers, and ends it. `timeout` in seconds for all of it.

    Raises `RunFault`: `unavailable`, `timeout`.
    """
    from mcp import Client

    target = target_for(name, transport, LISTING_BYTES, lambda: None)
    listing: ServerListing | None = None
    try:
        with anyio.CancelScope(deadline=anyio.current_time() + timeout):
            async with Client(target, mode="auto", cache=None, client_info=client_info()) as client:
                listing = await read_listing(name, client)
    except Exception as error:
        log.debug("listing the tools of %s failed", name, exc_info=error)
        if listing is None:
            raise RunFault(_why_not(name, target, error)) from None
    if listing is None:
        raise RunFault(Fault("timeout", f"The server of `{name}` did not list its tools within {timeout:g} s."))
    return listing


def _why_not(name: str, target: Any, error: Exception) -> Fault:
    known = problem_of(name, error)
    if known is not None:
        return known
    how = (target.ended if isinstance(target, StdioTransport) else None) or "closed the connection"
    stray = ""
    if isinstance(target, StdioTransport) and target.stray is not None:
        stray = f' It wrote something that is no message of the protocol: "{target.stray}".'
    return Fault("unavailable", f"The server of `{name}` {how} before it listed its tools.{stray}", sent=False)
