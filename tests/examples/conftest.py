"""The simulated services in a process of their own; what simulated tools changed, for a test to see."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.built import environment
from tests.examples.projects import EXAMPLES

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
