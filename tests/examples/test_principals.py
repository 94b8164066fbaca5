"""A project served over HTTP to several people: its scopes decide what each of them sees."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
SCOPES = ["shop:orders.read", "shop:refunds.write", "mail:send"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    digests = {name: hashlib.sha256(f"token of {name}".encode()).hexdigest() for name in ("clerk", "guest")}
    (tmp_path / "who.toml").write_text(
        f'[[principal]]\nid = "clerk"\nscopes = {SCOPES}\ntoken_sha256 = "{digests["clerk"]}"\n'
        f'[[principal]]\nid = "guest"\nscopes = {SCOPES[:2]}\ntoken_sha256 = "{digests["guest"]}"\n'
    )
    argv = [
        "serve",
        "-C",
        "examples/refund_order",
        "--trust",
        "--http",
        "0",
        "--principals",
        str(tmp_path / "who.toml"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SHOP_TOKEN": "x", "XDG_STATE_HOME": str(tmp_path / "state")}
    process = subprocess.Popen(
        [sys.executable, "-m", "compiler.cli", *argv], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    told = ""
    for line in process.stderr:
        told += line
        if line.startswith("serving on "):
            break
    else:
        pytest.fail(told)
    yield line.split()[-1]
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_refund_is_there_for_who_may_make_one(url: str, era: str):
    seen = {}
    for name in ("clerk", "guest"):
        headers = {"Authorization": f"Bearer token of {name}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http), mode=era) as client,
        ):
            seen[name] = {tool.name for tool in (await client.list_tools()).tools}
    assert "refund_order" in seen["clerk"]
    assert "refund_order" not in seen["guest"]
    assert "resume_run" in seen["clerk"] - seen["guest"]
