"""The command line as a whole: commands, options, streams, exit codes, bugs."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from compiler.cli import entry, explain, main
from compiler.cli.arguments import Parser
from compiler.cli.exits import BUG, CLOSED, INTERRUPTED, OK, USAGE, Usage
from tests.compiler.cli.chainc import ROOT, chainc

COMMANDS = [name for name, _ in entry.COMMANDS]

# What the command line must not import until it is needed, with the commands that never need it.
HEAVY = {"mcp", "networkx", "jinja2", "jsonschema", "typer", "rich", "httpx2", "starlette", "anyio", "asyncio"}


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_help_is_a_result(capsys: pytest.CaptureFixture[str]):
    code, out, err = told(capsys, "--help")
    assert (code, err) == (OK, "")
    assert all(re.search(rf"^  {name} +\w", out, re.MULTILINE) for name in COMMANDS)
    assert told(capsys, "-h") == (code, out, err)


def test_without_a_command_the_help_is_on_stderr(capsys: pytest.CaptureFixture[str]):
    assert told(capsys) == (USAGE, "", entry.overview())


def test_version(capsys: pytest.CaptureFixture[str]):
    code, out, _ = told(capsys, "--version")
    assert code == OK
    assert re.fullmatch(r"chainc \S.*\n", out)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_a_help_text(capsys: pytest.CaptureFixture[str], name: str):
    code, out, err = told(capsys, name, "--help")
    assert (code, err) == (OK, "")
    assert f"\nUsage: chainc {name}" in out
    assert "\n  -C, --project DIR " in out
    assert "\nExamples:\n" in out
    assert all(len(line) <= 96 and line == line.rstrip() for line in out.splitlines())


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["chek"], "there is no command `chek`.", "Did you mean `chainc check`?"),
        (["xyzzy"], "there is no command `xyzzy`.", f"The commands are {', '.join(COMMANDS)}."),
        (["--colour", "check"], "chainc has no option --colour.", "`chainc --help` says what there is."),
        (["-C"], "-C needs a folder.", ""),
        (["-C", "nowhere", "check"], "there is no folder `nowhere`.", ""),
        (["check", "-C", "nowhere"], "there is no folder `nowhere`.", ""),
        (["check", "--strct"], "chainc check has no option --strct.", "Did you mean --strict?"),
        (["check", "--xyzzy=1"], "chainc check has no option --xyzzy.", "`chainc check --help` says what there is."),
        (["check", "--format"], "--format needs a value.", "`chainc check --help` says what there is."),
        (["check", "--format", "jsn"], "there is no format `jsn`.", "Did you mean json? There are text, json, github."),
        (["check", "no.chain"], "there is no file or folder `no.chain`.", ""),
        (["explain", "E0401", "E0402"], "chainc explain does not know what to do with `E0402`.", None),
        (["dump", "tree"], "chainc dump needs FILE.", "`chainc dump --help` says what there is."),
        (["dump", "tre", "a.chain"], "there is no stage `tre`.", None),
    ],
)
def test_wrong_usage_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv, message, hint
):
    monkeypatch.chdir(tmp_path)
    code, out, err = told(capsys, *argv)
    assert (code, out) == (USAGE, "")
    first, *rest = err.splitlines()
    assert first == f"chainc: {message}"
    if hint is not None:
        assert rest == ([f"  {hint}"] if hint else [])


def test_project_means_as_if_started_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.chain").write_text("chain a {", encoding="utf-8")
    for argv in (["-C", "sub", "dump", "tokens"], ["--project=sub", "dump", "tokens"], ["dump", "tokens", "-C", "sub"]):
        monkeypatch.chdir(tmp_path)
        code, out, _ = told(capsys, *argv, "a.chain")
        assert code == OK
        assert out.splitlines()[1].split() == ["1:7", "NAME", "'a'"]


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(options: object) -> int:
        raise error

    monkeypatch.setattr(explain, "run", run)


def test_a_bug_is_called_a_bug(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("CHAINC_TRACEBACK", raising=False)
    failing(monkeypatch, KeyError("x"))
    code, out, err = told(capsys, "explain")
    assert (code, out) == (BUG, "")
    (report,) = tmp_path.iterdir()
    assert err.splitlines()[0] == "chainc: this is a bug in chainc, not in your workflow."
    assert err.splitlines()[1].startswith("  KeyError: 'x' (compiler/cli/test_entry.py:")
    assert str(report) in err
    assert "Traceback" not in err
    assert "Traceback" in report.read_text(encoding="utf-8")


def test_the_traceback_of_a_bug_can_be_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("CHAINC_TRACEBACK", "1")
    failing(monkeypatch, KeyError("x"))
    code, _, err = told(capsys, "explain")
    assert code == BUG
    assert "\nTraceback (most recent call last):\n" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), INTERRUPTED), (BrokenPipeError(), CLOSED)])
def test_being_stopped_is_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
):
    failing(monkeypatch, error)
    assert told(capsys, "explain") == (code, "", "")


def test_nobody_reads_the_output():
    """`chainc explain | head -0`: no traceback, neither ours nor the interpreter's at its end."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as closed:
        run = subprocess.run(
            [sys.executable, "-m", "compiler.cli", "--help"],
            stdout=closed,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            timeout=60,
            check=False,
        )
    assert (run.returncode, run.stderr) == (CLOSED, b"")


