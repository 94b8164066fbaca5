"""`chainc fmt` on files: what is written, and what stays."""

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from compiler.cli import main
from compiler.cli.exits import FINDINGS, OK, USAGE

LOOSE = b"let   a = 1"
NEAT = b"let a = 1\n"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_file_keeps_its_rights_and_its_links(there: Path):
    (there / "real.chain").write_bytes(LOOSE)
    (there / "real.chain").chmod(0o640)
    (there / "link.chain").symlink_to("real.chain")
    assert main(["fmt", "link.chain"]) == OK
    assert (there / "link.chain").is_symlink()
    assert (there / "real.chain").read_bytes() == NEAT
    assert stat.S_IMODE((there / "real.chain").stat().st_mode) == 0o640
    assert sorted(os.listdir(there)) == ["link.chain", "real.chain"]


def test_a_file_in_order_is_not_written(there: Path):
    (there / "a.chain").write_bytes(NEAT)
    os.utime(there / "a.chain", ns=(1, 1))
    assert main(["fmt"]) == OK
    assert (there / "a.chain").stat().st_mtime_ns == 1


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_nothing_is_written_when_only_asked(there: Path, option: str):
    (there / "a.chain").write_bytes(LOOSE)
    assert main(["fmt", option, "--fix"]) == (FINDINGS if option == "--check" else OK)
    assert (there / "a.chain").read_bytes() == LOOSE


def test_line_ends_and_a_bom(there: Path):
    (there / "a.chain").write_bytes(b"\xef\xbb\xbflet a = 1\r\n")
    assert main(["fmt"]) == OK
    assert (there / "a.chain").read_bytes() == NEAT


def test_files_are_taken_once_whatever_their_suffix(there: Path, capsys: pytest.CaptureFixture[str]):
    (there / "a.txt").write_bytes(LOOSE)
    (there / "a.chain").write_bytes(LOOSE)
    assert main(["fmt", "a.txt", "./a.chain", "."]) == OK
    assert capsys.readouterr() == ("a.txt\na.chain\n", "2 files formatted.\n")


def test_what_cannot_be_read_does_not_stop_the_others(there: Path, capsys: pytest.CaptureFixture[str]):
    (there / "a.chain").write_bytes(b"let a = \xff")
    (there / "b.chain").write_bytes(LOOSE)
    os.mkfifo(there / "c.chain")
    (there / "d.chain").symlink_to("nothing")
    assert main(["fmt"]) == FINDINGS
    out, err = capsys.readouterr()
    assert out == "b.chain\n"
    assert "`a.chain` is no text in UTF-8." in err
    assert "`c.chain` is no file." in err
    assert "`d.chain` is no file." in err
    assert err.endswith("1 file formatted, 3 files with mistakes.\n")


def test_what_was_made_is_left_alone_unless_it_is_named(there: Path, capsys: pytest.CaptureFixture[str]):
    for folder in ("dist", "build", ".venv", ".chainc", "chains"):
        (there / folder).mkdir()
        (there / folder / "a.chain").write_bytes(LOOSE)
    assert main(["fmt", "--check"]) == FINDINGS
    assert capsys.readouterr().out == "chains/a.chain\n"
    assert main(["fmt", "--check", "dist"]) == FINDINGS
    assert capsys.readouterr().out == "dist/a.chain\n"


def test_nothing_is_written_before_all_paths_are_known_to_be_there(there: Path):
    (there / "a.chain").write_bytes(LOOSE)
    assert main(["fmt", "a.chain", "nowhere"]) == USAGE
    assert (there / "a.chain").read_bytes() == LOOSE


def test_what_cannot_be_written_is_told(
    there: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def refuse(file: Path, text: str, *, mode: int) -> None:
        raise PermissionError(13, "Permission denied")

    (there / "a.chain").write_bytes(LOOSE)
    monkeypatch.setattr("compiler.sources.atomic.write_text", refuse)
    assert main(["fmt"]) == FINDINGS
    assert "`a.chain` cannot be written: permission denied." in capsys.readouterr().err
    assert (there / "a.chain").read_bytes() == LOOSE


@pytest.mark.parametrize(
    ("options", "content", "out", "code"),
    [
        ([], LOOSE, "let a = 1\n", OK),
        ([], b"let  a = ", "let  a = ", FINDINGS),
        (["--fix"], b"let  a = b && 'c';", 'let a = b and "c"\n', OK),
        (["--check"], LOOSE, "", FINDINGS),
        (["--check"], NEAT, "", OK),
        (["--diff"], NEAT, "", OK),
        (
            ["--diff", "--check"],
            LOOSE,
            "--- stdin\n+++ stdin\n@@ -1 +1 @@\n-let   a = 1\n\\ No newline at end of file\n+let a = 1\n",
            FINDINGS,
        ),
    ],
)
def test_from_stdin_to_stdout(
    options: list[str],
    content: bytes,
    out: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    typed(monkeypatch, content)
    assert main(["fmt", "-", *options]) == code
    assert capsys.readouterr().out == out


def test_stdin_that_is_no_text(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    typed(monkeypatch, b"\xff")
    assert main(["fmt", "-"]) == USAGE
    assert capsys.readouterr().err.startswith("chainc: what comes from stdin is no text in UTF-8.")


def test_a_diff_never_acts_on_a_terminal(
    there: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (there / "a.chain").write_bytes(b"let  a = 1 // \x1b[31m\n")
    assert main(["fmt", "--diff"]) == OK
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["fmt", "--diff"]) == OK
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "+let a = 1 // \u241b[31m\n" in out


def test_fixes_that_need_the_project(there: Path):
    (there / "chainc.toml").write_text(
        '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["*.chain"]\n'
    )
    text = 'chain c {\n  version "1.0"\n  input n: integer\n  output = n! && true\n}\n'
    (there / "a.chain").write_text(text)
    assert main(["fmt", "--fix"]) == OK
    assert (there / "a.chain").read_text() == text.replace('"1.0"', '"1.0.0"').replace("n! &&", "n and")
