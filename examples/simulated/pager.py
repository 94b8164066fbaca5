"""Pages the people who own a service. Nobody is on call for `svc-orphan`."""

from __future__ import annotations

from effects import SENDS
from journal import changed
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict


class Page(TypedDict):
    id: str
    acknowledged: bool


server = MCPServer("simulated-pager", version="1.0.0", log_level="ERROR")
pages: list[str] = []


@server.tool(annotations=SENDS)
def page(service: str, text: str, urgent: bool = False) -> Page:
    """Calls whoever is on call for a service."""
    if service == "svc-orphan":
        raise ToolError("Nobody is on call for svc-orphan.")
    pages.append(service)
    id = f"pg-{len(pages)}"
    changed("pager.page", id=id, service=service, text=text, urgent=urgent)
    return {"id": id, "acknowledged": False}


if __name__ == "__main__":
    server.run()
