"""What the suite of the stores shares. A further store: one line in `STORES`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from stdlib.runtime.store import Store
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.sqlite import SqliteStore

from .making import Clock

STORES: dict[str, Callable[[Path, Clock], Store]] = {
    "memory": lambda folder, clock: MemoryStore(clock),
    "sqlite": lambda folder, clock: SqliteStore.open(folder / "chains.db", clock),
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=STORES)
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, anyio_backend: str
) -> AsyncIterator[Store]:
    made = STORES[request.param](tmp_path, clock)
    yield made
    await made.close()
