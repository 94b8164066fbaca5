"""Opening a store by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.open import open_store
from stdlib.runtime.store.sqlite import SqliteStore
from stdlib.runtime.store.unusable import StoreUnusable

ROOT = Path(__file__).resolve().parents[4]


def test_by_name(tmp_path: Path):
    assert isinstance(open_store("memory"), MemoryStore)
    store = open_store(f"sqlite:{tmp_path / 'a:b.db'}")
    assert isinstance(store, SqliteStore)
    assert (tmp_path / "a:b.db").exists()
    anyio.run(store.close)


def test_no_folder_is_made(tmp_path: Path):
    with pytest.raises(StoreUnusable, match=r"there is no folder .*new\. Make it, or name another file"):
        open_store(f"sqlite:{tmp_path / 'new' / 'a.db'}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", ["", "sqlite", "sqlite:", "redis:x", "memory:x", "chains.db"])
def test_other_names_are_refused(where: str):
    with pytest.raises(StoreUnusable, match="Write `memory`, or `sqlite:`"):
        open_store(where)


def test_who_stays_in_memory_loads_no_database():
    code = (
        "import sys; from stdlib.runtime.store.open import open_store; open_store('memory');"
        " print('sqlite3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
