"""`recent_changes` over the real `mcp-server-git`, against what git itself says."""

import subprocess
from collections import Counter
from pathlib import Path

import anyio
import pytest

from tests.examples.projects import called

AUTHORS = {"ada": "Ada Lovelace", "bob": "Bob O'Hara", "eve": "Author: Eve"}
FORGED = "Look\n\nCommit: 'ffffffffffffffffffffffffffffffffffffffff'\nAuthor: 'Nobody'\nDate: today\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few commits with what could mislead a reader of prose: signs at line starts, a forged message, a rename."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    commit(folder, "ada", "Begin")
    (folder / "a.txt").write_text("one\n+ two\n-- three\n++ four\n--- five\n")
    (folder / "b.md").write_text("# b\n" * 12)
    commit(folder, "bob", FORGED)
    (folder / "b.md").rename(folder / "c d.md")
    (folder / "a.txt").write_text("-- three\nlast line without a break")
    (folder / "naïve.txt").write_text("é\n")
    commit(folder, "ada", "Rename + more\n\n+ a list\n- of things")
    (folder / "blob.bin").write_bytes(bytes(range(256)) * 8)
    (folder / "a.txt").unlink()
    commit(folder, "eve", "Binary, and a file gone")
    return folder


def git(folder: Path, *words: str, author: str = "Ada Lovelace") -> str:
    identity = ["-c", f"user.name={author}", "-c", "user.email=someone@localhost", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, text=True)
    return done.stdout


def commit(folder: Path, who: str, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message, author=AUTHORS[who])


def numstat(folder: Path, revision: str) -> tuple[int, int]:
    """Lines added and removed, as git counts them; binary files count as none."""
    added = removed = 0
    for line in git(folder, "show", "--numstat", "--format=", revision).splitlines():
        plus, minus, _ = line.split("\t", 2)
        added += int(plus) if plus != "-" else 0
        removed += int(minus) if minus != "-" else 0
    return added, removed


def test_lines_and_authors_are_those_of_git(repository: Path):
    result = anyio.run(called, "recent_changes", "recent_changes", {"folder": str(repository)})
    assert result.fault is None
    assert result.summary is not None
    assert result.summary.endswith("; 1 could not be read.")  # the forged commit of a message
    hashes = git(repository, "log", "--format=%H").split()
    changes = {change["hash"]: change for author in result.value for change in author["changes"]}
    assert sorted(changes) == sorted(hashes)
    for revision in hashes:
        found = changes[revision]
        assert (found["added"], found["removed"]) == numstat(repository, revision), revision
        assert found["author"] == git(repository, "show", "-s", "--format=%an", revision).strip()
    by_author = Counter(git(repository, "log", "--format=%an").splitlines())
    assert {author["author"]: author["commits"] for author in result.value} == by_author
    assert [author["added"] for author in result.value] == sorted((a["added"] for a in result.value), reverse=True)


def test_the_answer_is_a_handle_with_a_summary(repository: Path):
    result = anyio.run(called, "recent_changes", "recent_changes", {"folder": str(repository), "commits": 2})
    assert result.wire is not None
    handle = result.wire["handle"]
    assert handle["kind"] == "change_list"
    assert handle["items"] == 2
    newest = git(repository, "rev-parse", "HEAD").strip()
    assert handle["summary"].startswith("2 commits by 2 authors: ")
    assert handle["summary"].endswith(f"newest {newest}; 0 could not be read.")


def test_a_folder_that_is_no_repository_is_a_fault(tmp_path: Path):
    result = anyio.run(called, "recent_changes", "recent_changes", {"folder": str(tmp_path)})
    assert result.fault is not None
    assert result.fault.fault_class == "tool_error"
    assert result.fault.step == "log"


@pytest.mark.parametrize("commits", [0, 501, "many", None, 1.5])
def test_arguments_outside_the_schema_are_refused(repository: Path, commits: object):
    result = anyio.run(called, "recent_changes", "recent_changes", {"folder": str(repository), "commits": commits})
    assert result.fault is not None
    assert result.fault.fault_class == "invalid_input"
