"""From the words of a manifest or an option to a store."""

from __future__ import annotations

from . import Store
from .memory import MemoryStore
from .unusable import StoreUnusable


def open_store(where: str) -> Store:
    """`memory`, or `sqlite:PATH`. Raises StoreUnusable."""
    path = path_in(where)
    if path is None:
        return MemoryStore()
    try:
        from .sqlite import SqliteStore
    except ImportError as error:
        missing = error.name or "sqlite3"
        raise StoreUnusable(f"There is no store `{where}` on this system: its Python has no {missing}.") from None
    return SqliteStore.open(path)


def path_in(where: str) -> str | None:
    """The path of a store; None for that in memory. Opens nothing. Raises StoreUnusable where this names no store."""
    kind, _, path = where.partition(":")
    if where != "memory" and (kind != "sqlite" or not path):
        raise StoreUnusable(f"There is no store `{where}`. Write `memory`, or `sqlite:` and the path of a file.")
    return path or None
