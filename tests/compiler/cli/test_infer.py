"""`chainc infer` over a server that answers with its arguments, and over recorded results."""

import json
import sys
from pathlib import Path

import pytest

from compiler.cli import main
from tests.servers import scripted

STATES = {"type": "string", "enum": ["open", "closed"]}
READS = {"readOnlyHint": True}
TOOLS = [
    {"name": "find-ticket", "inputSchema": {"type": "object", "properties": {"state": STATES}}, "annotations": READS},
    {"name": "post", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    {
        "name": "sought",
        "inputSchema": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
            "additionalProperties": False,
        },
    },
    {
        "name": "told",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
    },
]
HEAD = 'import tickets from mcp "tickets"'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "script.json").write_text(json.dumps({"tools": TOOLS}))
    command = f"command = {json.dumps(sys.executable)}, args = {json.dumps([scripted.__file__, 'script.json'])}"
    text = f'[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\n[sources.tickets]\nmcp = {{ {command} }}\n'
    (tmp_path / "chainc.toml").write_text(text)
    assert main(["sync", "--trust"]) == 0
    capsys.readouterr()
    return tmp_path


def one(*fields: str) -> str:
    return f"{HEAD} {{\n  tool find_ticket returns {{ {', '.join(fields)} }}\n}}\n"


def test_a_call_becomes_a_claim(project, capsys):
    given = '{"state": "open", "seen": "2026-01-02", "more": [1, null]}'
    assert main(["infer", "tickets.find_ticket", "--trust", "--args", given]) == 0
    out, err = capsys.readouterr()
    assert out == one('state: "open" | "closed"', "seen: date", "more: list<integer?>")
    assert err.startswith("From 1 result: ")


def test_several_calls_become_one_claim(project, capsys):
    words = ["infer", "tickets.find-ticket", "--trust", "--arg", "state=open"]
    assert main([*words, "--args", '{"a": 1, "b": true}', "--args", '{"a": null}']) == 0
    out, err = capsys.readouterr()
    assert out == one("a: integer?", "b: boolean?", 'state: "open" | "closed"')
    assert "From 2 results" in err


def test_a_program_is_started_after_a_yes_only(project, capsys):
    assert main(["infer", "tickets.find_ticket"]) == 1
    assert "the program of `tickets` was not agreed to" in capsys.readouterr().err


