"""`chainc serve`: what it hands on to the server."""

import json
import os
import shutil
from pathlib import Path

import pytest

from compiler.cli import main
from compiler.cli.exits import OK, USAGE
from stdlib.serve.options import read_options

NOTES = Path(__file__).resolve().parents[2] / "golden" / "cli" / "notes"


@pytest.fixture
def handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    shutil.copytree(NOTES, tmp_path / "notes")
    monkeypatch.chdir(tmp_path)
    served: list[list[str]] = []

    def serve(argv: list[str], folder: Path) -> int:
        served.append(argv)
        return OK

    monkeypatch.setattr("stdlib.serve.main", serve)
    return served


def test_who_may_call_is_read_from_where_the_command_was_given(tmp_path: Path, handed_on: list[list[str]]):
    (tmp_path / "notes" / "deeper").mkdir()
    there = str(tmp_path / "notes" / "deeper")
    who = f'[[principal]]\nid = "ann"\ntoken_sha256 = "{"0" * 64}"\n'
    (tmp_path / "notes" / "deeper" / "who.toml").write_text(who, "utf-8")
    argv = ["--http", "0", "--principals", "who.toml", "--host", "::1", "--resource", "https://t.example/mcp"]
    assert main(["serve", "-C", there, "--trust", *argv, "--issuer", "https://login.example"]) == OK
    options = read_options(handed_on[0])
    assert options.principals == os.path.join(there, "who.toml")
    assert (options.host, options.resource, options.issuer) == ("::1", "https://t.example/mcp", "https://login.example")


def test_the_manifest_says_above_how_many_tools_they_are_found(tmp_path: Path, handed_on: list[list[str]]):
    manifest = tmp_path / "notes" / "chainc.toml"
    manifest.write_text(manifest.read_text("utf-8") + "\n[server]\ndiscovery_above = 12\n", "utf-8")
    for argv in ([], ["--discovery-above", "3"]):
        assert main(["serve", "-C", str(tmp_path / "notes"), "--trust", *argv]) == OK
    assert [read_options(argv).discovery_above for argv in handed_on] == [12, 3]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ("--trust --discovery-above x", "--discovery-above: `x` is no whole number."),
        ("--discovery-above 0", "--discovery-above wants a number from 1."),
        ("--host 0.0.0.0", "--host is for --http."),
        ("--http 0 --principals nofile", "nofile cannot be read: No such file or directory."),
        ("--store disk", "There is no store `disk`. Write `memory`, or `sqlite:` and the path of a file."),
    ],
)
def test_wrong_options_are_told_before_anything_else(
    argv: str,
    told: str,
    tmp_path: Path,
    handed_on: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
):
    there = str(tmp_path / "notes")
    monkeypatch.setattr("compiler.cli.servers.agree", lambda *_: pytest.fail("nobody is asked"))
    assert main(["serve", "-C", there, *argv.split()]) == USAGE
    assert capsys.readouterr().err == f"chainc: {told}\n  `chainc serve --help` says what there is.\n"
    assert main(["serve", "-C", there, "--log-format", "json", *argv.split()]) == USAGE
    assert json.loads(capsys.readouterr().err)["message"].startswith(told)
    assert handed_on == []


def test_a_new_token_needs_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--new-token"])
    assert ended.value.code == 0
    assert "token_sha256" in capsys.readouterr().out
