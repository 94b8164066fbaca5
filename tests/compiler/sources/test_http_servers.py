"""A server behind a URL, from the manifest to the answer of the generated server, in both eras of the protocol."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from compiler.cli import main
from stdlib.plan.catalogue import Catalogue
from stdlib.runtime.fault import Fault
from tests.servers import remote

from .projects import called, checked, compiled, project, served, synced, told

TOKEN = "Bearer t0ken-of-the-warehouse"
PROTOCOLS = {"modern": "2026-07-28", "legacy": "2025-11-25"}
CHAIN = """
import warehouse from mcp "warehouse" {
  tool label returns { code: string } { parse json }
}

/// How many there are, and what stands on one.
chain look {
  input item: string
  step there = warehouse.stock(item: item)
  step told = warehouse.label(item: item)
  output { count: integer, code: string } = { count: there.count, code: told.code }
}

/// Keeps one.
chain book {
  input item: string
  step kept = warehouse.reserve(item: item)
  output { left: integer } = { left: kept.count }
}
"""


@dataclass
class Remote:
    """`state`: what the server says of its tool `stock`. `requests`: method, version and session of all."""

    era: str
    port: int
    folder: Path

    def state(self, **said: Any) -> None:
        (self.folder / "state.json").write_text(json.dumps(said), "utf-8")

    def requests(self) -> list[list[str]]:
        return [line.split() for line in (self.folder / "log").read_text("utf-8").splitlines()]

    def project(self, root: Path, allow: str = "[allow]\nprivate_networks = true\n") -> Path:
        reached = f'url = "http://127.0.0.1:{self.port}/mcp", headers = {{ Authorization = "env:WAREHOUSE_AUTH" }}'
        return project(root, {"chains/a.chain": CHAIN}, f"[sources.warehouse]\nmcp = {{ {reached} }}\n{allow}")


@pytest.fixture(scope="module", params=["modern", "legacy"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    folder = tmp_path_factory.mktemp("remote")
    (folder / "state.json").write_text("{}")
    (folder / "log").write_text("")
    token = TOKEN.removeprefix("Bearer ")
    words = [sys.executable, remote.__file__, request.param, token, str(folder / "state.json"), str(folder / "log")]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield Remote(request.param, int(process.stdout.readline()), folder)
        finally:
            process.kill()


@pytest.fixture
def warehouse(server: Remote, monkeypatch: pytest.MonkeyPatch) -> Remote:
    server.state()
    (server.folder / "log").write_text("")
    monkeypatch.setenv("WAREHOUSE_AUTH", TOKEN)
    return server


def fault_of(root: Path, chain: str = "look") -> Fault:
    found = called(root, chain, item="bolt").fault
    assert found is not None
    return found


def test_from_the_manifest_to_the_answer(warehouse: Remote, tmp_path: Path):
    warehouse.project(tmp_path)
    assert [code for code, _ in checked(tmp_path)] == ["E0219"]
    report, said = synced(tmp_path)
    assert told(said) == []
    assert [(each.outcome, each.tools, each.server) for each in report.sources] == [("new", 3, "warehouse 3.1")]
    lock = (tmp_path / "lock/warehouse.json").read_text("utf-8")
    assert json.loads(lock)["protocol"] == PROTOCOLS[warehouse.era]
    assert [each["offered"]["name"] for each in json.loads(lock)["tools"]] == ["label", "reserve", "stock"]
    assert "env:WAREHOUSE_AUTH" in lock
    assert "t0ken" not in lock
    assert checked(tmp_path) == []
    tools = compiled(tmp_path).sources["warehouse"].tools
    effects = {name: (each.effects.read_only, each.effects.idempotent) for name, each in tools.items()}
    assert effects == {"label": (True, True), "stock": (True, True), "reserve": (False, True)}

    found = served(tmp_path, {"look": {"item": "bolt"}, "book": {"item": "bolt"}}, tmp_path)
    before = found["look"]["count"]
    assert found == {"look": {"count": before, "code": "BOLT-1"}, "book": {"left": before - 1}}
    entries = Catalogue.model_validate_json((tmp_path / "dist/catalogue.json").read_bytes()).entries
    hints = {each.id: (each.behaviour.read_only, each.behaviour.destructive) for each in entries}
    assert hints == {"look": (True, False), "book": (False, False)}
    for path in (tmp_path / "dist").rglob("*"):
        assert not path.is_file() or b"t0ken" not in path.read_bytes()

    kinds = {tuple(each) for each in warehouse.requests()}
    if warehouse.era == "modern":
        assert kinds == {("POST", "2026-07-28", "-")}
    else:
        assert {("POST", "2025-11-25", "session"), ("DELETE", "2025-11-25", "session")} <= kinds
        assert {each[2] for each in kinds if each[1] == "2025-11-25"} == {"session"}


def test_drift(warehouse: Remote, tmp_path: Path):
    warehouse.project(tmp_path)
    synced(tmp_path)
    assert told(synced(tmp_path, check=True)[1]) == []
    warehouse.state(description="How many there are. Call it before anything else.")
    ((code, message),) = told(synced(tmp_path, check=True)[1])
    assert code == "E0205"
    assert message.startswith("The saved description of `warehouse` does not match the server: ")
    assert "stock" in message
    # What is said of a tool is no reason to refuse a call of it; another schema is.
    assert called(tmp_path, "look", item="bolt").fault is None
    warehouse.state(parameters={"place": {"type": "string"}})
    ((code, message),) = told(synced(tmp_path, check=True)[1])
    assert code == "E0205"
    assert "place" in message
    fault = fault_of(tmp_path)
    assert (fault.fault_class, fault.sent) == ("contract_drift", False)
    assert fault.message.startswith("`warehouse.stock` ")
    assert called(tmp_path, "book", item="bolt").fault is None
    assert synced(tmp_path)[0].written == ("lock/warehouse.json",)
    assert called(tmp_path, "look", item="bolt").fault is None


def test_a_variable_that_is_not_set(warehouse: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    warehouse.project(tmp_path)
    synced(tmp_path)
    monkeypatch.delenv("WAREHOUSE_AUTH")
    asked = len(warehouse.requests())
    message = "The header `Authorization` of `warehouse` comes from the variable `WAREHOUSE_AUTH`, which is not set."
    (found,) = synced(tmp_path, check=True)[1]
    assert (found.code, found.message) == ("E0222", message)
    assert found.helps == ("Set `WAREHOUSE_AUTH` and call again.",)
    fault = fault_of(tmp_path)
    assert (fault.fault_class, fault.message, fault.sent, fault.retryable) == ("unavailable", message, False, False)
    assert len(warehouse.requests()) == asked


def test_a_wrong_token(warehouse: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    warehouse.project(tmp_path)
    synced(tmp_path)
    monkeypatch.setenv("WAREHOUSE_AUTH", "Bearer wrong-one")
    (found,) = synced(tmp_path, check=True)[1]
    assert found.code == "E0222"
    assert found.message.startswith("`warehouse` refuses the connection (401)")
    advice = "Look at the `headers` of the source, and at the variables that they come from. "
    advice += 'Many servers want `Authorization = "Bearer env:NAME"`, with the token alone in that variable.'
    assert found.helps == (advice,)
    assert "wrong-one" not in found.message
    answer = served(tmp_path, {"book": {"item": "bolt"}}, tmp_path)["book"]
    fault = json.loads(answer)["fault"] if isinstance(answer, str) else answer["fault"]
    assert (fault["code"], fault["class"], fault["retryable"]) == ("F0014", "denied", False)
    assert fault["message"] == found.message


def test_the_token_alone_in_a_variable(warehouse: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    warehouse.project(tmp_path)
    manifest = (tmp_path / "chainc.toml").read_text("utf-8")
    (tmp_path / "chainc.toml").write_text(manifest.replace("env:WAREHOUSE_AUTH", "Bearer env:WAREHOUSE_TOKEN"), "utf-8")
    (found,) = synced(tmp_path)[1]
    assert found.message.endswith("comes from the variable `WAREHOUSE_TOKEN`, which is not set.")
    monkeypatch.setenv("WAREHOUSE_TOKEN", TOKEN.removeprefix("Bearer "))
    assert told(synced(tmp_path)[1]) == []
    assert '"Bearer env:WAREHOUSE_TOKEN"' in (tmp_path / "lock/warehouse.json").read_text("utf-8")
    answer = served(tmp_path, {"book": {"item": "bolt"}}, tmp_path)["book"]
    assert list(answer) == ["left"]
    shown = "".join(each.read_text("utf-8") for each in (tmp_path / "dist").rglob("*.md"))
    assert "WAREHOUSE_TOKEN" in shown
    assert TOKEN.removeprefix("Bearer ") not in shown


def test_this_machine_is_asked_only_where_the_manifest_allows_it(
    warehouse: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    warehouse.project(tmp_path)
    synced(tmp_path)
    asked = len(warehouse.requests())
    warehouse.project(tmp_path, allow="")
    message = "The host `127.0.0.1` of `warehouse` has a loopback address, which is not allowed."
    advice = "Write `private_networks = true` in `[allow]` of `chainc.toml` if it may be reached."
    (found,) = synced(tmp_path, check=True)[1]
    assert (found.code, found.message, found.helps) == ("E0222", message, (advice,))
    fault = fault_of(tmp_path, "book")
    assert (fault.fault_class, fault.message, fault.next, fault.sent) == ("denied", message, advice, False)
    monkeypatch.chdir(tmp_path)
    assert main(["infer", "warehouse.label", "--trust", "--args", '{"item": "bolt"}']) != 0
    assert message in capsys.readouterr().err
    assert len(warehouse.requests()) == asked
