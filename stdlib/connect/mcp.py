"""The way out to MCP servers: the tools of a plan's sources, and what a server offers."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any

import anyio
from anyio.abc import TaskGroup

from ..plan.plan import Http, Network, Plan, Stdio
from ..runtime.fault import Fault, RunFault
from ..runtime.result import ToolAnswer
from .answer import client_info, problem_of
from .connection import Connection
from .ground import Ground
from .listing import ListedTool, ServerListing, read_listing
from .process import StdioTransport
from .secrets import secrets_of
from .target import came_of, target_for
from .unset import unset_clue

__all__ = ["Fault", "ListedTool", "McpTools", "RunFault", "ServerListing", "list_tools"]

log = logging.getLogger("chainc.connect")
for _each in (
    "mcp",
    "client",
):  # the protocol's kit: what it logs is said in our own words; who sets up a log has it, too
    logging.getLogger(_each).addHandler(logging.NullHandler())

LISTING_BYTES = 64 << 20


class McpTools:
    """The tools of all sources of a plan; a server is started by the first call of one of its tools.

    `group` keeps the connections; it must outlive every call, and `close` lets it end. Without one, `async with` has
    its own: entered and left by one task. `ground`: where programs may start; unless it is given, where we are, and in
    the plan's folders.
    """

    def __init__(self, plan: Plan, group: TaskGroup | None = None, ground: Ground | None = None) -> None:
        self._sources, self._network = plan.sources, plan.network
        self._ground = ground or Ground(roots=plan.network.roots)
        self._most_bytes = plan.limits.result_bytes
        self._connections: dict[str, Connection] = {}
        self._group = group

    async def __aenter__(self) -> McpTools:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._group is not None
        self.close()
        return await self._group.__aexit__(kind, error, trace)

    def close(self) -> None:
        """Ends all connections; calls under way fail."""
        for connection in self._connections.values():
            connection.close()

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`."""
        assert self._group is not None, "entered, or given a group"
        if source not in self._connections:
            found = self._sources[source]
            connection = Connection(source, found, self._network, self._ground, self._group, self._most_bytes)
            self._connections[source] = connection
        return await self._connections[source].call(key, arguments, timeout)


async def list_tools(
    name: str, transport: Stdio | Http, network: Network | None = None, ground: Ground | None = None, *, timeout: float
) -> ServerListing:
    """Asks a server what it offers, and ends it. `network`: where a URL may lead; `ground`: where a program may start.
    `timeout` in seconds for all of it.

    Raises `RunFault`: `unavailable`, `timeout`; `denied` where the address or the server does not let it.
    """
    from mcp import Client

    target = target_for(name, transport, network or Network(), ground or Ground(), LISTING_BYTES, lambda: None)
    env = transport.env if isinstance(transport, Stdio) else ()
    listing: ServerListing | None = None
    try:
        with anyio.CancelScope(deadline=anyio.current_time() + timeout):
            async with Client(target, mode="auto", cache=None, client_info=client_info()) as client:
                listing = await read_listing(name, client, lambda: came_of(target))
    except Exception as error:
        log.debug("listing the tools of %s failed", name, exc_info=error)
        if listing is None:
            raise secrets_of(transport).unsaid(RunFault(_why_not(name, target, env, error))) from None
    if listing is None:
        clue = unset_clue(env) + target.stray_clue() if isinstance(target, StdioTransport) else ""
        late = Fault("timeout", f"The server of `{name}` did not list its tools within {timeout:g} s.{clue}")
        raise secrets_of(transport).unsaid(RunFault(late))
    return listing


def _why_not(name: str, target: Any, env: tuple[str, ...], error: Exception) -> Fault:
    known = problem_of(name, error, whole=True)
    if known is not None:
        return known
    how = (target.ended if isinstance(target, StdioTransport) else None) or "closed the connection"
    more = unset_clue(env) + target.clues() if isinstance(target, StdioTransport) else ""
    return Fault("unavailable", f"The server of `{name}` {how} before it listed its tools.{more}", sent=False)
