"""A server of tools behind a URL, in a process of its own, on the protocol's own kit: a warehouse that wants a token.

    python remote.py ERA TOKEN STATE LOG

`ERA`: `modern` (2026-07-28), or `legacy`: one that knows only the handshake (2025-11-25), with sessions. It prints its
port when it answers. `STATE` is a JSON file, read at each list of tools: `description` and `parameters` (more of them)
of the tool `stock`. `LOG` gets a line for each request: method, protocol version and session of its headers.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import mcp_types as t
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel.server import Server

LEGACY = b"2025-11-25"
PAGE = 1
"""Tools on a page of the list."""
ITEM: dict[str, Any] = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}


def tools(state: dict[str, Any]) -> list[t.Tool]:
    taken = {**ITEM, "properties": {**ITEM["properties"], **state.get("parameters", {})}}
    reads = t.ToolAnnotations(read_only_hint=True)
    books = t.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
    told = state.get("description", "How many there are.")
    return [
        t.Tool(name="stock", description=told, input_schema=taken, output_schema=COUNT, annotations=reads),
        t.Tool(name="label", description="What stands on it, as JSON.", input_schema=ITEM, annotations=reads),
        t.Tool(name="reserve", description="Keeps one.", input_schema=ITEM, output_schema=COUNT, annotations=books),
    ]


class Warehouse:
    def __init__(self, state: Path) -> None:
        self._state = state
        self._left = {"bolt": 7}

    async def listed(self, _: Any, params: t.PaginatedRequestParams | None) -> t.ListToolsResult:
        start = int(params.cursor) if params is not None and params.cursor is not None else 0
        offered = tools(json.loads(self._state.read_text("utf-8")))
        more = start + PAGE < len(offered)
        return t.ListToolsResult(tools=offered[start : start + PAGE], next_cursor=str(start + PAGE) if more else None)

    async def called(self, _: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        item = (params.arguments or {})["item"]
        if params.name == "label":
            return t.CallToolResult(content=[t.TextContent(text=json.dumps({"code": f"{item.upper()}-1", "kg": 0.5}))])
        if params.name == "reserve":
            self._left[item] -= 1
        found = {"count": self._left[item]}
        return t.CallToolResult(content=[t.TextContent(text=json.dumps(found))], structured_content=found)


class OneToken:
    def __init__(self, token: str) -> None:
        self._token = token

    async def verify_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="c", scopes=[]) if token == self._token else None


def heard(application: Any, era: str, log: Path) -> Any:
    """Writes down each request. A server of the older era knows no other version than its own."""

    async def one(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            version, session = headers.get(b"mcp-protocol-version", b"-"), headers.get(b"mcp-session-id", b"-")
            kind = "session" if session != b"-" else "-"
            with log.open("a", encoding="utf-8") as lines:
                lines.write(f"{scope['method']} {version.decode()} {kind}\n")
            if era == "legacy" and version not in (b"-", LEGACY) and b"authorization" in headers:
                await send(
                    {"type": "http.response.start", "status": 400, "headers": [(b"content-type", b"text/plain")]}
                )
                await send({"type": "http.response.body", "body": b"Bad Request: unsupported protocol version"})
                return
        await application(scope, receive, send)

    return one


class Announced(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets is not None
        print(sockets[0].getsockname()[1], flush=True)


def main() -> None:
    era, token, state, log = sys.argv[1:]
    warehouse = Warehouse(Path(state))
    server = Server("warehouse", version="3.1", on_list_tools=warehouse.listed, on_call_tool=warehouse.called)
    auth = AuthSettings.model_validate({"issuer_url": "https://login.example", "resource_server_url": None})
    application = heard(server.streamable_http_app(auth=auth, token_verifier=OneToken(token)), era, Path(log))
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application, log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    Announced(config).run([listening])


if __name__ == "__main__":
    main()
