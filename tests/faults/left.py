"""What a test leaves behind: tasks of the event loop, child processes, open files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

SETTLES = 10.0
"""Seconds that what is ending may take; it is gone in milliseconds where nothing is wrong."""

_PROC = Path("/proc/self/fd").is_dir()


@asynccontextmanager
async def nothing_left() -> AsyncIterator[None]:
    """Afterwards there is no task, no child (not even a dead one that nobody has waited for) and no open file more than
    before."""
    tasks, processes, files = asyncio.all_tasks(), children(), open_files()
    yield
    found: dict[str, Any] = {}
    with anyio.move_on_after(SETTLES):
        while True:
            found = {
                "tasks": [repr(each) for each in asyncio.all_tasks() - tasks],
                "children": {pid: name for pid, name in children().items() if pid not in processes},
                "files": [each for each in open_files() if each not in files],
            }
            if not any(found.values()):
                return
            await anyio.sleep(0.01)
    raise AssertionError(f"left behind: { {name: each for name, each in found.items() if each} }")


def children() -> dict[int, str]:
    """The processes whose parent is this one, with name and state; none where the system does not tell."""
    found: dict[int, str] = {}
    for each in Path("/proc").glob("[0-9]*/stat") if _PROC else ():
        try:
            name, _, rest = each.read_text(errors="replace").partition("(")[2].rpartition(")")
        except OSError:
            continue  # it has just ended
        state, parent = rest.split()[:2]
        if int(parent) == os.getpid():
            found[int(each.parent.name)] = f"{name} {state}"
    return found


def open_files() -> list[str]:
    """Numbers and what they lead to."""
    found = []
    for name in os.listdir("/proc/self/fd") if _PROC else ():
        try:
            found.append(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
        except OSError:
            continue  # the listing's own
    return found
