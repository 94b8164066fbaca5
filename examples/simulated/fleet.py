"""Ships and the ids of those who sail on them; who they are, the personnel office knows.

Aboard the ships of the line `south` is somebody whom it does not know, and not all whom it knows are aboard; a member
of the line `islands` is on two ships.
"""

from __future__ import annotations

from effects import READS
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from typing_extensions import TypedDict


class Ship(TypedDict):
    id: str
    name: str
    crew: list[str]


class Ships(TypedDict):
    ships: list[Ship]


LINES: dict[str, list[Ship]] = {
    "north": [
        {"id": "s-1", "name": "Fulmar", "crew": ["m-101", "m-102", "m-103"]},
        {"id": "s-2", "name": "Tern", "crew": ["m-105", "m-104"]},
        {"id": "s-3", "name": "Guillemot", "crew": []},
    ],
    "south": [{"id": "s-4", "name": "Petrel", "crew": ["m-201", "m-299"]}],
    "islands": [
        {"id": "s-5", "name": "Dunlin", "crew": ["m-301", "m-302"]},
        {"id": "s-6", "name": "Knot", "crew": ["m-301"]},
    ],
}

server = MCPServer("simulated-fleet", version="1.0.0", log_level="ERROR")


@server.tool(annotations=READS)
def list_ships(line: str) -> Ships:
    """The ships of a line with the ids of those who sail on them."""
    if line not in LINES:
        raise ToolError(f"There is no line {line}.")
    return {"ships": LINES[line]}


if __name__ == "__main__":
    server.run()
