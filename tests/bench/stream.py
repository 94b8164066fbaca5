"""What a large download costs a server: `python -m tests.bench.stream [--megabytes N] [--repeat N]`.

A generated server, in a process of its own over stdio, calls an HTTP service and keeps the body under a handle in its
SQLite store. Beside its peak of resident memory stands that of the same server after a download of one byte, and beside
its time that of a plain program that writes the same body to a file with httpx2 and waits for the disk.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final, TextIO, cast

import anyio
from anyio.abc import ByteStream

from compiler import driver
from compiler.sources.sync import sync
from compiler.writer import write
from dsl.diagnostics import Sink
from tests.servers.loopback import spoken

MB: Final = 1 << 20
BLOCK: Final = os.urandom(1 << 18)
PEAK: Final = """
def peak():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
"""
SERVER: Final = f"""
import atexit, pathlib, runpy, sys
server, told, *rest = sys.argv[1:]
{PEAK}
atexit.register(lambda: pathlib.Path(told).write_text(str(peak())))
sys.path.insert(0, server)
sys.argv[:] = ["server", *rest]
runpy.run_module("stream", run_name="__main__")
"""
PLAIN: Final = f"""
import json, os, sys, time
import httpx2
url, path = sys.argv[1:]
{PEAK}
with httpx2.Client() as client:
    client.get(url + "?size=1")
    floor, started = peak(), time.perf_counter()
    with open(path, "wb") as file, client.stream("GET", url + "?size=" + os.environ["SIZE"]) as response:
        for chunk in response.iter_bytes():
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    seconds = time.perf_counter() - started
print(json.dumps({{"floor": floor, "peak": peak(), "seconds": seconds}}))
"""
CHAIN: Final = """
import files from openapi "./files.json" { tool get returns handle<file> }

kind file = bytes

/// Downloads so many bytes.
chain download {
  input size: integer
  step got = files.get(size: size) { timeout 1h }
  output handle<file> = got
}
"""


@dataclass(frozen=True, slots=True)
class Took:
    """One download: peaks of memory in bytes, without it and with it, and its time in seconds."""

    floor: int
    peak: int
    seconds: float

    @property
    def growth(self) -> float:
        """Megabytes."""
        return (self.peak - self.floor) / MB


@asynccontextmanager
async def service() -> AsyncGenerator[str]:
    """The URL of a service whose `/get?size=N` answers so many bytes."""

    async def handle(stream: ByteStream, request: bytes) -> None:
        left = int(request.split(b"size=")[1].split()[0])
        await stream.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
            b"Connection: close\r\nContent-Length: %d\r\n\r\n" % left
        )
        while left:
            await stream.send(BLOCK[:left])
            left -= min(left, len(BLOCK))

    async with spoken(handle) as port:
        yield f"http://127.0.0.1:{port}"


def built(root: Path, url: str) -> Path:
    """The folder of the generated server."""
    size = {"name": "size", "in": "query", "required": True, "schema": {"type": "integer"}}
    success = {"description": "The bytes.", "content": {"application/octet-stream": {}}}
    get = {"operationId": "get", "parameters": [size], "responses": {"200": success}}
    document = {"openapi": "3.1.0", "info": {"title": "Files", "version": "1"}, "servers": [{"url": url}]}
    (root / "files.json").write_text(json.dumps({**document, "paths": {"/get": {"get": get}}}))
    (root / "download.chain").write_text(CHAIN)
    (root / "chainc.toml").write_text(
        '[project]\nname = "stream"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["*.chain"]\n'
        "[allow]\nprivate_networks = true\n"
    )
    sink = Sink()
    sync(root, (), sink, write=True, ask=None)
    artefacts = driver.build(root, sink)
    if sink.has_errors or artefacts is None or write(artefacts, root / "dist", sink) is None:
        raise AssertionError(f"the chain is not in order: {[each.message for each in sink]}")
    return root / "dist" / "server"


async def through_server(server: Path, root: Path, size: int) -> tuple[int, float]:
    """The peak of a new server that downloads one byte and then so many (0: none), and the seconds of the latter."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    told = root / "peak"
    arguments = ["-c", SERVER, str(server), str(told), "--store", f"sqlite:{root / 'store.db'}"]
    run = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    seconds = 0.0
    # What stands for stderr in a test may be no file.
    nowhere = await anyio.open_file(os.devnull, "w")
    async with nowhere, Client(stdio_client(run, cast("TextIO", nowhere.wrapped))) as client:
        for wanted in (1, size) if size else (1,):
            started = time.perf_counter()
            result = await client.call_tool("download", {"size": wanted})
            seconds = time.perf_counter() - started
            handle: Any = (result.structured_content or {}).get("handle")
            if handle is None or handle["bytes"] != wanted:
                raise AssertionError(f"nothing was kept: {result.content}")
    while not told.exists():  # it ends a moment after the client has left
        await anyio.sleep(0.05)
    peak = int(told.read_text())
    told.unlink()
    return peak, seconds


async def measured(root: Path, size: int, repeat: int) -> tuple[list[Took], list[Took]]:
    """Rounds of the server and of the plain program, in turns."""
    server_rounds: list[Took] = []
    plain_rounds: list[Took] = []
    async with service() as url:
        server = await anyio.to_thread.run_sync(built, root, url)
        for _ in range(repeat):
            floor, _ = await through_server(server, root, 0)
            peak, seconds = await through_server(server, root, size)
            server_rounds.append(Took(floor, peak, seconds))
            command = [sys.executable, "-c", PLAIN, f"{url}/get", str(root / "plain")]
            done = await anyio.run_process(command, env={**os.environ, "SIZE": str(size)}, stderr=subprocess.DEVNULL)
            plain_rounds.append(Took(**json.loads(done.stdout)))
    return server_rounds, plain_rounds


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.stream", description=(__doc__ or "").split(":")[0])
    parser.add_argument("--megabytes", type=int, default=200, help="of the body (200)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (3)")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        rounds = asyncio.run(measured(Path(folder), options.megabytes * MB, options.repeat))
    print(f"a body of {options.megabytes} MB, medians of {options.repeat} rounds")
    rates = []
    for name, each in zip(("a handle in SQLite", "httpx2 to a file"), rounds, strict=True):
        floor, peak = (median(getattr(one, what) for one in each) / MB for what in ("floor", "peak"))
        seconds = median(one.seconds for one in each)
        rates.append(options.megabytes / seconds)
        growth = median(one.growth for one in each)
        print(f"  {name:20} peak {peak:6.1f} MB, {growth:5.1f} above {floor:6.1f};", end=" ")
        print(f"{seconds:6.2f} s, {rates[-1]:6.0f} MB/s")
    print(f"  throughput: {rates[0] / rates[1]:.2f} of the plain download")
    return 0


if __name__ == "__main__":
    sys.exit(main())
