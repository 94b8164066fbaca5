"""What functions raised in a run, told at its end."""

from __future__ import annotations

import logging

import pytest

from compiler.cli.tracebacks import tracebacks
from stdlib.connect.raised import LOGGER, log_raised


def test_five_different_ones_are_told_and_only_those_kept(capsys: pytest.CaptureFixture[str], monkeypatch):
    monkeypatch.delenv("CHAINC_TRACEBACK", raising=False)
    with tracebacks():
        for number in [*range(8), 0, 4]:
            log_raised("a call of `m.f` failed", ValueError(f"no. {number}, {'much ' * 2000}"))
        (kept,) = logging.getLogger(LOGGER).handlers
        assert sum(len(text) for text in vars(kept)["_found"]) < 5 * 4100
        assert capsys.readouterr().err == ""
    told = capsys.readouterr().err
    assert [f"no. {number}, " in told for number in range(8)] == [True] * 5 + [False] * 3
    assert told.count("a call of `m.f` failed") == 5
    assert told.endswith("\n3 more calls failed in other ways.\n")
