"""Standard streams that are closed or full, and a folder that is gone."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiler.cli.chainc import ROOT

MANIFEST = '[project]\nname = "x"\nversion = "0.1.0"\nlanguage = "1"\nchains = ["*.chain"]\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "chainc.toml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "one.chain").write_text("chain one { output = 1 }\n", encoding="utf-8")
    return tmp_path


def shell(command: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; `$chainc` is the command."""
    script = f'chainc() {{ PYTHONPATH="{ROOT}" "{sys.executable}" -m compiler.cli "$@"; }}; {command}'
    run = subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, timeout=60, check=False)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def test_closed_streams_are_as_if_nobody_reads(project: Path):
    assert shell("chainc check >&-", project) == (0, "", "No findings.\n")
    assert shell("chainc check 2>&-", project) == (0, "", "")
    assert shell("chainc sync <&-", project) == (0, "", "The manifest names no sources.\n")
    assert shell("chainc run one 0<&- 2>&-", project) == (0, "1\n", "")
    assert shell("chainc explain E0001 >&- 2>&- <&-", project) == (0, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_result_that_cannot_be_written_is_said(project: Path):
    told = "chainc: the result cannot be written: no space left on device.\n"
    assert shell("chainc explain E0001 >/dev/full", project) == (2, "", told)
    assert shell("chainc --help >/dev/full", project) == (2, "", told)
    assert shell("chainc check 2>/dev/full", project) == (0, "", "")


def test_a_folder_that_is_gone_is_said(project: Path):
    command = "mkdir gone; cd gone; rmdir ../gone; chainc check"
    told = "chainc: the folder that you are in is not there any more.\n  Go to one that is.\n"
    assert shell(command, project) == (2, "", told)


def test_a_result_beyond_a_limit_is_a_fault_not_null(project: Path):
    (project / "many.chain").write_text("chain many { input n: integer output = count(range(n)) }\n", encoding="utf-8")
    code, out, err = shell("chainc run many --arg n=1000001", project)
    assert (code, out) == (1, "")
    assert "result_too_large" in err


def test_a_value_too_large_for_an_answer_is_printed(project: Path):
    (project / "long.chain").write_text("chain long { output = range(9000) }\n", encoding="utf-8")
    code, out, err = shell("chainc run long", project)
    assert (code, err) == (0, "")
    assert len(out.replace("\n", "").split(",")) == 9000


def test_a_file_whose_name_is_no_utf_8_is_refused(project: Path):
    try:
        (project / "\udcff.chain").write_text("chain two { output = 1 }\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system has no such names")
    code, _, err = shell("chainc build", project)
    assert code == 1
    assert err.splitlines()[0] == r"error[E0215]: The name of `\udcff.chain` is no UTF-8."
