"""Asks one source what it offers, each kind in its own way."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from compiler.loader.files import Folder, Refused
from compiler.loader.lock import MOST_LOCK_BYTES, file_digest
from compiler.loader.manifest import ManifestSource
from compiler.project import HttpServer, OpenApiService, PythonModule, Settings, StdioServer
from compiler.sources.offer import Failure, LeftOut, Offer, OfferedTool
from compiler.types.from_schema import BadSchema, from_schema, parameters

_INSTALLED: Final = ("site-packages", "dist-packages")
_OWN: Final = (
    "Functions become tools when each parameter and the result has a type: write such ones that call these, in a file "
    "of yours."
)


async def ask_source(folder: Folder, entry: ManifestSource, settings: Settings, timeout: float) -> Offer | Failure:
    """What a source of the project offers. `settings` say where a URL may lead; `timeout` in seconds for a program or a
    server to tell."""
    match entry.transport:
        case StdioServer() | HttpServer():
            return await _server(folder.root, entry.name, entry.transport, settings, timeout)
        case OpenApiService():
            import asyncio

            from compiler.sources.openapi.offer import read_offer

            return await asyncio.to_thread(read_offer, folder, entry, entry.transport)
        case PythonModule():
            return await _module(folder, entry.transport, timeout)
        case _:
            raise AssertionError("what other sources offer is declared in chains")


async def _server(
    root: Path, name: str, server: StdioServer | HttpServer, settings: Settings, timeout: float
) -> Offer | Failure:
    from stdlib.connect.ground import Ground
    from stdlib.connect.mcp import list_tools
    from stdlib.plan.plan import Http, Network, Stdio
    from stdlib.runtime.fault import RunFault

    transport: Stdio | Http
    if isinstance(server, HttpServer):
        transport = Http(url=server.url, headers=dict(server.headers))
    else:
        transport = Stdio(command=server.command, args=server.args, env=server.env, cwd=server.cwd or ".")
    network = Network(hosts=settings.hosts, private_networks=settings.private_networks)
    try:
        listing = await list_tools(name, transport, network, Ground(root, settings.roots), timeout=timeout)
    except RunFault as error:
        found = error.fault
        return Failure("E0223" if found.fault_class == "timeout" else "E0222", found.message, found.next or "")
    tools = tuple(OfferedTool(each.offered) for each in listing.tools)
    return Offer(listing.server, listing.version, tools, listing.protocol)


async def _module(folder: Folder, module: PythonModule, timeout: float) -> Offer | Failure:
    from stdlib.connect.functions import BadModule
    from stdlib.connect.python_listing import list_functions
    from stdlib.plan.plan import Python

    file = module.file or module.module or ""
    try:
        listing = await list_functions(Python(file=module.file, module=module.module), folder.root, timeout=timeout)
    except BadModule as problem:
        return Failure("E0228", f"`{file}` cannot be loaded: {problem}.")
    except TimeoutError:
        return Failure("E0223", f"`{file}` was not loaded within {timeout:g} s.")
    left_out = [LeftOut(function, why) for function, why in listing.left_out.items()]
    tools = []
    for offered in listing.tools:
        why = _unreadable(offered)
        if why:
            left_out.append(LeftOut(offered["name"], why))
        else:
            tools.append(OfferedTool(offered))
    files = _digests(folder, listing.path)
    theirs = module.file is None and not files
    if not tools and not left_out:
        what = "public function in Python" if theirs else "public function"
        hint = _OWN if theirs else "Write one: `def rate(text: str) -> float: …`."
        return Failure("E0228", f"`{file}` has no {what}.", hint)
    together = _together(file, left_out, len(tools)) if theirs and len(left_out) > 1 else ""
    return Offer("", "", tuple(tools), files=files, left_out=tuple(left_out), left_out_together=together)


def _together(module: str, left_out: list[LeftOut], tools: int) -> str:
    """One sentence about the functions of a module that was not written to be tools."""
    first = left_out[0]
    count = f"{len(left_out)} of the {tools + len(left_out)}" if tools else f"All {len(left_out)}"
    why = f"{first.why[:1].lower()}{first.why[1:]}"
    return f"{count} public functions of `{module}` are no tools; `{first.name}`, for one: {why} {_OWN}"


def _digests(folder: Folder, path: str | None) -> dict[str, str]:
    """The file of a module with its digest, where it is one of the project: what is installed has its own ways."""
    root = folder.root.resolve()
    found = None if path is None else Path(path).resolve()
    if found is None or found.suffix != ".py" or not found.is_relative_to(root):
        return {}
    inside = found.relative_to(root)
    if any(part.startswith(".") or part in _INSTALLED for part in inside.parts):
        return {}
    text = folder.text(inside.as_posix(), MOST_LOCK_BYTES)
    return {} if isinstance(text, Refused) else {inside.as_posix(): file_digest(text)}


def _unreadable(offered: dict[str, Any]) -> str:
    """Why the types of a function cannot be types of the language, as a sentence."""
    for what, reading in (
        ("what it takes", parameters(offered["inputSchema"])),
        ("what it returns", from_schema(offered["outputSchema"])),
    ):
        if isinstance(reading, BadSchema):
            return f"No type can be made of {what}: {reading.why}"
    return ""
