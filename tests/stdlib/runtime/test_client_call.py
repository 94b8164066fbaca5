"""A client's call: whatever goes wrong is a fault."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.runtime.load import load_plan
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import run_chain
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.unusable import StoreUnusable

from .plans import chain, plan, ref, write

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Tools:
    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        raise AssertionError("nothing is called")


async def test_a_store_that_fails_before_the_run_begins(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    store = MemoryStore()

    async def full(*_: Any) -> str:
        raise StoreUnusable("The store secret.db is full.")

    monkeypatch.setattr(store.ledger, "request", full)
    one = chain("c", write("a", key="key"), output=ref("a"))
    result = await run_chain(load_plan(plan(one)), "c", {}, tools=Tools(), store=store)
    assert result.fault is not None
    assert result.fault.fault_class == "unavailable"
    assert "secret" not in str(result.fault.to_json())
    assert "secret" in caplog.text
