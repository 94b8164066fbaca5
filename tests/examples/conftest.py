"""The simulated services in a process of their own; what simulated tools changed, for a test to see."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.built import environment
from tests.examples.projects import EXAMPLES
from tests.servers.packages import program

Changes = Callable[[str], list[dict[str, Any]]]
"""What was changed since the test began by tools whose names begin so, in order: `changes("shop.")`."""


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where simulated tools that are started from now on write what they change."""
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    path.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIMULATED_JOURNAL", str(path))
        patch.setenv("SHOP_TOKEN", "token-of-a-test")
        yield path


@pytest.fixture
def changes(journal: Path) -> Changes:
    before = journal.stat().st_size

    def read(prefix: str) -> list[dict[str, Any]]:
        lines = journal.read_bytes()[before:].splitlines()
        return [entry for entry in map(json.loads, lines) if entry["what"].startswith(prefix)]

    return read


@pytest.fixture(scope="session")
def services() -> Iterator[str]:
    """The simulated services in a process of their own, as one starts them by hand."""
    program = [sys.executable, str(EXAMPLES / "simulated" / "services.py"), "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=environment()) as started:
        assert started.stdout is not None
        yield started.stdout.readline().strip()
        started.terminate()


def graph_in(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """Where the graph of `note_graph` is kept; the programs of npm are found by name. Skips where npm is absent."""
    programs = Path(program("mcp-server-memory")).parent
    patch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))
    patch.setenv("MEMORY_FILE_PATH", str(folder / "memory.jsonl"))
    return folder / "memory.jsonl"


@pytest.fixture
def graph_file(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A graph that is not there yet."""
    return graph_in(tmp_path_factory.mktemp("graph"), monkeypatch)
