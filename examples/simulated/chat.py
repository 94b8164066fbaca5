"""Chat rooms. A room whose topic speaks of `silence` cannot be made."""

from __future__ import annotations

from effects import ADDS, SETS
from journal import changed
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict


class Room(TypedDict):
    id: str
    name: str


server = MCPServer("simulated-chat", version="1.0.0", log_level="ERROR")
rooms: dict[str, str] = {}


@server.tool(annotations=ADDS)
def create_room(name: str, topic: str | None = None) -> Room:
    """Makes a room, open to everybody."""
    if "silence" in (topic or ""):
        raise ToolError("The topic is not allowed.")
    id = f"r-{len(rooms) + 1}"
    rooms[id] = name
    changed("chat.create_room", id=id, name=name, topic=topic)
    return {"id": id, "name": name}


@server.tool(annotations=SETS)
def archive_room(id: str) -> Room:
    """Closes a room; what was said stays readable."""
    if id not in rooms:
        raise ToolError(f"There is no room {id}.")
    changed("chat.archive_room", id=id)
    return {"id": id, "name": rooms[id]}


if __name__ == "__main__":
    server.run()
