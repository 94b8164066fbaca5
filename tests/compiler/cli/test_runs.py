"""`chainc runs`: what it tells of a store."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compiler.cli import main
from compiler.cli.exits import FINDINGS, OK, USAGE
from compiler.cli.runs_facts import Facts, facts
from stdlib.plan.receipt import ReceiptLine
from stdlib.serve.keep import state_file
from tests.compiler.cli.kept_runs import FAULT, ID, fill
from tests.stdlib.runtime.store.making import receipt


@pytest.fixture
def where(tmp_path: Path) -> str:
    path = tmp_path / "state.db"
    fill(path)
    return f"--store=sqlite:{path}"


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(["runs", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def as_json(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    code, out, err = told(capsys, *argv, "--format=json")
    assert (code, err) == (OK, "")
    return json.loads(out)


def test_the_list(capsys: pytest.CaptureFixture[str], where: str):
    code, out, err = told(capsys, "list", where)
    assert (code, err) == (OK, "")
    head, *rows = out.splitlines()
    assert head.split() == ["run", "state", "chain", "for", "started", "took"]
    assert [row.split()[:3] for row in rows] == [
        ["lone", "interrupted", "refund"],
        ["waits", "interrupted", "refund"],
        ["run_abababab", "failed", "refund"],
        ["old", "succeeded", "read"],
    ]
    assert rows[1].endswith("  awaits bosses at go: Refund?")
    assert rows[2].endswith("timeout")
    assert " north/anne " in rows[2]
    assert " 6.5 s " in rows[2]


def test_the_list_for_programs(capsys: pytest.CaptureFixture[str], where: str):
    listed = as_json(capsys, "list", where)
    assert listed["forgotten"] == []
    lone, waits, failed, old = listed["runs"]
    assert (lone["state"], lone["principal"], lone["tenant"]) == ("interrupted", "local", "local")
    (awaited,) = waits["awaits"]
    assert (awaited["step"], awaited["by"], awaited["show"]) == ("go", "bosses", {"sum": 5})
    assert awaited["requester"] == {"tenant": "north", "principal": "anne"}
    assert (failed["run"], failed["fault"], failed["ms"]) == (ID, FAULT, 6500)
    assert "fault" not in old
    assert "DE00" not in json.dumps(listed)


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        (["--state=failed"], [ID]),
        (["--state=interrupted", "--limit=1"], ["lone"]),
        (["--chain=read"], ["old"]),
        (["--chain=read", "--state=failed"], []),
        (["--limit=0"], []),
    ],
)
def test_filters(capsys: pytest.CaptureFixture[str], where: str, options: list[str], runs: list[str]):
    assert [each["run"] for each in as_json(capsys, "list", where, *options)["runs"]] == runs


def test_a_run_from_its_receipts(capsys: pytest.CaptureFixture[str], where: str):
    code, out, err = told(capsys, "show", "run_ab", where)
    assert (code, err) == (OK, "")
    assert re.search(rf"^run +{ID}$", out, re.MULTILINE)
    table = [re.split(r"  +", line) for line in out.splitlines()]
    start = table.index(["step", "allowed", "called", "done"])
    assert table[start + 1 : start + 5] == [
        ["hold", "yes", "yes", "as the tool says"],
        ["note", "yes", "yes", "yes, verified"],
        ["bad", "no, refused by the gate resource", "no", "no"],
        ["pay", "yes", "yes, attempt 2: unknown_outcome", "unknown"],
    ]
    assert "People:\n  go: approved by bob\n" in out
    assert "Taken back:\n  hold: taken back\n  lock: could not be taken back (unavailable)\n" in out
    assert "Fault F0009 timeout at pay:\n  The bank did not answer.\n  Done, and stays: note.\n" in out
    assert "  Not taken back: mail: it has no undo\n  Call again later.\n" in out
    assert "bank.hold" in out


def test_a_run_that_waits_says_how_it_is_decided(capsys: pytest.CaptureFixture[str], where: str):
    code, out, _ = told(capsys, "show", "waits", where)
    assert code == OK
    assert '"sum": 5' in out
    command = "chainc approve waits go --digest 1234567890ab --principals FILE --store "
    assert f"decide it:  {command}{where.removeprefix('--store=')}" in out
    assert "Nobody drives this run." in out


def test_a_run_for_programs(capsys: pytest.CaptureFixture[str], where: str):
    shown = as_json(capsys, "show", ID, where)
    assert [each["step"] for each in shown["facts"]] == ["hold", "note", "bad", "pay"]
    assert shown["undone"][1] == {"step": "lock", "outcome": "could not be taken back (unavailable)"}
    assert len(shown["receipts"]) == 8
    assert len(shown["calls"]) == 8


def exported(capsys: pytest.CaptureFixture[str], *argv: str) -> list[dict[str, Any]]:
    code, out, err = told(capsys, "export", *argv)
    assert (code, err) == (OK, "")
    assert out == "" or out.endswith("\n")
    return [json.loads(line) for line in out.splitlines()]


def test_receipts_have_the_published_form(capsys: pytest.CaptureFixture[str], where: str, tmp_path: Path):
    validator = Draft202012Validator(ReceiptLine.model_json_schema())
    lines = exported(capsys, where)
    redacted = exported(capsys, where, "--redact")
    assert len(lines) == len(redacted) == 9
    for line in [*lines, *redacted]:
        assert [error.message for error in validator.iter_errors(line)] == []
        ReceiptLine.model_validate(line)
    assert [line["step"] for line in lines] == ["s", "hold", "go", "note", "bad", "pay", "pay", "hold", "lock"]
    assert [line["run"] for line in exported(capsys, where, "old")] == ["old"]
    assert exported(capsys, where, "waits") == []


def test_a_redacted_export_tells_of_nobody(capsys: pytest.CaptureFixture[str], where: str, tmp_path: Path):
    salt = tmp_path / "salt"
    salt.write_bytes(b"0123456789abcdef")
    first = exported(capsys, where, "--redact", f"--salt={salt}")
    text = json.dumps(first)
    for word in ("anne", "north", "bob", "fine with me", "DE00", "d" * 64, "e" * 64):
        assert word not in text
    assert len({line["principal"] for line in first}) == 1
    assert first[2]["approval"].keys() == {"digest", "approved", "by"}
    assert first[1]["tool"] == "bank.hold"
    assert exported(capsys, where, "--redact", f"--salt={salt}") == first
    assert exported(capsys, where, "--redact") != first


def test_a_salt_must_be_a_secret(capsys: pytest.CaptureFixture[str], where: str, tmp_path: Path):
    (tmp_path / "salt").write_bytes(b"short")
    assert told(capsys, "export", where, "--redact", f"--salt={tmp_path / 'salt'}")[0] == USAGE
    assert told(capsys, "export", where, "--redact", f"--salt={tmp_path / 'none'}")[0] == USAGE
    assert told(capsys, "export", where, f"--salt={tmp_path / 'salt'}")[0] == USAGE


def test_what_still_holds_an_older_plan(capsys: pytest.CaptureFixture[str], where: str, tmp_path: Path):
    (tmp_path / "plan.json").write_text("{}")
    code, out, _ = told(capsys, "drain", where, f"--bundle={tmp_path}", "--format=json")
    assert code == FINDINGS
    held = json.loads(out)["held"]
    assert [(each["plan"][0], each.get("run"), each.get("handles")) for each in held] == [
        ("c", None, 1),
        ("f", "lone", None),
        ("f", "waits", None),
    ]
    assert all("until" in each for each in held)
    code, out, _ = told(capsys, "drain", where, f"--bundle={tmp_path}")
    assert code == FINDINGS
    assert len(out.splitlines()) == 4
    assert re.search(r"^cccccccccccc  1 handle +living +\d{4}-.*, in 59 m \d+ s$", out, re.MULTILINE)


def test_nothing_holds_the_newest_plan_back(capsys: pytest.CaptureFixture[str], where: str, tmp_path: Path):
    path = where.removeprefix("--store=sqlite:")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE runs SET instance = NULL, state = 'failed'")
        database.execute("UPDATE handles SET expires = 0")
    (tmp_path / "plan.json").write_text("{}")
    code, out, err = told(capsys, "drain", where, f"--bundle={tmp_path}")
    assert (code, out) == (OK, "")
    assert err.startswith("Nothing holds a plan other than the newest, 44136fa355b3")
    assert told(capsys, "drain", where, f"--bundle={tmp_path / 'none'}")[0] == USAGE


def test_old_runs_are_forgotten_when_their_owner_says_so(capsys: pytest.CaptureFixture[str], where: str):
    code, out, err = told(capsys, "forget", where, "--older", "41d")
    assert (code, out) == (OK, "")
    assert err.startswith("Removed 0 runs")
    assert told(capsys, "forget", where)[2].startswith("Removed 1 run that had ended before ")
    listed = as_json(capsys, "list", where)
    assert [each["run"] for each in listed["runs"]] == ["lone", "waits", ID]
    assert [(each["runs"], each["receipts"]) for each in listed["forgotten"]] == [(0, 0), (1, 1)]
    assert "removed 1 runs that had ended" in told(capsys, "list", where)[2]
    assert told(capsys, "forget", where, "--older=1h")[0] == OK
    assert [each["run"] for each in as_json(capsys, "list", where)["runs"]] == ["lone", "waits"]
    assert told(capsys, "forget", where, "--older=0s", "--interrupted")[2].startswith(
        "Removed 2 runs that had ended or"
    )
    assert as_json(capsys, "list", where)["runs"] == []
    for wrong in ("soon", "-3d"):
        assert told(capsys, "forget", where, f"--older={wrong}")[0] == USAGE


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["lst"], "Did you mean `chainc runs list`?"),
        (["list", "--state=parkd"], "Did you mean parked?"),
        (["list", "--limit=many"], "takes a whole number"),
        (["show", "nothing"], "there is no run `nothing`"),
        (["show", ""], "there are 4 runs whose id begins with ``"),
        (["list", "--server=a", "--limit=1"], "name one store each"),
    ],
)
def test_misuse(capsys: pytest.CaptureFixture[str], where: str, argv: list[str], said: str):
    code, out, err = told(capsys, *argv, *([where] if len(argv) > 1 else []))
    assert (code, out) == (USAGE, "")
    assert said in err


def test_without_a_store(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    for option, said in [
        (f"--store=sqlite:{tmp_path / 'none.db'}", "nothing was kept there yet"),
        ("--store=memory", "seen by its own process alone"),
        ("--store=paper", "There is no store".lower()),
        ("--server=acme", "nothing was kept there yet"),
    ]:
        code, _, err = told(capsys, "list", option)
        assert code == USAGE
        assert said in err
    assert "there is no project here" in told(capsys, "list")[2]
    assert list(tmp_path.iterdir()) == []


def test_the_store_of_a_server_and_of_a_project(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    state_file("acme").parent.mkdir(parents=True)
    fill(state_file("acme"))
    assert len(as_json(capsys, "list", "--server=acme")["runs"]) == 4
    manifest = '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\n[engine]\nkeep = "3650d"\n'
    (tmp_path / "chainc.toml").write_text(manifest)
    monkeypatch.chdir(tmp_path)
    assert "nothing was kept there yet" in told(capsys, "list")[2]
    fill(tmp_path / ".chainc" / "state.db")
    assert len(as_json(capsys, "list")["runs"]) == 4
    assert told(capsys, "forget")[2].startswith("Removed 0 runs")


def test_the_parts_have_help(capsys: pytest.CaptureFixture[str]):
    for part in ("list", "show", "export", "drain", "forget"):
        code, out, err = told(capsys, part, "--help")
        assert (code, err) == (OK, "")
        assert f"\nUsage: chainc runs {part}" in out
        assert all(len(line) <= 96 for line in out.splitlines())
    code, out, err = told(capsys)
    assert (code, out) == (USAGE, "")
    assert "Usage: chainc runs" in err


CHAIN = """
chain list_rows {{
  output handle<rows> = [{n}]
}}
kind rows = list<integer>
"""


def test_a_handle_holds_the_plan_of_its_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chainc.toml").write_text(
        '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["*.chain"]\n'
    )
    (tmp_path / "a.chain").write_text(CHAIN.format(n=1))
    assert main(["run", "list_rows"]) == OK
    capsys.readouterr()
    assert [each["chain"] for each in as_json(capsys, "list")["runs"]] == ["list_rows"]
    assert told(capsys, "drain")[0] == OK
    (tmp_path / "a.chain").write_text(CHAIN.format(n=2))
    code, out, _ = told(capsys, "drain")
    assert code == FINDINGS
    assert "1 handle" in out
    (tmp_path / "a.chain").write_text("chain list_rows {")
    code, out, err = told(capsys, "drain")
    assert (code, out) == (USAGE, "")
    assert "there is no plan to compare with" in err


def test_what_was_sent_when_the_server_ended_was_called():
    sent = receipt("r", "pay", tool="bank.pay", outcome="fault", fault="unknown_outcome", refused="side_effect")
    assert facts([sent]) == [Facts("pay", "yes", "yes, when the server ended; not again", "unknown")]