def test_output_is_utf_8_in_any_locale(tmp_path: Path):
    (tmp_path / "a.chain").write_text('// ä\nchain a { let x = "日本👍" } @', encoding="utf-8")
    run = chainc("dump", "tokens", str(tmp_path / "a.chain"), LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert '"日本👍"' in run.stdout.decode()
    assert "// ä" not in run.stdout.decode()
    assert "Traceback" not in run.stderr.decode()


def imported(*argv: str, **environ: str) -> set[str]:
    """The top-level modules that a command imports."""
    program = f"import sys; from compiler.cli import main; main({list(argv)!r}); print(*sys.modules, file=sys.stderr)"
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        timeout=60,
        check=True,
    )
    return {name.split(".")[0] for name in run.stderr.decode().splitlines()[-1].split()}


@pytest.mark.parametrize("argv", [["--help"], ["check", "--help"], ["explain", "E0401"], ["--version"]])
def test_what_needs_no_library_imports_none(argv: list[str]):
    assert imported(*argv) & {*HEAVY, "pydantic", "lark"} == set()


def test_options_are_read_strictly():
    parser = Parser("chainc x", "About.")
    parser.option("--strict", action="store_true", help="more")
    assert parser.read(["--strict"]).strict is True
    with pytest.raises(Usage, match="has no option --str"):
        parser.read(["--str"])


def test_help_texts_are_laid_out():
    parser = Parser("chainc x", "About " + "it " * 50, [("chainc x a", "does a")])
    parser.operand("name", nargs="+", help="which")
    parser.option("--a-rather-long-option", metavar="VALUE", help="word " * 25)
    assert parser.format_help() == LAID_OUT


LAID_OUT = """\
About it it it it it it it it it it it it it it it it it it it it it it it it it it it it it it
it it it it it it it it it it it it it it it it it it it it

Usage: chainc x NAME… [OPTION…]

Arguments:
  NAME…                 which

Options:
  -h, --help            show this text and exit
  --a-rather-long-option VALUE
                        word word word word word word word word word word word word word word
                        word word word word word word word word word word word

Examples:
  chainc x a            does a
"""


@pytest.fixture
def page_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str, str], None]]:
    """Pages of our own, whatever the real ones are."""
    from dsl import codes

    monkeypatch.setattr(codes, "_FOLDER", str(tmp_path))
    codes.codes.cache_clear()
    codes.page.cache_clear()

    def write(code: str, text: str) -> None:
        (tmp_path / f"{code}.md").write_text(text, encoding="utf-8")

    yield write
    codes.codes.cache_clear()
    codes.page.cache_clear()


def test_explain_shows_a_page(capsys: pytest.CaptureFixture[str], page_of: Callable[[str, str], None]):
    page_of("E0408", "# E0408: this may be null\n\nText.\n")
    page_of("F0009", "# F0009: timeout\n")
    page_of("W0310", "# W0310: never used\n")
    assert told(capsys, "explain", "e0408") == (OK, "# E0408: this may be null\n\nText.\n", "")
    listed = "E0408  this may be null\nF0009  timeout\nW0310  never used\n"
    assert told(capsys, "explain") == (OK, listed, "")
    code, out, err = told(capsys, "explain", "E0409")
    assert (code, out) == (USAGE, "")
    assert err == "chainc: there is no code `E0409`.\n  Did you mean E0408? `chainc explain` lists them all.\n"
    assert told(capsys, "explain", "../x")[2].endswith("  `chainc explain` lists them all.\n")
    assert told(capsys, "explain", "Timeout")[1] == "# F0009: timeout\n"
