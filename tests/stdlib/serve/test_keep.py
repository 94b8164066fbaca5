"""Where a server keeps what outlives a run, where nobody says another place."""

from __future__ import annotations

import stat
from pathlib import Path

import anyio
import pytest

from stdlib.runtime.store.unusable import StoreUnusable
from stdlib.serve.keep import state_file, store_for


def test_the_usual_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "state"))
    store = store_for(None, "notes")
    anyio.run(store.close)
    assert store.is_lasting
    file = state_file("notes")
    assert file.is_file()
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_no_other_folder_is_made(tmp_path: Path):
    with pytest.raises(StoreUnusable, match="there is no folder"):
        store_for(f"sqlite:{tmp_path / 'slip' / 'x.db'}", "notes")
    assert not (tmp_path / "slip").exists()
