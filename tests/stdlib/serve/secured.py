"""A server over HTTP whose tools need scopes, and principals who have some of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from stdlib.plan.catalogue import Catalogue
from stdlib.plan.document import to_text
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve.bearer import read_access
from stdlib.serve.engine import Engine
from stdlib.serve.http import http_server, listen
from stdlib.serve.options import read_options
from stdlib.serve.server import build_server
from tests.stdlib.connect.sources import scripted_plan, scripted_source
from tests.stdlib.runtime.plans import chain, const

from .bundles import chains, entry

CHAIN_SCOPES: dict[str, set[str]] = {
    "make": set(),
    "count": set(),
    "orchard": {"fruit:read"},
    "distillery": {"fruit:read", "fruit:write"},
    "granary": {"grain:read"},
}
PRIMITIVE_SCOPES: dict[str, set[str]] = {
    "test__put": {"fruit:read"},
    "test__read": set(),
    "test__write": {"fruit:read", "fruit:write"},
}
SCOPES = CHAIN_SCOPES | PRIMITIVE_SCOPES
PRINCIPALS: dict[str, tuple[str, str, set[str]]] = {
    "token-none": ("none", "acme", set()),
    "token-reader": ("reader", "acme", {"fruit:read"}),
    "token-writer": ("writer", "acme", {"fruit:read", "fruit:write"}),
    "token-grain": ("grain", "acme", {"grain:read"}),
    "token-all": ("all", "acme", {"fruit:read", "fruit:write", "grain:read"}),
    "token-stranger": ("all", "umbrella", {"fruit:read", "fruit:write", "grain:read"}),
}
"""Of each token: id, tenant, scopes."""


def may(token: str, tool: str) -> bool:
    return SCOPES[tool] <= PRINCIPALS[token][2]


def principal_lines(tokens: dict[str, tuple[str, str, set[str]]]) -> str:
    return "\n".join(
        f"[[principal]]\nid = {json.dumps(name)}\ntenant = {json.dumps(tenant)}\n"
        f"scopes = {json.dumps(sorted(scopes))}\n"
        f'token_sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"\n'
        for token, (name, tenant, scopes) in tokens.items()
    )


def write_secured(folder: Path) -> Path:
    """A bundle with the chains and the tools of sources named above, and `who.toml`."""
    made = [each for each in chains() if each[0].id in ("make", "count")]
    for name, scopes in CHAIN_SCOPES.items():
        if scopes:
            one = chain(name, output=const(name), wrapped=True)
            behaviour = {"scopes": sorted(scopes)}
            selection = {"description": f"About the {name}.", "groups": [name], "stages": [name]}
            made.append((one, entry(one, {"type": "string"}, selection=selection, behaviour=behaviour)))
    source = scripted_source(read={})
    tools = {
        key: tool.model_copy(update={"scopes": tuple(sorted(PRIMITIVE_SCOPES[f"test__{key}"]))})
        for key, tool in source.tools.items()
    }
    plan = scripted_plan(source.model_copy(update={"tools": tools}), *(one for one, _ in made))
    catalogue = Catalogue(name="test", version="1.0.0", entries=tuple(told for _, told in made))
    (folder / "plan.json").write_text(to_text(plan))
    (folder / "catalogue.json").write_text(to_text(catalogue))
    (folder / "who.toml").write_text(principal_lines(PRINCIPALS))
    return folder


@asynccontextmanager
async def secured(folder: Path, *argv: str) -> AsyncIterator[str]:
    """The URL of the server, in this process."""
    who = str(folder / "who.toml")
    options = read_options(["--http", "0", "--principals", who, "--profile", "all", "--consent", "never", *argv])
    catalogue = Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())
    access = read_access(Path(who))
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, MemoryStore(), access.principals)
        server = build_server(catalogue, engine, options, principal_of=access.principal_of, changes=access.changes)
        with listen("127.0.0.1", 0) as listening:
            running = http_server(server, options, listening, access.verifiers)
            async with anyio.create_task_group() as serving:
                serving.start_soon(lambda: running.serve(sockets=[listening]))
                with anyio.fail_after(60):
                    while not running.started:
                        await anyio.sleep(0.01)
                try:
                    yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
                finally:
                    running.should_exit = True
        await engine.close()


@asynccontextmanager
async def client_of(url: str, token: str, era: str = "auto", **more: Any) -> AsyncIterator[Client]:
    """A client with a token; `headers`: further ones."""
    headers = {"Authorization": f"Bearer {token}", **more.pop("headers", {})}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=era, **more) as client,
    ):
        yield client
