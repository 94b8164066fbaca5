"""A connection to one source: opened by the first call, shared by all, opened anew after it has died."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.abc import TaskGroup

from ..plan.plan import Http, Network, Source, Stdio, Tool
from ..runtime.fault import Fault, RunFault, fault
from ..runtime.result import ToolAnswer
from .answer import answer_of, client_info, problem_of, refusal, result_kinds
from .drift import drifted, redescribed
from .ground import Ground
from .listing import read_listing
from .process import StdioTransport
from .target import HttpTarget, came_of, target_for
from .unset import unset, unset_clue, unset_words

if TYPE_CHECKING:
    from mcp import Client

OPENING: Final = 30.0
"""Seconds that a server has to start and to list its tools."""

log = logging.getLogger("chainc.connect")


class Link:
    """One life of a connection. `ready` is set when it can be used or has failed; then `client` or `problem` is.

    `stale`: new calls open another life; this one ends with its last call. `alone`: when it broke, one call was under
    way, so what broke it is that call's own problem.
    """

    def __init__(self) -> None:
        self.ready = anyio.Event()
        self.closing = anyio.Event()
        self.ended = anyio.Event()
        self.opening = anyio.CancelScope()
        self.client: Client | None = None
        self.problem: Fault | None = None
        self.drifted: dict[str, str] = {}
        self.calls: set[anyio.CancelScope] = set()
        self.transport: StdioTransport | None = None
        self.stale = False
        self.alone = False

    @property
    def alive(self) -> bool:
        return not self.closing.is_set()

    def leave(self, call: anyio.CancelScope) -> None:
        """A call has ended."""
        self.calls.discard(call)
        if self.stale and not self.calls:
            self.closing.set()

    def close(self) -> None:
        self.closing.set()
        if self.client is None:
            self.opening.cancel()


class Connection:
    """`name`, `source` and `network` as the plan has them. `ground`: where a program may start. `group` holds the task
    that owns the client of a life: it must be entered and left by one task."""

    def __init__(
        self, name: str, source: Source, network: Network, ground: Ground, group: TaskGroup, most_bytes: int
    ) -> None:
        self._name = name
        self._source = source
        self._network, self._ground = network, ground
        self._group = group
        self._most_bytes = most_bytes
        self._link: Link | None = None
        self._links: set[Link] = set()
        self._warned: set[str] = set()

    async def call(self, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """Calls a tool once. `timeout` in seconds, from when the server runs; its start has its own, `OPENING`.
        Raises `RunFault`."""
        tool = self._source.tools[key]
        label = f"`{self._source.alias or self._name}.{tool.name}`"
        link = await self._opened()
        if key in link.drifted:
            raise fault("contract_drift", f"{label} {link.drifted[key]}.", sent=False)
        with anyio.move_on_after(timeout):
            return await self._answered(link, tool, label, arguments)
        raise fault("timeout", f"{label} did not answer within {timeout:g} s.{self._stray()}")

    def close(self) -> None:
        """Ends every life, also one that has only begun; calls under way fail."""
        for link in self._links:
            link.close()

    # ------------------------------------------------------------------ calls

    async def _opened(self) -> Link:
        link = self._link
        if link is None or not link.alive or link.stale:
            link = self._link = Link()
            self._links.add(link)
            self._group.start_soon(self._own, link)
        if not link.ready.is_set():  # to wait for what is there would still be a turn of the loop
            await link.ready.wait()
        if link.problem is not None:
            raise RunFault(link.problem)
        return link

    async def _answered(self, link: Link, tool: Tool, label: str, arguments: dict[str, Any]) -> ToolAnswer:
        import mcp_types as t
        from mcp import MCPError

        assert link.client is not None
        request = t.CallToolRequest(params=t.CallToolRequestParams(name=tool.name, arguments=arguments))
        with anyio.CancelScope() as scope:
            link.calls.add(scope)
            try:
                result = await link.client.session.send_request(request, result_kinds())
            except MCPError as error:
                raise await self._refused(link, label, error) from None
            except (ValueError, RecursionError):  # no result, or one that is nested too deep to be held
                message = f"{label} answered something that is no result of a tool."
                raise fault("shape_mismatch", message) from None
            finally:
                link.leave(scope)
            return answer_of(label, result)
        raise RunFault(self._lost(link))

    async def _refused(self, link: Link, label: str, error: Any) -> RunFault:
        if error.message == "Connection closed":
            # The client is going down; the task that owns it is about to learn why.
            with anyio.move_on_after(1.0):
                await link.ended.wait()
        if not link.alive or (link.transport is not None and link.transport.ended is not None):
            return RunFault(self._lost(link))
        found = refusal(self._name, label, error.error)
        if found.fault_class == "unavailable":
            # The session is over, or the server behind the URL is another one now. Other calls may still be answered.
            link.stale = True
        return RunFault(found)

    def _lost(self, link: Link) -> Fault:
        """Why a call that was sent will never be answered."""
        link.closing.set()
        transport = link.transport
        if transport is not None and transport.too_large:
            message = f"The server of `{self._name}` {transport.ended}."
            return Fault("result_too_large", message, next="Ask the tool for less: a filter, a shorter range, a page.")
        if transport is None and link.problem is not None:
            return link.problem if link.alone else replace(link.problem, sent=True)
        how = (transport.ended if transport is not None else None) or "closed the connection"
        more = transport.clues() if transport is not None else ""
        return Fault("unavailable", f"The server of `{self._name}` {how} before it answered.{self._unset()}{more}")

    def _unset(self) -> str:
        transport = self._source.transport
        return unset_clue(transport.env) if isinstance(transport, Stdio) else ""

    def _stray(self) -> str:
        transport = self._link.transport if self._link is not None else None
        return "" if transport is None else transport.stray_clue()

    # ------------------------------------------------------------------ the life of a client

    def _warn(self, told: list[str]) -> None:
        """Once, however often the server is started."""
        for each in told:
            if each not in self._warned:
                self._warned.add(each)
                log.warning("%s", each)

    async def _own(self, link: Link) -> None:
        """Enters the client, keeps it until the life ends, and leaves it: all in this task."""
        from mcp import Client

        transport = self._source.transport
        assert isinstance(transport, Stdio | Http), "other sources have no connection"
        if isinstance(transport, Stdio) and (missing := unset(transport.env)):
            self._warn([unset_words(missing, self._name)])
        try:
            target = target_for(self._name, transport, self._network, self._ground, self._most_bytes, link.closing.set)
            link.transport = target if isinstance(target, StdioTransport) else None
            link.opening.deadline = anyio.current_time() + OPENING
            with link.opening:
                async with Client(target, mode="auto", cache=None, client_info=client_info()) as client:
                    listing = await read_listing(self._name, client, lambda: came_of(target))
                    link.opening.deadline = math.inf
                    link.drifted = drifted(self._source.tools, listing)
                    self._warn(redescribed(self._name, self._source.tools, listing))
                    link.client = client
                    if isinstance(target, HttpTarget):
                        target.opened()
                    link.ready.set()
                    await link.closing.wait()
            if link.client is None:
                message = f"The server of `{self._name}` did not start within {OPENING:g} s.{self._unset()}"
                link.problem = Fault("timeout", message, sent=False)
        except Exception as error:
            log.debug("the connection to %s ended", self._name, exc_info=error)
            link.problem = problem_of(self._name, error) or replace(self._lost(link), sent=False)
        finally:
            self._links.discard(link)
            link.alone = len(link.calls) == 1
            link.closing.set()
            link.ready.set()
            link.ended.set()
            for call in list(link.calls):
                call.cancel()
