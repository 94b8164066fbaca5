"""Tools of one server that one word of the language may mean, from the lock to the call."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from compiler.cli import main
from compiler.loader.lock_shape import aliases_of
from stdlib.runtime.run import Result
from tests.servers import scripted

from .projects import called, checked, compiled, project, synced, told


def tool(name: str, **parameters: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {each: {"type": kind} for each, kind in parameters.items()}}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}}


OFFERED = [
    tool("get_ticket", id="integer"),
    tool("get-ticket", key="string"),
    tool("close-it"),
    tool("close.it"),
    tool("list-all", page="integer"),
]
CHAIN = """
import tickets from mcp "tickets" {
  tool get_ticket returns { id: integer } { parse json }
  tool "get-ticket" returns { key: string } { parse json }
}

/// All that there is.
chain look {
  step one = tickets.get_ticket(id: 7)
  step other = tickets."get-ticket"(key: "a")
  step all = tickets.list_all(page: 1)
  step shut = tickets."close.it"()
  output { id: integer, key: string } = { id: one.id, key: other.key }
}
"""


def tickets(root: Path, chain: str) -> Path:
    server = json.dumps([str(scripted.__file__), str(root / "script.json")])
    source = f"[sources.tickets]\nmcp = {{ command = {json.dumps(sys.executable)}, args = {server} }}\n"
    return project(root, {"script.json": json.dumps({"tools": OFFERED}), "chains/a.chain": chain}, source)


def value_of(result: Result) -> Any:
    assert result.fault is None
    return result.value


def test_the_exact_name_wins_and_the_others_are_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    tickets(tmp_path, CHAIN)
    report, said = synced(tmp_path)
    assert told(said) == []
    assert report.sources[0].tools == 5
    assert report.sources[0].notes == (
        'of `close-it`, `close.it` the word `close_it` means none of them; write `"close-it"`, `"close.it"` in chains',
        'of `get_ticket`, `get-ticket` the word `get_ticket` means the first; write `"get-ticket"` in chains',
    )
    assert {code for code, _ in checked(tmp_path)} == {"W0310"}
    tools = compiled(tmp_path).sources["tickets"].tools
    assert sorted(tools) == ["close.it", "get-ticket", "get_ticket", "list-all"]
    assert value_of(called(tmp_path, "look")) == {"id": 7, "key": "a"}
    monkeypatch.chdir(tmp_path)
    assert main(["tools", "tickets"]) == 0
    shown = capsys.readouterr().out
    for each in ("tool get_ticket ", 'tool "get-ticket" ', 'tool "close-it"', "tool list_all "):
        assert each in shown
    assert main(["sync", "--trust"]) == 0
    assert "  note: of `get_ticket`, `get-ticket` the word" in capsys.readouterr().err


def test_a_word_that_means_none_of_them_is_told_where_it_stands(tmp_path: Path):
    chain = 'import tickets from mcp "tickets" { tool close_it returns string }\nchain look {\n'
    tickets(tmp_path, chain + "  step shut = tickets.close_it()\n  output = shut\n}\n")
    synced(tmp_path)
    what = "`tickets` has 2 tools that the word `close_it` may mean."
    assert checked(tmp_path) == [("E0206", what), ("E0206", what)]


def test_how_tools_are_written():
    assert aliases_of(["a-b", "a_b", "c", "d-e", "f.g", "f-g", "1x"]) == {
        "a-b": '"a-b"',
        "a_b": "a_b",
        "c": "c",
        "d-e": "d_e",
        "f.g": '"f.g"',
        "f-g": '"f-g"',
        "1x": "_1x",
    }
