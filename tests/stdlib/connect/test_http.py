"""Sources behind a URL: our own server, in the role of a primitive one."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.connect.mcp import McpTools, list_tools
from stdlib.plan import plan as p
from stdlib.runtime.fault import Fault, RunFault
from tests.stdlib.serve.bundles import start, write_bundle

from .sources import scripted_plan

pytestmark = pytest.mark.anyio

HERE = p.Network(private_networks=True)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bundle(tmp_path_factory.mktemp("bundle"))


class Served:
    """A server on a port of its own that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def start(self) -> None:
        self.process = start(self.folder, "--http", str(self.port))
        assert self.process.stderr is not None
        assert b"serving" in self.process.stderr.readline()

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    made = Served(folder)
    yield made
    made.kill()


async def source(url: str, **headers: str) -> p.Source:
    listing = await list_tools("far", p.Http(url=url), HERE, timeout=20)
    tools = {
        each.name: p.Tool(name=each.name, input_schema=each.input_schema, digest=each.digest) for each in listing.tools
    }
    return p.Source(transport=p.Http(url=url, headers=headers), tools=tools)


async def refused(tools: McpTools, name: str, timeout: float = 20, **arguments: Any) -> Fault:
    with pytest.raises(RunFault) as found:
        await tools.call("test", name, arguments, timeout)
    return found.value.fault


async def test_calls_timeouts_and_large_answers(served: Served):
    async with McpTools(scripted_plan(await source(served.url))) as tools:
        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(tools.call, "test", "echo", {"value": number}, 20)
        answer = await tools.call("test", "echo", {"value": [10**30, "ü"]}, 20)
        assert answer.structured == {"value": [10**30, "ü"]}
        fault = await refused(tools, "act", 0.3, do="hang")
        assert (fault.fault_class, fault.sent) == ("timeout", True)
        rows = await tools.call("test", "make", {"rows": ["x" * 1000] * 2000}, 20)
        assert rows.structured["handle"]["items"] == 2000
        assert (await tools.call("test", "echo", {}, 20)).is_error


async def test_a_server_that_dies_is_told_and_found_again(served: Served):
    plan = scripted_plan(await source(served.url))
    async with McpTools(plan) as tools:
        await tools.call("test", "echo", {"value": 1}, 20)

        async def kill_soon() -> None:
            await anyio.sleep(0.5)
            await anyio.to_thread.run_sync(served.kill)

        async with anyio.create_task_group() as group:
            group.start_soon(kill_soon)
            fault = await refused(tools, "act", do="hang")
        assert (fault.fault_class, fault.sent) == ("unavailable", True)
        gone = await refused(tools, "echo", value=1)
        assert (gone.fault_class, gone.sent) == ("unavailable", False)
        assert gone.message.startswith(f"The server of `test` at {served.origin} cannot be reached: ")
        await anyio.to_thread.run_sync(served.start)
        assert (await tools.call("test", "echo", {"value": 2}, 20)).structured == {"value": 2}
        # Between two calls nothing tells that the server is gone: the next one finds out.
        await anyio.to_thread.run_sync(served.kill)
        gone = await refused(tools, "echo", value=1)
        assert gone.message.startswith(f"The server of `test` at {served.origin} cannot be reached: ")
        await anyio.to_thread.run_sync(served.start)
        assert (await tools.call("test", "echo", {"value": 3}, 20)).structured == {"value": 3}


async def test_headers_come_from_variables(served: Served, monkeypatch: pytest.MonkeyPatch):
    plan = scripted_plan(await source(served.url, Authorization="env:FAR_TOKEN"))
    async with McpTools(plan) as tools:
        fault = await refused(tools, "echo", value=1)
        assert (
            fault.message
            == "The header `Authorization` of `test` comes from the variable `FAR_TOKEN`, which is not set."
        )
        monkeypatch.setenv("FAR_TOKEN", "Bearer x")
        assert (await tools.call("test", "echo", {"value": 1}, 20)).structured == {"value": 1}


async def test_a_place_where_nothing_listens():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    started = time.monotonic()
    with pytest.raises(RunFault) as found:
        await list_tools("far", p.Http(url=f"http://127.0.0.1:{port}/mcp"), HERE, timeout=20)
    assert found.value.fault.fault_class == "unavailable"
    assert time.monotonic() - started < 5
