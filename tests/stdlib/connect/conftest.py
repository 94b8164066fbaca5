"""What the tests of ways out share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stdlib.runtime.store import Store
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.sqlite import SqliteStore


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else SqliteStore.open(tmp_path / "store.db")
    yield made
    await made.close()
