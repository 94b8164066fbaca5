"""A server parks a run, another process approves it, the server goes on: also when it was killed in between."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import TextContent

from compiler.cli.exits import FINDINGS, OK
from stdlib.plan import expression as ex
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.document import to_text
from tests.compiler.cli.chainc import chainc
from tests.stdlib.connect.sources import scripted_plan, scripted_source
from tests.stdlib.runtime.plans import approve, chain, const, ref, step
from tests.stdlib.serve.bundles import entry, start
from tests.stdlib.serve.secured import client_of

PATIENCE_S = 120.0
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    act = {"do": const("echo"), "value": const(1)}
    pay = chain(
        "pay",
        step("hold", tool="write", arguments=act),
        approve("go", "hold", by="bosses", show=const({"sum": 5}), timeout_ms=3_600_000),
        step("pay", "go", tool="write", arguments=act),
        output=ex.Member(base=ref("go"), name="by"),
        wrapped=True,
        schema={"type": "string"},
    )
    plan = scripted_plan(scripted_source("--calls", str(tmp_path / "calls")), pay)
    told = Catalogue(name="test", version="1.0.0", entries=(entry(pay, pay.output.json_schema),))
    (tmp_path / "plan.json").write_text(to_text(plan))
    (tmp_path / "catalogue.json").write_text(to_text(told))
    digest = hashlib.sha256(b"token of bob").hexdigest()
    (tmp_path / "who.toml").write_text(f'[[principal]]\nid = "bob"\ngroups = ["bosses"]\ntoken_sha256 = "{digest}"\n')
    return tmp_path


class Server:
    """One process; a client that cannot ask its user anything."""

    def __init__(self, folder: Path) -> None:
        self.process = start(folder, f"--store=sqlite:{folder / 'state.db'}", "--consent=never")
        self._number = 0
        self.ask("initialize", HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._number:
                return answer["result"]

    def call(self, name: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def _send(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


@pytest.fixture
def servers(folder: Path) -> Iterator[list[Server]]:
    started: list[Server] = []
    yield started
    for each in started:
        each.kill()


def person(folder: Path, *argv: str) -> subprocess.CompletedProcess[bytes]:
    who = [f"--principals={folder / 'who.toml'}"] if argv[0] == "approve" else []
    return chainc(*argv, f"--store=sqlite:{folder / 'state.db'}", *who, CHAINC_TOKEN="token of bob")


def parked(server: Server) -> tuple[str, Any]:
    result = server.call("pay")
    assert result["isError"]
    told = json.loads(result["content"][0]["text"])["fault"]
    assert told["class"] == "input_required"
    return told["details"]["run"], told


def collected(server: Server, run: str) -> Any:
    """What became of the run: the server hears of a decision when it looks next."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        result = server.call("resume_run", run=run)
        if not result["isError"] or '"input_required"' not in result["content"][0]["text"]:
            return result
        time.sleep(0.05)
    raise AssertionError("the run still waits")


def digest_told(folder: Path, run: str) -> str:
    """As a person finds it: who looks at the question reads its digest."""
    shown = person(folder, "approve", run)
    assert shown.returncode == 2
    found = re.search(rb"^digest +([0-9a-f]{12})$", shown.stderr, re.MULTILINE)
    assert found is not None
    assert b'"sum": 5' in shown.stderr
    return found[1].decode()


@pytest.mark.parametrize("killed", ["never", "before", "after"])
def test_approved_in_another_process(folder: Path, servers: list[Server], killed: str):
    servers.append(Server(folder))
    run, told = parked(servers[-1])
    assert told["details"]["awaits"][0]["by"] == "bosses"
    digest = digest_told(folder, run)
    if killed == "before":
        servers[-1].kill()
        assert b"interrupted" in person(folder, "runs", "list").stdout
        servers.append(Server(folder))
        assert '"input_required"' in servers[-1].call("resume_run", run=run)["content"][0]["text"]
    if killed == "after":
        servers[-1].kill()
    done = person(folder, "approve", run, "go", "--digest", digest, "--comment", "fine")
    assert (done.returncode, done.stdout) == (OK, b"")
    assert b"Approved as bob." in done.stderr
    assert (b"when its server starts again" in done.stderr) is (killed == "after")
    if killed == "after":
        servers.append(Server(folder))
    result = collected(servers[-1], run)
    assert result["structuredContent"] == {"result": "bob"}
    assert len((folder / "calls").read_text().splitlines()) == 2
    shown = person(folder, "runs", "show", run).stdout.decode()
    assert "state    succeeded" in shown
    assert "go: approved by bob" in shown


def test_rejected_in_another_process(folder: Path, servers: list[Server]):
    servers.append(Server(folder))
    run, _ = parked(servers[-1])
    digest = digest_told(folder, run)
    assert person(folder, "approve", run, "--digest", digest, "--reject").returncode == OK
    result = collected(servers[-1], run)
    assert result["isError"]
    assert json.loads(result["content"][0]["text"])["fault"]["class"] == "denied"
    assert len((folder / "calls").read_text().splitlines()) == 1
    assert person(folder, "approve", run, "--digest", digest).returncode != OK


@pytest.mark.anyio
async def test_somebody_else_approves_what_a_principal_began(folder: Path):
    digest = hashlib.sha256(b"token of ann").hexdigest()
    with (folder / "who.toml").open("a") as file:
        file.write(f'[[principal]]\nid = "ann"\ngroups = ["bosses"]\ntoken_sha256 = "{digest}"\n')
    kept = f"--store=sqlite:{folder / 'state.db'}", f"--principals={folder / 'who.toml'}"
    process = start(folder, *kept, "--consent=never", "--http=0")
    assert process.stderr is not None
    try:
        url = process.stderr.readline().decode().split()[-1]
        async with client_of(url, "token of ann") as client:
            block = (await client.call_tool("pay", {})).content[0]
            assert isinstance(block, TextContent)
            run = json.loads(block.text)["fault"]["details"]["run"]
            seen = digest_told(folder, run)
            own = chainc("approve", run, f"--digest={seen}", *kept, CHAINC_TOKEN="token of ann")
            assert own.returncode == FINDINGS
            assert b"ann began the run, so somebody else of bosses must decide." in own.stderr
            assert person(folder, "approve", run, f"--digest={seen}").returncode == OK
            with anyio.fail_after(PATIENCE_S):
                while (result := await client.call_tool("resume_run", {"run": run})).is_error:
                    await anyio.sleep(0.05)
            assert result.structured_content == {"result": "bob"}
    finally:
        process.kill()
        process.communicate()