def test_a_tool_that_may_write_is_called_only_where_that_is_said(project, capsys):
    words = ["infer", "tickets.post", "--trust", "--arg", "n=1"]
    assert main(words) == 2
    assert "--yes-it-may-write" in capsys.readouterr().err
    assert main([*words, "--yes-it-may-write"]) == 0
    assert "tool post returns { n: integer }" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tickets.find_tickets"], "Did you mean `tickets.find_ticket`?"),
        (["ticket.find_ticket"], "Did you mean `tickets`?"),
        (["find_ticket"], "names no tool"),
        (["tickets.find_ticket", "--args", "[]"], "one JSON object"),
        (["tickets.find_ticket", "--args", '{"state": "gone"}'], "`tickets.find_ticket` does not take this: `state`"),
        (["tickets.find_ticket", "--arg", "stat=open"], "`tickets.find_ticket` has no input `stat`."),
        (["tickets.post", "--yes-it-may-write"], "the argument `n` is missing: `tickets.post` needs it."),
        (["tickets.post", "--args", '{"querry": 1}'], "needs it.\n  There is no `querry`.\n"),
        (["tickets.sought"], "the argument `query` is missing"),
        (["tickets.sought", "--args", '{"querry": "1"}'], "  There is no `querry`: did you mean `query`?"),
        (["tickets.sought", "--args", '{"query": "1", "quer": "1"}'], "no argument `quer`.\n  Did you mean `query`?"),
        (["tickets.find_ticket", "--results", "none.json"], "cannot be read"),
        (["tickets.find_ticket", "--results", "x.json", "--arg", "state=open"], "no arguments"),
    ],
)
def test_wrong_usage(project, capsys, words, told):
    assert main(["infer", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_declared_result_needs_no_claim(project, capsys):
    assert main(["infer", "tickets.told"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "`tickets.told` declares what it returns, so no claim is needed: { n: integer? }\n"


def test_a_call_that_fails_is_a_fault(project, capsys):
    (project / "script.json").write_text(json.dumps({"tools": TOOLS, "call": "error"}))
    assert main(["infer", "tickets.find_ticket", "--trust"]) == 1
    assert "tool_error: `tickets.find_ticket` failed" in capsys.readouterr().err


def text(*texts: str) -> dict:
    return {"content": [{"type": "text", "text": each} for each in texts]}


@pytest.mark.parametrize(
    ("results", "returns"),
    [
        ([{"id": 1}, {"id": None, "b": "x"}], "{ id: integer?, b: string? }"),
        ([{"content": [], "structuredContent": {"result": [1]}}], "list<integer>"),
        ([{"content": [], "structuredContent": {"result": {"a": 1}}}], "{ result: { a: integer } }"),
        ([text('{"a": 1}'), text('{"a": 2.5}')], "{ a: number }"),
        ([text("1", "2")], "list<integer>"),
        ([text('{"a": 1}\n{"a": 2}\n')], "list<{ a: integer }> { parse jsonl }"),
        ([text("All is well."), text("7")], "string { parse text }"),
        ([text("no"), {**text("failed"), "isError": True}], "string { parse text }"),
    ],
)
def test_recorded_results_need_no_call(project, capsys, results, returns):
    (project / "kept.jsonl").write_text("\n".join(map(json.dumps, results)) + "\n")
    assert main(["infer", "tickets.find_ticket", "--results", "kept.jsonl"]) == 0
    assert capsys.readouterr().out == f"{HEAD} {{\n  tool find_ticket returns {returns}\n}}\n"


def test_what_no_claim_reads_is_told(project, capsys):
    picture = {"type": "image", "data": "", "mimeType": "image/png"}
    (project / "kept.json").write_text(json.dumps({"content": [*text("Look.")["content"], picture]}))
    assert main(["infer", "tickets.find_ticket", "--results", "kept.json"]) == 0
    assert "The results also hold image, which is not read with a claim" in capsys.readouterr().err
    (project / "kept.json").write_text(json.dumps({"content": [picture]}))
    assert main(["infer", "tickets.find_ticket", "--results", "kept.json"]) == 2
    assert "neither structured content nor text" in capsys.readouterr().err


def test_choices_of_a_field_are_those_that_were_seen(project, capsys):
    (project / "kept.json").write_text('[{"kind": "a"}, {"kind": "b"}]')
    assert main(["infer", "tickets.find_ticket", "--results", "kept.json", "--choices", "kind"]) == 0
    assert 'returns list<{ kind: "a" | "b" }>' in capsys.readouterr().out


def test_a_claim_is_written_into_a_file_and_checks(project, capsys):
    chain = 'import t from mcp "tickets"\n\nchain c {\n  step x = t.find_ticket()\n  output integer = x.n\n}\n'
    (project / "chains").mkdir()
    (project / "chains/c.chain").write_text(chain)
    assert main(["check"]) == 1
    (project / "kept.json").write_text('{"n": 1}')
    words = ["infer", "tickets.find_ticket", "--results", "kept.json", "--write", "chains/c.chain"]
    assert main(words) == 0
    made = (project / "chains/c.chain").read_text()
    assert made == chain.replace('"tickets"', '"tickets" {\n  tool find_ticket returns { n: integer }\n}')
    assert main(["check"]) == 0
    (project / "chains/c.chain").write_text(chain.replace("tickets", "other"))
    capsys.readouterr()
    assert main(words) == 2
    assert "does not import `tickets`" in capsys.readouterr().err
