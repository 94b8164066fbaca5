"""The server as a process: both transports, both eras, and every way to end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx2
import pytest
from mcp import Client, StdioServerParameters

from .bundles import ROOT, command, start, write_bundle

pytestmark = pytest.mark.anyio

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


PATIENCE_S = 45
"""What a loaded machine may need; less than a call that hangs."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bundle(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    process = start(folder, "--http", "0")
    assert process.stderr is not None
    yield process.stderr.readline().decode().split()[-1]
    process.terminate()
    assert process.wait(PATIENCE_S) == 0
    process.communicate()


async def use(client: Client, era: str) -> None:
    assert client.protocol_version == ERAS[era]
    assert "echo" in [tool.name for tool in (await client.list_tools()).tools]
    assert (await client.call_tool("echo", {"value": "ü"})).structured_content == {"value": "ü"}
    killed = await client.call_tool("act", {"do": "kill"})
    assert killed.is_error
    assert (await client.call_tool("echo", {"value": 2})).structured_content == {"value": 2}


@pytest.mark.parametrize("era", ERAS)
async def test_stdio(folder: Path, era: str):
    run = command(folder)
    server = StdioServerParameters(command=run[0], args=run[1:], env=_environment())
    async with Client(server, mode=era) as client:
        await use(client, era)


@pytest.mark.parametrize("era", ERAS)
async def test_http(url: str, era: str):
    async with Client(url, mode=era) as client:
        await use(client, era)


async def test_a_client_that_stays_does_not_keep_the_server_from_its_end(folder: Path):
    process = start(folder, "--http", "0")
    assert process.stderr is not None
    async with Client(process.stderr.readline().decode().split()[-1], mode="legacy") as client:
        await client.list_tools()
        process.terminate()
        assert await anyio.to_thread.run_sync(process.wait, PATIENCE_S) == 0, (
            "it has ended in order, not because of the time"
        )
    process.communicate()


async def test_http_refuses_other_hosts_and_origins(url: str):
    async with httpx2.AsyncClient() as client:
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            answer = await client.post(url, headers=headers, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
            assert answer.status_code in (403, 421)


class Raw:
    """A client that writes lines and reads lines."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = start(folder, *options)

    def send(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def open(self) -> None:
        self.send(request(1, "initialize", INITIALIZE), {"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert self.read()["result"]["protocolVersion"] == "2025-11-25"

    def ended(self) -> tuple[int, bytes, bytes]:
        """Exit code, and what was left on standard output and error."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err


def request(number: int, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


HANGS = request(2, "tools/call", {"name": "test__read", "arguments": {"do": "hang"}})
"""A call that would last a minute."""


def test_a_client_in_doubt_may_begin_anew_and_garbage_is_refused(folder: Path):
    raw = Raw(folder)
    raw.send(
        b"hello?",
        request(1, "server/discover", ENVELOPE),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "slow"}},
        request(2, "initialize", INITIALIZE),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        b"\xff\xfe{",
        request(3, "tools/list"),
    )
    answers = {}
    while 3 not in answers:
        answer = raw.read()
        answers[answer["id"]] = answer
    assert answers[2]["result"]["protocolVersion"] == "2025-11-25"
    assert answers[3]["result"]["tools"][0]["name"] == "echo"
    raw.process.stdin and raw.process.stdin.close()
    raw.process.stdin = None
    code, out, err = raw.ended()
    assert (code, out, err) == (0, b"", b"")


@pytest.mark.parametrize("bad", [b"\\ud800", b"\xff"])
def test_what_is_no_character_becomes_the_replacement_character(folder: Path, bad: bytes):
    raw = Raw(folder)
    raw.open()
    call = json.dumps(request(7, "tools/call", {"name": "echo", "arguments": {"value": "a?b"}}))
    raw.send(call.encode().replace(b"?", bad))
    answer = raw.read()
    assert (answer["id"], answer["result"]["structuredContent"]) == (7, {"value": "a\ufffdb"})
    raw.ended()


def test_a_line_that_cannot_be_read_is_refused_with_its_id(folder: Path):
    raw = Raw(folder)
    raw.open()
    call = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"value":VALUE}}}'
    late = '{"jsonrpc":"2.0","method":"tools/call","params":{"x":{"id":1},"value":VALUE},"id":"a"}'
    deep = "[" * 50_000 + "]" * 50_000
    raw.send(call.replace("VALUE", "9" * 5000).encode(), late.replace("VALUE", deep).encode())
    raw.send(b"garbage", b'{"method":"notifications/x","params":3}', b'{"jsonrpc":"2.0","id":5,"result":')
    raw.send(call.replace("VALUE", "[" * 300 + "]" * 300).encode(), request(9, "ping"))
    answers = [raw.read() for _ in range(5)]
    assert [(each["id"], each.get("error", {}).get("code")) for each in answers[:3]] == [
        (7, -32700),
        ("a", -32700),
        (None, -32700),
    ]
    assert {each["id"] for each in answers[3:]} == {7, 9}
    refused = next(each for each in answers[3:] if each["id"] == 7)["result"]
    assert "nested more than 200 levels" in refused["content"][0]["text"]
    raw.ended()


