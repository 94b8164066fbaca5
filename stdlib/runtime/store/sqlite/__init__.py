"""The store on a disk: one SQLite file, large values beside it. It survives a kill at any point."""

from .store import SqliteStore

__all__ = ["SqliteStore"]
