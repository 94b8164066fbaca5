"""The watch itself: what is left behind is found."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.faults import left

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only this system tells of processes and files"),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def a_task(_: Path) -> AsyncIterator[None]:
    task = asyncio.get_running_loop().create_task(asyncio.sleep(60))
    yield
    task.cancel()


@asynccontextmanager
async def a_zombie(_: Path) -> AsyncIterator[None]:
    process = subprocess.Popen([sys.executable, "-c", ""])
    yield
    process.wait()


@asynccontextmanager
async def a_file(folder: Path) -> AsyncIterator[None]:
    with open(folder / "open", "w"):
        yield


@pytest.mark.parametrize(("leaves", "named"), [(a_task, "tasks"), (a_zombie, "children"), (a_file, "files")])
async def test_what_is_left_is_found(leaves, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(left, "SETTLES", 0.1)
    watch = left.nothing_left()
    await watch.__aenter__()
    async with leaves(tmp_path):
        with pytest.raises(AssertionError, match=f"left behind: .*{named}"):
            await watch.__aexit__(None, None, None)
    async with left.nothing_left():
        pass
