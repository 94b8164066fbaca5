"""The golden harness itself: what it compares, what it rewrites and what it refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import golden

ROOT = Path(__file__).resolve().parents[1]


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")


def test_only_known_folders_hold_golden_files():
    present = {path.name for path in golden.GOLDEN.iterdir() if path.is_dir()} if golden.GOLDEN.is_dir() else set()
    assert present <= {*golden.STAGES, *golden.SAMPLES}


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("chain a {\n}\n", []),
        ("x\nstep y //~ E0401\n", [(2, "E0401")]),
        ("step y //~ E0402 E0401\n", [(1, "E0401"), (1, "E0402")]),
        ("step y\n  //~^ E0401\n", [(1, "E0401")]),
        ("one\ntwo\n//~^^ W0101\n", [(1, "W0101")]),
        ("step y // says ~ E0401\n", []),
        ("step y //~E0401", [(1, "E0401")]),
    ],
)
def test_marks_are_read(text: str, marks: list[tuple[int, str]]):
    assert golden.parse_marks(text) == marks


@pytest.mark.parametrize("text", ["step //~", "step //~ E04", "step //~ X0401", "step //~ E0401, E0402", "//~^ E0401"])
def test_a_mark_that_says_nothing_is_refused(text: str):
    with pytest.raises(ValueError, match="line 1"):
        golden.parse_marks(text)


def test_marks_and_reports_must_be_the_same_set():
    text = "a //~ E0401\nb //~ E0402\n"
    golden.check_marks(text, [(2, "E0402"), (1, "E0401"), (1, "E0401")])
    with pytest.raises(AssertionError, match="line 2: E0402 is marked but was not reported"):
        golden.check_marks(text, [(1, "E0401")])
    with pytest.raises(AssertionError, match="line 3: E0403 was reported but is not marked"):
        golden.check_marks(text, [(1, "E0401"), (2, "E0402"), (3, "E0403")])
    with pytest.raises(AssertionError, match="line 1: E0402 was reported"):
        golden.check_marks(text, [(1, "E0401"), (1, "E0402"), (2, "E0402")])


def test_cases_are_the_inputs_of_the_folder_alone(tmp_path: Path):
    write(tmp_path, b__chain="", a__chain="", a__out="", note__md="")
    (tmp_path / "parts").mkdir()
    write(tmp_path / "parts", c__chain="")
    assert [path.name for path in golden.cases(tmp_path, ".chain")] == ["a.chain", "b.chain"]
    assert golden.cases(tmp_path / "absent", ".chain") == []


def test_the_output_has_the_name_of_the_input(tmp_path: Path):
    assert golden.output_of(tmp_path / "a.chain", ".chain") == tmp_path / "a.out"
    assert golden.output_of(tmp_path / "a.b.old.chain", ".old.chain") == tmp_path / "a.b.out"


def test_equal_output_passes_and_different_output_fails(tmp_path: Path):
    write(tmp_path, a__out="one\ntwo\n")
    golden.check_output(tmp_path / "a.out", "one\ntwo", bless=False)
    with pytest.raises(AssertionError, match=r"(?s)-two.*\+three"):
        golden.check_output(tmp_path / "a.out", "one\nthree\n", bless=False)
    assert (tmp_path / "a.out").read_text() == "one\ntwo\n"


def test_line_ends_and_blanks_count(tmp_path: Path):
    (tmp_path / "a.out").write_bytes(b"one \r\n")
    for near in ("one \n", "one\r\n", "one \r\n\n"):
        with pytest.raises(AssertionError, match="output differs"):
            golden.check_output(tmp_path / "a.out", near, bless=False)


def test_missing_output_fails_and_bless_writes_it(tmp_path: Path):
    with pytest.raises(AssertionError, match=r"a\.out is missing"):
        golden.check_output(tmp_path / "a.out", "text", bless=False)
    golden.check_output(tmp_path / "a.out", "täxt", bless=True)
    assert (tmp_path / "a.out").read_bytes() == "täxt\n".encode()


def test_bless_rewrites_outputs_and_never_inputs(tmp_path: Path):
    write(tmp_path, a__chain="step //~ E0401", a__out="old\n")
    golden.check_output(tmp_path / "a.out", "new", bless=True)
    assert (tmp_path / "a.out").read_text() == "new\n"
    with pytest.raises(AssertionError, match=r"only \.out files"):
        golden.check_output(tmp_path / "a.chain", "new", bless=True)
    assert (tmp_path / "a.chain").read_text() == "step //~ E0401"


def test_orphans_are_found(tmp_path: Path):
    write(tmp_path, a__chain="", a__out="", a__json="")
    golden.assert_no_orphans(tmp_path, ".chain", beside=[".json"])
    with pytest.raises(AssertionError, match=r"a\.json: no test reads"):
        golden.assert_no_orphans(tmp_path, ".chain")
    write(tmp_path, b__out="")
    with pytest.raises(AssertionError, match=r"b\.out: its input b\.chain is missing"):
        golden.assert_no_orphans(tmp_path, ".chain", beside=[".json"], bless=True)
    (tmp_path / "b.out").unlink()
    write(tmp_path, c__chain="")
    with pytest.raises(AssertionError, match=r"c\.chain: its output c\.out is missing"):
        golden.assert_no_orphans(tmp_path, ".chain", beside=[".json"])
    golden.assert_no_orphans(tmp_path, ".chain", beside=[".json"], bless=True)


def test_several_files_become_one_text():
    assert golden.joined({"b/x.json": "{}", "a.md": "text\n"}) == "==> a.md <==\ntext\n\n==> b/x.json <==\n{}\n"


def test_ci_refuses_to_bless():
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--bless", "--collect-only", "tests/test_golden_harness.py"],
        cwd=ROOT,
        env={**os.environ, "CI": "true"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--bless is refused under CI" in run.stderr + run.stdout
