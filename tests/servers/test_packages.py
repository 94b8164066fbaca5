"""What becomes of a test whose server cannot be fetched from npm."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.servers import packages
from tests.servers.packages import Missing, install, program


def npm(folder: Path, *says: str, code: int = 1) -> str:
    """A program that fails as npm does."""
    made = folder / "npm"
    made.write_text("\n".join(("#!/bin/sh", *(f"echo '{line}' >&2" for line in says), f"exit {code}\n")))
    made.chmod(0o755)
    return str(made)


@pytest.mark.parametrize(
    ("code", "reason"),
    [("ENOTFOUND", "getaddrinfo ENOTFOUND registry.invalid"), ("EAI_AGAIN", "getaddrinfo EAI_AGAIN registry.invalid")],
)
@pytest.mark.parametrize("word", ["error", "ERR!"])
def test_without_a_network_it_is_skipped(tmp_path: Path, word: str, code: str, reason: str):
    """npm of today says `error`, npm of before `ERR!`."""
    says = (f"npm {word} code {code}", f"npm {word} network request to http://r.invalid/zod failed, reason: {reason}")
    found = install(npm(tmp_path, *says), tmp_path / "cache" / "ready")
    assert found == Missing(f"npm cannot reach its registry, {code}: {reason}", is_excused=True)


@pytest.mark.parametrize("code", ["E404", "E401", "EINTEGRITY", "ETIMEDOUT", "ENOSPC", "EUSAGE"])
def test_any_other_trouble_fails_it(tmp_path: Path, code: str):
    """Also where the text speaks of a network."""
    found = install(
        npm(tmp_path, f"npm error code {code}", "npm error network ENOTFOUND"), tmp_path / "cache" / "ready"
    )
    assert found == Missing(
        f"npm cannot fetch the packages: npm error code {code}\nnpm error network ENOTFOUND", is_excused=False
    )
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_was_fetched_is_put_where_it_belongs(tmp_path: Path):
    ready = tmp_path / "cache" / "ready"
    assert install(npm(tmp_path, code=0), ready) == ready
    assert sorted(each.name for each in ready.iterdir()) == ["package-lock.json", "package.json"]


@pytest.mark.parametrize(
    ("missing", "outcome"),
    [(Missing("no network", is_excused=True), "Skipped"), (Missing("E404", is_excused=False), "Failed")],
)
def test_how_a_test_ends(monkeypatch: pytest.MonkeyPatch, missing: Missing, outcome: str):
    monkeypatch.setattr(packages, "_installed", lambda: missing)
    with pytest.raises((pytest.skip.Exception, pytest.fail.Exception), match=missing.why) as found:
        program("mcp-server-memory")
    assert type(found.value).__name__ == outcome


@pytest.mark.parametrize("absent", ["npm", "node"])
def test_without_npm_it_is_skipped(monkeypatch: pytest.MonkeyPatch, absent: str):
    monkeypatch.setattr(shutil, "which", lambda name: None if name == absent else f"/usr/bin/{name}")
    assert packages._installed.__wrapped__() == Missing(f"{absent} is not installed", is_excused=True)
