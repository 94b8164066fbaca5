"""Finds the corpus of real tool schemas, which is not part of the project; where it is absent, tests are skipped."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "corpus"


def corpus(name: str) -> Path:
    """A file of the corpus, below `CHAINC_CORPUS` or the folder beside the checkout. Skips the test if it is absent."""
    path = Path(os.environ.get("CHAINC_CORPUS") or _BESIDE) / name
    if not path.exists():
        pytest.skip(f"the corpus has no {name} here (CHAINC_CORPUS names its folder)")
    return path


def referee() -> Path:
    """The program that checks OpenAI's strict schemas independently of us, named by `CHAINC_REFEREE` or beside the
    corpus. Skips the test if it is absent."""
    path = Path(os.environ.get("CHAINC_REFEREE") or _BESIDE.parent / "tools" / "strict_check.py")
    if not path.is_file():
        pytest.skip("the referee of strict schemas is not here (CHAINC_REFEREE names its file)")
    return path


def load(name: str) -> Any:
    """The value of a JSON file of the corpus; for `.jsonl` the list of its lines' values."""
    text = corpus(name).read_text(encoding="utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return json.loads(text)
