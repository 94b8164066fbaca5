"""Large results: what is taken needs a bounded multiple of its size, what is refused next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.memory import STREAMED, WAYS

ROOT = Path(__file__).parents[2]


def measured(megabytes: int, *options: str) -> dict[str, Any]:
    """In a process of its own, whose peak nothing else has raised."""
    command = [sys.executable, "-m", "tests.faults.memory", "--megabytes", str(megabytes), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_fifty_megabytes_end_under_a_handle(way: str):
    found = measured(50, "--way", way)
    assert found["ended"] == "ok"
    assert found["kept"] == (50 << 20) + 2
    assert found["factor"] <= 8, found


@pytest.mark.parametrize("way", WAYS)
def test_what_is_too_large_is_refused_before_it_is_held(way: str):
    found = measured(25, "--way", way, "--limit", "1")
    assert (found["ended"], found["kept"]) == ("result_too_large", 0)
    assert found["growth"] <= 15, found


def test_what_goes_into_the_store_as_it_comes_is_never_held():
    found = measured(50, "--way", STREAMED, "--store", "sqlite")
    assert (found["ended"], found["kept"]) == ("ok", (50 << 20) + 13)
    assert found["growth"] <= 15, found
