"""What the simulated tools of the examples changed, for a test to see."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
