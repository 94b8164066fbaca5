"""`repository_report` over the real `mcp-server-git` and the `du` of this machine."""

import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.runtime.run import Result
from tests.examples.conftest import Changes
from tests.examples.projects import called

AUTHORS = ["Ada Lovelace", "Bob O'Hara", "Ada Lovelace"]


def git(folder: Path, *words: str, author: str = "Nobody") -> str:
    identity = ["-c", f"user.name={author}", "-c", "user.email=someone@localhost", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, text=True
    ).stdout


def repository(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for author in AUTHORS:
        git(folder, "commit", "-q", "--allow-empty", "-m", "Work", author=author)
    (folder / "large.bin").write_bytes(bytes(300_000))
    return folder


def report(folder: Path, **more: Any) -> Result:
    return anyio.run(called, "repository_report", "repository_report", {"folder": str(folder), **more})


def test_who_changed_it_how_large_it_is_and_its_ticket(tmp_path: Path, changes: Changes):
    folder = repository(tmp_path / "work")
    result = report(folder)
    assert result.fault is None
    newest, middle, oldest = git(folder, "log", "--format=%H").split()
    assert result.value == [
        {"author": "Ada Lovelace", "commits": 2, "hashes": [newest, oldest]},
        {"author": "Bob O'Hara", "commits": 1, "hashes": [middle]},
    ]
    kilobytes = subprocess.run(["du", "-sk", "--", str(folder)], check=True, capture_output=True, text=True).stdout
    size = kilobytes.split()[0]
    assert int(size) >= 290
    assert result.summary == f"3 commits by 2 authors; {size} KB; ticket OLD-77: Clean up the & history."
    (asked,) = changes("legacy.")
    assert asked == {"what": "legacy.find-ticket", "repo": str(folder), "request_id": result.run}


def test_only_as_many_commits_as_asked_for(tmp_path: Path):
    result = report(repository(tmp_path / "work"), commits=1)
    assert [author["commits"] for author in result.value] == [1]


@pytest.mark.parametrize("name", ["untracked", "-begins with a dash"])
def test_a_folder_without_a_ticket_or_with_an_odd_name(tmp_path: Path, name: str):
    result = report(repository(tmp_path / name))
    assert result.fault is None
    assert result.summary is not None
    assert result.summary.endswith("ticket none." if name == "untracked" else "ticket OLD-77: Clean up the & history.")


def test_a_folder_that_does_not_exist(tmp_path: Path):
    result = report(tmp_path / "nowhere")
    assert result.fault is not None
    assert result.fault.fault_class == "tool_error"
    assert result.fault.step in ("log", "size")
