"""Where programs may start."""

from __future__ import annotations

from pathlib import Path

import pytest

from stdlib.connect.ground import Ground
from stdlib.runtime.fault import Fault, RunFault


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A project with a folder, beside it one that is lent to it and another one, with links to all of them."""
    for each in ("project/inside", "lent/deep", "other"):
        (tmp_path / each).mkdir(parents=True)
    project = tmp_path / "project"
    (project / "file").write_text("")
    for name, to in {"in": "inside", "out": "../other", "far": "../lent/deep", "loop": "loop"}.items():
        (project / name).symlink_to(to)
    (tmp_path / "door").symlink_to("project")
    return tmp_path


def refused(ground: Ground, cwd: str) -> Fault:
    with pytest.raises(RunFault) as found:
        ground.folder("x", cwd)
    assert found.value.fault.sent is False
    return found.value.fault


def test_in_the_project_and_in_allowed_folders(folders):
    project = folders / "project"
    ground = Ground(project, ("../lent",))
    for cwd, folder in {
        ".": project,
        "inside": project / "inside",
        "in": project / "inside",
        "inside/..": project,
        str(project / "inside"): project / "inside",
        "../lent": folders / "lent",
        "far": folders / "lent/deep",
        str(folders / "door/inside"): project / "inside",
    }.items():
        assert ground.folder("x", cwd) == str(folder), cwd
    assert Ground(folders / "door").folder("x", str(project / "inside")) == str(project / "inside")
    assert ground.folder("x", None) is None


@pytest.mark.parametrize(
    "cwd", ["/", "..", "../other", "out", "inside/../../other", "../lent/../other", "../projects", "out/gone", "a\0b"]
)
def test_nowhere_else(folders, cwd):
    assert refused(Ground(folders / "project", ("../lent",)), cwd).fault_class == "denied"


def test_where_we_are_unless_it_is_said(folders, monkeypatch):
    monkeypatch.chdir(folders / "project")
    assert Ground().folder("x", "inside") == str(folders / "project/inside")
    assert Ground(roots=("../lent",)).folder("x", "../lent") == str(folders / "lent")
    assert refused(Ground(), str(folders)).fault_class == "denied"


@pytest.mark.parametrize("cwd", ["gone", "inside/gone", "file", "loop"])
def test_a_folder_that_is_not_there(folders, cwd):
    fault = refused(Ground(folders / "project"), cwd)
    assert (fault.fault_class, fault.retryable) == ("unavailable", False)
    assert fault.message == f"The program of `x` cannot be started in `{cwd}`: there is no such folder."


def test_a_folder_that_has_become_a_link(folders):
    ground = Ground(folders / "project")
    assert ground.folder("x", "inside") == str(folders / "project/inside")
    (folders / "project/inside").rmdir()
    (folders / "project/inside").symlink_to(folders / "other")
    fault = refused(ground, "inside")
    assert fault.fault_class == "denied"
    assert fault.message == "The program of `x` is not started in `inside`, which lies in no allowed folder."
    assert fault.next == "Add the folder to `roots` of `[allow]` if programs may start there."
