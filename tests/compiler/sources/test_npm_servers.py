"""Servers of other people, as they come from npm: asked for their tools, built over, called through what was built."""

import json
from pathlib import Path
from typing import Any

from compiler.sources.sync import sync
from dsl.diagnostics import Sink
from tests.compiler.sources.projects import checked, project, served
from tests.servers.packages import NPM, program


def built_over(root: Path, name: str, *arguments: str, env: tuple[str, ...] = ()) -> Path:
    """A project with the server `mcp-server-NAME` and the chains for it, locked and without a mistake."""
    text = (NPM / "chains" / f"{name.replace('-', '_')}.chain").read_text("utf-8")
    command = f"command = {json.dumps(program(f'mcp-server-{name}'))}, args = {json.dumps(list(arguments))}"
    project(
        root,
        {"chains/a.chain": text},
        f"[sources.server]\nmcp = {{ {command}, env = {json.dumps(list(env))} }}\n",
    )
    sink = Sink()
    report = sync(root, (), sink, write=True, ask=None)
    assert [each.message for each in sink] == []
    assert report is not None
    assert report.written == ("lock/server.json",)
    package = json.loads((root / "lock/server.json").read_text("utf-8"))["package"]
    wanted = json.loads((NPM / "package.json").read_text("utf-8"))["dependencies"]
    assert package == {"name": f"@modelcontextprotocol/server-{name}", "version": wanted[package["name"]]}
    assert [each for each in checked(root) if each[0].startswith("E")] == []
    return root


def test_the_lock_of_the_packages_names_no_host():
    for name in ("package.json", "package-lock.json"):
        assert "://" not in (NPM / name).read_text("utf-8")
    wanted = json.loads((NPM / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((NPM / "package-lock.json").read_text("utf-8"))["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(each.get("integrity", "").startswith("sha512-") for path, each in locked.items() if path)


def test_filesystem(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "old.txt").write_text("old")
    root = built_over(tmp_path / "project", "filesystem", str(folder))
    found = served(root, {"note": {"folder": str(folder), "text": "one\ntwo"}}, tmp_path)
    assert found["note"] == {
        "first_line": "one",
        "before": ["[FILE] old.txt"],
        "now": ["[FILE] note.txt", "[FILE] old.txt"],
    }
    assert (folder / "note.txt").read_text() == "one\ntwo"
    outside = served(root, {"note": {"folder": str(tmp_path), "text": "x"}}, tmp_path)["note"]
    assert json.loads(outside)["fault"]["class"] == "tool_error"
    assert not (tmp_path / "note.txt").exists()


def test_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "memory.jsonl"))
    root = built_over(tmp_path / "project", "memory", env=("MEMORY_FILE_PATH",))
    pairs = [{"who": "Ada", "with": "Bob"}, {"who": "Eve", "with": "Ada"}]
    found = served(root, {"remember": {"pairs": pairs}}, tmp_path)
    assert found["remember"] == {"new": 3, "found": ["Ada"], "relations": 2}
    kept = [json.loads(line) for line in (tmp_path / "memory.jsonl").read_text().splitlines()]
    assert sorted(each["name"] for each in kept if each["type"] == "entity") == ["Ada", "Bob", "Eve"]


def test_everything(tmp_path):
    root = built_over(tmp_path / "project", "everything")
    asked: dict[str, dict[str, Any]] = {"sampler": {"a": 2, "b": -5, "city": "Chicago"}}
    found = served(root, asked, tmp_path)["sampler"]
    assert found["sum"] == -3
    assert found["said"].startswith("Echo: Chicago: ")
    assert isinstance(found["warm"], bool)


def test_sequential_thinking(tmp_path):
    root = built_over(tmp_path / "project", "sequential-thinking")
    found = served(root, {"think": {"thoughts": ["First.", "Then.", "So."]}}, tmp_path)
    assert found["think"] == {"last": 3, "more": True}
