"""Mail that is sent nowhere. Addresses at `bounces.example` are refused."""

from __future__ import annotations

from effects import SENDS
from journal import changed
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict


class Sent(TypedDict):
    message_id: str


server = MCPServer("simulated-mail", version="1.0.0", log_level="ERROR")
sent: list[str] = []


@server.tool(annotations=SENDS)
def send(to: str, subject: str, body: str) -> Sent:
    """Sends a plain text mail to one address."""
    if to.endswith("@bounces.example"):
        raise ToolError(f"The mailbox {to} does not exist.")
    sent.append(to)
    changed("mail.send", to=to, subject=subject, body=body)
    return {"message_id": f"m-{len(sent)}"}


if __name__ == "__main__":
    server.run()
