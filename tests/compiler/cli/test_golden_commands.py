"""Command lines and what they print. A case is a file of command lines, run one after another in a copy of the projects
that lie beside it; its output has stdout, stderr and exit code of each. Ids and times of handles are masked."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from compiler.cli import main
from tests import golden
from tests.servers import scripted

FOLDER = golden.GOLDEN / "cli"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the projects; nothing was agreed to yet."""
    for project in FOLDER.iterdir():
        if project.is_dir():
            shutil.copytree(project, tmp_path / "there" / project.name)
    shutil.copy(scripted.__file__, tmp_path / "there" / "scripted.py")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("FORCE_COLOR", "CHAINC_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "there"


@pytest.mark.parametrize("case", golden.cases(FOLDER, ".cmd"), ids=lambda case: case.stem)
def test_commands(
    case: Path, bless: bool, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    told = []
    for line in case.read_text(encoding="utf-8").splitlines():
        monkeypatch.chdir(place)
        code = main(shlex.split(line)[1:])
        captured = capfd.readouterr()
        told.append(f"$ {line}\n")
        told += [f"{name}:\n{text}" for name, text in (("stdout", captured.out), ("stderr", captured.err)) if text]
        told.append(f"exit code: {code}\n\n")
    text = re.sub(r"\bh_[0-9a-f]{32}\b", "h_ID", "".join(told))
    text = re.sub(r'(?<="expires": ")[^"]+', "LATER", text)
    assert str(place) not in text
    golden.check_output(golden.output_of(case, ".cmd"), text.rstrip("\n"), bless)


def test_every_case_has_its_output(bless: bool):
    golden.assert_no_orphans(FOLDER, ".cmd", bless=bless)
