"""Plans over one tool whose result is kept, or whose argument is, and what is left of their runs."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from anyio.abc import ByteStream

from stdlib.connect.router import Router
from stdlib.plan import expression as e
from stdlib.plan import plan as p
from stdlib.plan.openapi import Network, OpenApi
from stdlib.runtime.load import load_plan
from stdlib.runtime.principal import Owner
from stdlib.runtime.run import Result, run_chain
from stdlib.runtime.store import Store
from tests.servers.loopback import spoken
from tests.stdlib.runtime.plans import AT, chain, const, ref

MB = 1 << 20
KINDS = {
    "text": p.Kind(json_schema={"type": "string"}),
    "file": p.Kind(json_schema={"type": "string", "format": "byte"}),
    "rows": p.Kind(json_schema={"type": "array", "items": {"type": "integer"}}),
}
ME = Owner()
FILE = {"type": "string", "format": "byte"}

PROGRAM = """
import sys
do = sys.argv[1]
if do == "many":
    for n in range(int(sys.argv[2])): print("y" * 999)
if do == "half":
    print("z" * 300_000, flush=True); print("no good", file=sys.stderr); sys.exit(3)
if do == "count":
    print(len(sys.stdin.buffer.read()))
"""


def tool(name: str, kind: str | None = None, takes: Any = None, digest: str = "-", **more: Any) -> p.Tool:
    schema = more.pop("input_schema", {"type": "object", "properties": takes or {}})
    result = {"result_schema": KINDS[kind].json_schema} if kind else {}
    effects = p.Effects(read_only=True)
    return p.Tool(name=name, input_schema=schema, handle=kind, digest=digest, effects=effects, **{**result, **more})


def calls(
    source: str, name: str, step: str = "got", needs: tuple[str, ...] = (), **arguments: e.Expression
) -> p.CallStep:
    target = p.ToolTarget(source=source, name=name)
    made = tuple(p.Argument(name=key, value=value) for key, value in arguments.items())
    return p.CallStep(name=step, call=p.CallPlan(target=target, arguments=made), needs=needs, read_only=True, origin=AT)


def whole(name: str, source: p.Source, *chains: p.Chain, **limits: int) -> p.Plan:
    network = Network(private_networks=True)
    by_id = {each.id: each for each in chains}
    return p.Plan(
        name="t", version="1.0.0", sources={name: source}, kinds=KINDS, chains=by_id,
        limits=p.Limits(**limits), network=network,
    )  # fmt: skip


def keeps(kind: str, step: p.CallStep, **out: Any) -> p.Chain:
    """`c`: what the step gave, under a handle of a kind."""
    return chain(
        "c", step, output=ref("got"), schema=KINDS[kind].json_schema, mode="handle", out={"handle": kind, **out}
    )


def reads(step: p.CallStep) -> p.Chain:
    """`c`: the value that the step gave."""
    return chain("c", step, output=ref("got"), wrapped=True)


async def run(plan: p.Plan, store: Store, home: Path = Path(), **arguments: Any) -> Result:
    async with Router(plan, home) as tools:
        return await run_chain(load_plan(plan), "c", arguments, tools=tools, store=store)


async def content(store: Store, result: Result) -> bytes:
    assert result.fault is None, result.fault
    assert result.handle is not None
    assert (await store.handles.describe(ME, result.handle.id)) == result.handle
    return await store.handles.part(ME, result.handle.id, 0, result.handle.bytes)


def failed(result: Result) -> tuple[str, str]:
    assert result.fault is not None
    return result.fault.fault_class, result.fault.message


async def alone(store: Store, tmp_path: Path, handles: int = 0) -> bool:
    """Whether so many handles live, and no unfinished files lie about."""
    living = sum(each.handles for each in await store.handles.pinned())
    return living == handles and not list(tmp_path.rglob("*.blobs/new/*"))


Handle = Callable[[ByteStream, bytes], Awaitable[None]]


@asynccontextmanager
async def service(handle: Handle, kind: str = "file", takes: Any = None, body: Any = None) -> AsyncIterator[p.Source]:
    """The tool `api.x` of a service; `body`: how its request is written."""
    operation: dict[str, Any] = {"method": "POST" if body else "GET", "path": "/x", "raw": True, "body": body}
    async with spoken(handle) as port:
        way = OpenApi.model_validate({"base_url": f"http://127.0.0.1:{port}", "operations": {"x": operation}})
        yield p.Source(kind="openapi", transport=way, tools={"x": tool("x", kind or None, takes)})


def answering(*pieces: bytes, media: str = "application/octet-stream", headers: str = "") -> Handle:
    async def handle(stream: ByteStream, _: bytes) -> None:
        await stream.send(f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n{headers}Connection: close\r\n\r\n".encode())
        for piece in pieces:
            await stream.send(piece)

    return handle


def program(kind: str | None, *argv: str, takes: Any = None) -> p.Source:
    arguments = tuple(p.CommandArgument(value=const(each)) for each in ("-c", PROGRAM, *argv))
    stdin = ref("body") if takes else None
    way = p.Command(program=sys.executable, invocations={"t": p.Invocation(arguments=arguments, stdin=stdin)})
    parse: dict[str, Any] = {} if kind else {"parse": p.ParseRule(mode="json"), "result_schema": {"type": "integer"}}
    made = tool("t", kind, {"body": takes} if takes else {}, **parse)
    return p.Source(kind="command", transport=way, tools={"t": made})
