"""Asks one source what it offers, each kind in its own way."""

from __future__ import annotations

from pathlib import Path

from compiler.loader.files import Folder
from compiler.loader.manifest import ManifestSource
from compiler.project import HttpServer, OpenApiService, StdioServer
from compiler.sources.offer import Failure, Offer, OfferedTool


async def ask_source(folder: Folder, entry: ManifestSource, timeout: float) -> Offer | Failure:
    """What a source of the project offers; `timeout` in seconds for a program or a server to tell."""
    match entry.transport:
        case StdioServer() | HttpServer():
            return await _server(folder.root, entry.name, entry.transport, timeout)
        case OpenApiService():
            import asyncio

            from compiler.sources.openapi.offer import read_offer

            return await asyncio.to_thread(read_offer, folder, entry, entry.transport)
        case _:
            raise AssertionError("what other sources offer is declared in chains")


async def _server(root: Path, name: str, server: StdioServer | HttpServer, timeout: float) -> Offer | Failure:
    from stdlib.connect.mcp import list_tools
    from stdlib.plan.plan import Http, Stdio
    from stdlib.runtime.fault import RunFault

    transport: Stdio | Http
    if isinstance(server, HttpServer):
        transport = Http(url=server.url, headers=dict(server.headers))
    else:
        cwd = str(root / (server.cwd or "."))
        transport = Stdio(command=server.command, args=server.args, env=server.env, cwd=cwd)
    try:
        listing = await list_tools(name, transport, timeout=timeout)
    except RunFault as error:
        found = error.fault
        return Failure("E0223" if found.fault_class == "timeout" else "E0222", found.message, found.next or "")
    tools = tuple(OfferedTool(each.offered) for each in listing.tools)
    return Offer(listing.server, listing.version, tools, listing.protocol)
