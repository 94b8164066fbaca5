"""Chains with handles from the command line: values put under them, and those that are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiler.cli import main
from compiler.cli.exits import FINDINGS, OK, USAGE

MANIFEST = '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["*.chain"]\n'
CHAINS = r"""
import sh from command "sh" {
  tool blank takes {} returns handle<image> { effects read_only  run ["-c", "printf '\\377\\000'"] }
  tool text takes {} returns handle<page> { effects read_only  run ["-c", "printf 'a\"b'"] }
  tool table takes {} returns handle<rows> { effects read_only  run ["-c", "printf '[{\"id\": 1}]'"] }
  tool wrong takes {} returns handle<rows> { effects read_only  run ["-c", "printf '[{\"id\": \"x\"}]'"] }
}
type Row = { id: integer, note: string? }
kind rows = list<Row>
kind page = string
kind image = bytes

chain make {
  input given: list<Row>
  output handle<rows> = given { summary "${count(given)} rows" }
}
chain total { input table: handle<rows>  output integer = sum([row.id for row in table]) }
chain same { input text: handle<page>?  output string? = text }
chain told_blank { step a = sh.blank()  output handle<image> = a { summary "s" } }
chain told_text { step a = sh.text()  output handle<page> = a { summary "s" } }
chain told_table { step a = sh.table()  output handle<rows> = a { summary "s" } }
chain told_wrong { step a = sh.wrong()  output handle<rows> = a { summary "s" } }
chain raw { input picture: handle<image>  output bytes = picture }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "chainc.toml").write_text(MANIFEST)
    (tmp_path / "a.chain").write_text(CHAINS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["run", *argv])
    told = capsys.readouterr()
    return code, told.out.strip(), told.err


def test_a_value_is_put_under_a_handle(project: Path, capsys: pytest.CaptureFixture[str]):
    rows = '[{"id": 2}, {"id": 3, "note": "n"}]'
    (project / "rows.json").write_text(rows)
    (project / "all.json").write_text(f'{{"table": {rows}}}')
    assert run(capsys, "total", "--arg", f"table={rows}")[:2] == (OK, "5")
    assert run(capsys, "total", "--arg", "table=@rows.json")[:2] == (OK, "5")
    assert run(capsys, "total", "--json", "all.json", "--store", "memory")[:2] == (OK, "5")
    (project / "page.txt").write_text("Grüße\n", encoding="utf-8")
    assert run(capsys, "same", "--arg", "text=@page.txt")[:2] == (OK, '"Grüße\\n"')
    assert run(capsys, "same", "--arg", "text=42")[:2] == (OK, '"42"')
    assert run(capsys, "same")[:2] == (OK, "null")
    (project / "image").write_bytes(b"\xff\x00")
    assert run(capsys, "raw", "--arg", "picture=@image")[:2] == (OK, '"/wA="')


def test_the_handle_of_a_result_is_told_and_taken(project: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "make", "--arg", 'given=[{"id": 2, "note": null}]')
    assert (code, json.loads(out)) == (OK, [{"id": 2, "note": None}])
    handle = json.loads(err.splitlines()[-1])["handle"]
    assert handle.keys() == {"id", "kind", "summary", "bytes", "items", "expires"}
    assert (handle["kind"], handle["summary"], handle["items"]) == ("rows", "1 rows", 1)
    assert run(capsys, "total", "--arg", f"table={handle['id']}")[:2] == (OK, "2")
    code, _, err = run(capsys, "same", "--arg", f"text={handle['id']}")
    assert code == FINDINGS
    assert "is a handle of kind rows, not page" in err
    assert '"handle"' not in run(capsys, "make", "--arg", "given=[]", "--store", "memory")[2]


def test_what_does_not_fit_is_told_before_anything_is_kept(project: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "total", "--arg", 'table=[{"id": "x"}]')
    assert (code, out) == (FINDINGS, "")
    assert "invalid_input: The value of `table` is none of the kind rows: `[0].id` is string, not integer" in err
    assert run(capsys, "total", "--arg", "table=[1")[0] == USAGE
    assert "`none.json` cannot be read" in run(capsys, "total", "--arg", "table=@none.json")[2]
    assert "handle_denied" in run(capsys, "total", "--arg", f"table=h_{'0' * 32}")[2]


def test_what_is_missing_or_unknown_is_wrong_usage(project: Path, capsys: pytest.CaptureFixture[str]):
    (project / "wrong.json").write_text('{"tabel": []}')
    code, _, err = run(capsys, "total")
    assert (code, err) == (USAGE, "chainc: `total` needs the input `table`.\n  Add --arg table=…\n")
    code, _, err = run(capsys, "total", "--json", "wrong.json")
    assert (code, err) == (USAGE, "chainc: `total` has no input `tabel`.\n  Did you mean `table`?\n")


def test_a_dry_run_keeps_nothing(project: Path, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, "total", "--arg", 'table=[{"id": 1}]', "--dry-run")[0] == OK
    assert run(capsys, "total", "--arg", 'table=["x"]', "--dry-run")[0] == FINDINGS
    assert not (project / ".chainc").exists()


@pytest.mark.parametrize(
    ("chain", "value"), [("told_blank", "/wA="), ("told_text", 'a"b'), ("told_table", [{"id": 1, "note": None}])]
)
def test_the_value_is_told_of_a_handle_that_a_tool_returned(
    project: Path, capsys: pytest.CaptureFixture[str], chain: str, value: object
):
    code, out, err = run(capsys, chain, "--trust")
    assert (code, json.loads(out)) == (OK, value)
    assert json.loads(err.splitlines()[-1])["handle"]["summary"] == "s"
    assert json.loads(run(capsys, chain, "--trust", "--store", "memory")[1]) == value


def test_a_stored_value_that_is_none_of_its_kind_is_a_fault(project: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "told_wrong", "--trust")
    assert (code, out) == (FINDINGS, "")
    assert "shape_mismatch: What `h_" in err


def test_a_value_too_large_for_memory_stays_under_its_handle(project: Path, capsys: pytest.CaptureFixture[str]):
    (project / "chainc.toml").write_text(f'{MANIFEST}\n[server]\nresult_limit = "1B"\n')
    code, out, _ = run(capsys, "told_blank", "--trust")
    assert (code, json.loads(out)["handle"]["bytes"]) == (OK, 2)
