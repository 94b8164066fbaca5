"""A web search that says nothing about the shape of its answers: JSON in a text, as many servers do it.

Hits have a score or none; a query about `Nimbus` finds nothing, one about `Quagmire` fails, one about `Mumble` answers
prose where JSON is expected; pages whose address ends with `/gone` cannot be fetched.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from effects import LOOKS_OUTSIDE
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

ENTHUSIASM = {"borealis.example": 9, "tern.example": 3, "yukon.example": 5}
"""How often the pages of a company repeat what was searched for."""

server = MCPServer("simulated-web-search", version="1.0.0", log_level="ERROR")


@server.tool(annotations=LOOKS_OUTSIDE, structured_output=False)
def query(q: str, limit: Annotated[int, Field(ge=1, le=20)] = 10) -> str:
    """Web search, best hits first."""
    company, _, topic = q.rpartition(" ")
    if company.startswith("Quagmire"):
        raise ToolError("The index is being rebuilt.")
    if company.startswith("Mumble"):
        return "I found several interesting pages."
    site = f"https://{company.split()[0].lower()}.example" if company else "https://nobody.example"
    hits: list[dict[str, Any]] = [
        {"url": f"{site}/{topic}", "title": f"{company}: {topic}", "score": 0.9},
        {"url": f"{site}/news/gone", "title": f"News of {company}", "score": 0.7},
        {"url": f"{site}/about", "title": f"About {company}", "score": None},
        {"url": f"{site}/imprint", "title": "Imprint"},
        {"url": f"{site}/old", "title": "An old page", "score": 0.2},
    ]
    return json.dumps({"hits": [] if company.startswith("Nimbus") else hits[:limit]})


@server.tool(annotations=LOOKS_OUTSIDE, structured_output=False)
def fetch(url: str) -> str:
    """The text of a page."""
    if url.endswith("/gone"):
        raise ToolError(f"{url} is gone (410).")
    host, _, topic = url.removeprefix("https://").partition("/")
    text = f"{host} writes about {topic}. " + f"{topic} " * ENTHUSIASM.get(host, 1) + "Nothing else happened this year."
    return json.dumps({"text": text, "bytes": len(text.encode())})


if __name__ == "__main__":
    server.run()
