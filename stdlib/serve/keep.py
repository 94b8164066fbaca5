"""Where a server keeps what outlives a run."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..runtime.store import Store
from ..runtime.store.memory import MemoryStore
from ..runtime.store.open import open_store
from ..runtime.store.unusable import StoreUnusable
from .log import announce


def state_file(name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """The file for a server of this name where nobody says another one: in the folder for the state of programs (XDG
    base directories; on Windows the local application data). Raises RuntimeError where there is no home."""
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME"
    given = environment.get(variable, "")
    folder = Path(given) if os.path.isabs(given) else Path.home() / ".local" / "state"
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("._-") or "server"
    return folder / "chainc" / f"{plain}.db"


def store_for(where: str | None, name: str) -> Store:
    """The store that was asked for; raises StoreUnusable where it cannot be used. None: the usual file; where that
    cannot be used (a home that is read-only), what is kept ends with the process, and a warning says so."""
    if where is not None:
        return open_store(where)
    try:
        usual = state_file(name)
        with suppress(OSError):  # the store says what is missing
            usual.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open_store(f"sqlite:{usual}")
    except (StoreUnusable, RuntimeError) as problem:
        announce("warning", f"{problem} What runs do is forgotten when the server ends.")
        return MemoryStore()
