"""How a server ends that breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.runtime.store.sqlite import SqliteStore
from stdlib.runtime.store.unusable import StoreUnusable
from stdlib.serve.engine import Engine
from stdlib.serve.options import read_options
from stdlib.serve.start import _serve, read_catalogue

from .bundles import write_bundle

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_transport_that_breaks_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cancelled: bool
):
    (tmp_path / "bundle").mkdir()
    folder, close = write_bundle(tmp_path / "bundle"), Engine.close
    closed: list[Any] = []
    store = SqliteStore.open(tmp_path / "state.db")

    async def noted(engine: Engine) -> None:
        closed.append(engine)
        await close(engine)

    async def breaks(*_: Any) -> None:
        if cancelled:
            scope.cancel()
            await anyio.sleep_forever()
        raise LookupError

    monkeypatch.setattr(Engine, "close", noted)
    with anyio.CancelScope() as scope:
        try:
            await _serve(folder, read_catalogue(folder), read_options([]), store, None, breaks)
        except* LookupError:
            closed.append("broken")
    assert scope.cancelled_caught is cancelled
    assert len(closed) == (1 if cancelled else 2)
    with pytest.raises(StoreUnusable, match="closed"):
        await store.journal.runs()
