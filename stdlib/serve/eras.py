"""One stream of messages, two eras of the protocol.

The client's first request decides which era serves it. A client that is in doubt asks `server/discover` first and, when
the answer is slow to come, begins anew with `initialize`: both are served, so `server/discover` decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.abc import TaskGroup

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel.server import Server
    from mcp.shared.message import SessionMessage

LEAD: Final = 8
"""Most messages that may come before the first request."""


async def serve_streams(
    server: Server[Any],
    incoming: MemoryObjectReceiveStream[SessionMessage | Exception],
    outgoing: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Serves one client until its messages end; then everything under way is cancelled and awaited."""
    sessions: list[MemoryObjectSendStream[SessionMessage | Exception]] = []
    async with anyio.create_task_group() as group, outgoing:
        probed: MemoryObjectSendStream[SessionMessage | Exception] | None = None
        chosen: MemoryObjectSendStream[SessionMessage | Exception] | None = None
        lead: list[SessionMessage | Exception] = []
        try:
            async for item in incoming:
                if chosen is None:
                    method = _requested(item)
                    if method == "server/discover":
                        probed = probed or _session(group, server, outgoing, sessions)
                        await probed.send(item)
                        continue
                    if method is None:
                        if probed is not None:
                            await probed.send(item)
                        elif len(lead) < LEAD:
                            lead.append(item)
                        continue
                    if method == "initialize" or probed is None:
                        chosen = _session(group, server, outgoing, sessions)
                    else:
                        chosen = probed
                    for early in lead:
                        await chosen.send(early)
                await chosen.send(item)
        finally:
            for session in sessions:
                session.close()


def _requested(item: SessionMessage | Exception) -> str | None:
    """The method of a request; None for anything else."""
    from mcp_types import JSONRPCRequest

    message = getattr(item, "message", None)
    return message.method if isinstance(message, JSONRPCRequest) else None


def _session(
    group: TaskGroup,
    server: Server[Any],
    outgoing: MemoryObjectSendStream[SessionMessage],
    sessions: list[MemoryObjectSendStream[SessionMessage | Exception]],
) -> MemoryObjectSendStream[SessionMessage | Exception]:
    send, receive = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
    sessions.append(send)
    group.start_soon(server.run, receive, outgoing.clone(), server.create_initialization_options())
    return send
