"""Channels that take messages. `#archive` is closed."""

from __future__ import annotations

from effects import SENDS
from journal import changed
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict


class Message(TypedDict):
    channel: str
    ts: str


server = MCPServer("simulated-slack", version="1.0.0", log_level="ERROR")
posted: list[str] = []


@server.tool(annotations=SENDS)
def post_message(channel: str, text: str) -> Message:
    """Posts a message to a channel."""
    if channel == "#archive":
        raise ToolError("The channel #archive is closed.")
    posted.append(text)
    changed("slack.post_message", channel=channel, text=text)
    return {"channel": channel, "ts": f"{len(posted)}.000100"}


if __name__ == "__main__":
    server.run()
