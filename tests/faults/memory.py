"""`python -m tests.faults.memory`: one large result through a chain, in a process of its own; prints what it took.

The chain reads a text of so many megabytes and puts it under a handle. `growth`: megabytes that the process grew at its
peak beyond what it had after a small result; `factor`: the same in sizes of the result.
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from stdlib.connect.router import Router
from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import run_chain
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.open import open_store
from tests.servers.far import far
from tests.servers.service import Told, over, service
from tests.stdlib.connect.sources import scripted_plan, scripted_source
from tests.stdlib.runtime.plans import chain, given, ref, step

WAYS = ("stdio", "http", "openapi")
STREAMED = "streamed"
"""Over openapi, where the whole result goes under the handle as it comes."""
MB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.memory", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--way", choices=(*WAYS, STREAMED), default="openapi", help="how the result comes (openapi)")
    parser.add_argument("--megabytes", type=int, default=200, help="of the result (200)")
    parser.add_argument("--limit", type=int, default=0, help="megabytes that are taken at most (twice the result)")
    parser.add_argument("--store", choices=("memory", "sqlite"), default="memory", help="where the handle is kept")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(json.dumps(anyio.run(measured, options)))


async def measured(options: argparse.Namespace) -> dict[str, Any]:
    size = options.megabytes * MB
    limit = (options.limit or 2 * options.megabytes) * MB
    async with AsyncExitStack() as stack:
        plan, small, large = await stack.enter_async_context(_source(options.way, size, limit))
        store = await stack.enter_async_context(_store(options.store, 4 * size))
        tools = await stack.enter_async_context(Router(plan, Path(__file__).parent))
        loaded = load_plan(plan)
        await run_chain(loaded, "c", small, tools=tools, store=store)
        before, started = _peak(), time.perf_counter()
        result = await run_chain(loaded, "c", large, tools=tools, store=store)
        seconds, after = time.perf_counter() - started, _peak()
    growth = after - before
    return {
        "ended": "ok" if result.fault is None else result.fault.fault_class,
        "kept": 0 if result.handle is None else result.handle.bytes,
        "before": round(before / MB),
        "growth": round(growth / MB),
        "factor": round(growth / size, 1),
        "seconds": round(seconds, 1),
    }


@asynccontextmanager
async def _source(way: str, size: int, limit: int) -> AsyncIterator[tuple[p.Plan, dict[str, Any], dict[str, Any]]]:
    """The plan, and the arguments for a small and for the large result."""
    if way == STREAMED:
        whole = chain(
            "c", step("s", tool="read", timeout_ms=600_000), output=ref("s"), mode="handle", out={"handle": "large"}
        )
        async with service() as served:
            served.script = [Told("size", bytes=10), Told("size", bytes=size)]
            yield over(served, whole, handle="large", result_bytes=MB, handle_bytes=limit), {}, {}
        return
    named = {"do": ref("do"), "bytes": ref("bytes")}
    reads = step("s", tool="read", arguments={} if way == "openapi" else named, timeout_ms=600_000)
    inputs = () if way == "openapi" else (given("do"), given("bytes"))
    text = ex.Member(base=ref("s"), name="value" if way == "openapi" else "text")
    one = chain("c", reads, output=text, inputs=inputs, mode="handle", out={"handle": "large"})
    small, large = {"do": "size", "bytes": 10}, {"do": "size", "bytes": size}
    if way == "stdio":
        yield scripted_plan(scripted_source(), one, result_bytes=limit), small, large
    elif way == "http":
        async with far() as server:
            source = scripted_source().model_copy(update={"transport": p.Http(url=server.url)})
            yield scripted_plan(source, one, result_bytes=limit), small, large
    else:
        async with service() as served:
            served.script = [Told("size", bytes=10), Told("size", bytes=size)]
            yield over(served, one, result_bytes=limit), {}, {}


@asynccontextmanager
async def _store(kind: str, capacity: int) -> AsyncIterator[Any]:
    if kind == "memory":
        yield MemoryStore(capacity=capacity)
        return
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:{folder}/store.db")
        try:
            yield store
        finally:
            await store.close()


def _peak() -> int:
    """Bytes that this process had at its largest."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


if __name__ == "__main__":
    main()
