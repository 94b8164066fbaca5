"""Tickets that can be opened and closed. Labels are texts or yes and no."""

from __future__ import annotations

from effects import ADDS, SETS
from journal import changed
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import AnyUrl
from typing_extensions import TypedDict


class Ticket(TypedDict):
    id: str
    url: AnyUrl
    labels: dict[str, str | bool]


class Closed(TypedDict):
    id: str
    reason: str


server = MCPServer("simulated-tickets", version="1.0.0", log_level="ERROR")
tickets: dict[str, str] = {}


@server.tool(annotations=ADDS)
def create(title: str, body: str = "", labels: dict[str, str | bool] | None = None) -> Ticket:
    """Opens a ticket."""
    id = f"t-{len(tickets) + 1}"
    tickets[id] = "open"
    changed("tickets.create", id=id, title=title, body=body, labels=labels or {})
    return {"id": id, "url": AnyUrl(f"https://tickets.example/{id}"), "labels": labels or {}}


@server.tool(annotations=SETS)
def close(id: str, reason: str) -> Closed:
    """Closes a ticket, with the reason."""
    if id not in tickets:
        raise ToolError(f"There is no ticket {id}.")
    tickets[id] = "closed"
    changed("tickets.close", id=id, reason=reason)
    return {"id": id, "reason": reason}


if __name__ == "__main__":
    server.run()
