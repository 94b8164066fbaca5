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
"""What was changed so far by tools whose names begin so, in order: `changes("shop.")`."""


@pytest.fixture
def changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Changes:
    journal = tmp_path / "journal.jsonl"
    monkeypatch.setenv("SIMULATED_JOURNAL", str(journal))
    monkeypatch.setenv("SHOP_TOKEN", "token-of-a-test")

    def read(prefix: str) -> list[dict[str, Any]]:
        lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
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