def test_discovery_goes_on_into_the_modern_era(folder: Path):
    raw = Raw(folder)
    raw.send(request(1, "server/discover", ENVELOPE), request(2, "tools/list", ENVELOPE))
    assert [raw.read()["id"], raw.read()["id"]] == [1, 2]
    raw.process.kill()
    raw.ended()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_its_sources(folder: Path, number: signal.Signals):
    orphan = folder / f"orphan{number}"
    bundle = write_bundle(_fresh(folder, f"signal{number}"), "--orphan", str(orphan))
    raw = Raw(bundle, "--profile", "all")
    raw.open()
    raw.send(HANGS)
    child = _wait_for(orphan)
    raw.process.send_signal(number)
    code, _, err = raw.ended()
    assert (code, err) == (0, b""), "it has ended in order, not because of the time"
    assert not _runs(child)


def test_the_end_of_input_ends_the_server_in_a_call(folder: Path):
    raw = Raw(folder, "--profile", "all")
    raw.open()
    raw.send(HANGS)
    code, _, err = raw.ended()
    assert (code, err) == (0, b"")


def test_what_prints_does_not_reach_the_wire(folder: Path):
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "import stdlib.serve.engine as engine\nfrom stdlib.serve import main\n"
        "keep = engine.Engine.__init__\n"
        "def noisy(*given):\n    print('noise'); os.write(1, b'noise'); os.system('echo noise'); keep(*given)\n"
        "sys.modules['stdlib.serve.engine'].Engine.__init__ = noisy\n"
    )
    # Imported before the claim, so that the noise is made while the server runs.
    run = [sys.executable, "-c", code + "sys.exit(main([], Path(sys.argv[1])))", str(folder)]
    asked = json.dumps(request(1, "initialize", INITIALIZE)) + "\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        run, input=asked.encode(), capture_output=True, timeout=PATIENCE_S, env=environment, check=True
    )
    lines = done.stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1]
    assert done.stderr.count(b"noise") == 3


def test_wrong_folders_and_options_are_told(folder: Path, tmp_path: Path):
    empty = subprocess.run(
        command(tmp_path), capture_output=True, text=True, env=_environment(), stdin=subprocess.DEVNULL
    )
    assert empty.returncode == 1
    assert empty.stderr.endswith("has no catalogue.json: it is no bundle.\n")
    wrong = subprocess.run(command(folder, "--profile", "x"), capture_output=True, text=True, env=_environment())
    assert wrong.returncode == 2
    (tmp_path / "catalogue.json").write_text("{}")
    (tmp_path / "plan.json").write_text("{}")
    broken = subprocess.run(
        command(tmp_path), capture_output=True, text=True, env=_environment(), stdin=subprocess.DEVNULL
    )
    assert broken.returncode == 1
    assert "catalogue.json cannot be read" in broken.stderr


def test_options_that_cannot_work_are_told_in_plain_words(folder: Path):
    def told(*options: str) -> tuple[int, str]:
        run = command(folder, *options)
        done = subprocess.run(run, capture_output=True, text=True, env=_environment(), stdin=subprocess.DEVNULL)
        return done.returncode, done.stderr.splitlines()[-1]

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert told("--http", str(port)) == (
            1,
            f"error: port {port} is in use; choose another one, or 0 for any that is free",
        )
    assert told("--source", "nope=x") == (1, "error: --source names `nope`, which is no source here; there are: test")
    code, message = told("--source", "test='x")
    assert code == 2
    assert message.endswith("error: --source test: a quotation mark in the command is not closed: 'x")


def test_the_version_is_that_of_the_catalogue(folder: Path):
    done = subprocess.run(command(folder, "--version"), capture_output=True, text=True, env=_environment(), check=True)
    assert (done.stdout, done.stderr) == ("test 1.0.0\n", "")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _fresh(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def _wait_for(file: Path) -> int:
    for _ in range(50 * PATIENCE_S):
        if file.exists() and file.read_text():
            return int(file.read_text())
        time.sleep(0.02)
    raise AssertionError("the source did not start")


def _runs(process: int) -> bool:
    for _ in range(50 * PATIENCE_S):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return False
        if state == "Z":
            return False
        time.sleep(0.02)
    return True


def test_the_log_of_a_server_as_json(folder: Path):
    process = start(folder, "--http=0", "--log-format=json")
    assert process.stderr is not None
    first = json.loads(process.stderr.readline())
    assert first["message"].startswith("serving on http://127.0.0.1:")
    assert (first["level"], first["logger"]) == ("info", "chainc.serve")
    process.terminate()  # it has its handlers of signals before it says where it serves
    assert process.wait(30) == 0
    for line in process.communicate()[1].splitlines():
        assert json.loads(line).keys() >= {"time", "level", "logger", "message"}
