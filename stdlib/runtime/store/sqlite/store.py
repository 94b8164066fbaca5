"""One store in one file, for all the processes of one machine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ..unusable import StoreUnusable
from .connection import Connection, unusable
from .contents import Contents
from .decisions import SqliteDecisions
from .expiry import forget
from .handles import SqliteHandles
from .instance import Instance, alone
from .journal import SqliteJournal
from .ledger import SqliteLedger
from .schema import connect, create_file, look

_FORGET_EVERY_S: Final = 60.0


class SqliteStore:
    """Beside the file NAME there are the folders NAME.blobs, with large values, and NAME.live, with a lock file for
    each process that uses the store. Made by `open`."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._forgotten = 0.0
        self._connection = Connection(path, self._connect, self._between)
        self._handles = SqliteHandles(self._connection, self._contents, clock)
        self._ledger = SqliteLedger(self._connection, self._contents, self._instance, clock)
        self._journal = SqliteJournal(self._connection, self._contents, self._instance, clock)
        self._decisions = SqliteDecisions(self._connection, clock)

    @classmethod
    def open(cls, path: str | Path, clock: Callable[[], float] = time.time) -> SqliteStore:
        """Makes the file where there is none. Raises StoreUnusable."""
        place = Path(path).absolute()
        try:
            return cls(place, clock)
        except (sqlite3.Error, OSError) as error:
            raise unusable(place, error) from error

    @property
    def is_lasting(self) -> bool:
        return True

    @property
    def handles(self) -> SqliteHandles:
        return self._handles

    @property
    def ledger(self) -> SqliteLedger:
        return self._ledger

    @property
    def journal(self) -> SqliteJournal:
        return self._journal

    @property
    def decisions(self) -> SqliteDecisions:
        return self._decisions

    async def close(self) -> None:
        """Finishes what was begun; then others may take over the runs that were driven from here."""
        await self._connection.close()
        self._instance.leave()

    def _connect(self) -> sqlite3.Connection:
        if self._path.is_dir():
            raise StoreUnusable(f"The store {self._path} cannot be used: it is a folder. Name a file.")
        create_file(self._path)
        live = self._path.with_name(f"{self._path.name}.live")
        if not live.exists():
            look(self._path)
        live.mkdir(mode=0o700, exist_ok=True)
        with alone(live / "open.lock"):
            database = connect(self._path)
            self._instance = Instance.enter(live)
            try:
                self._instance.sweep()
                blobs = self._path.with_name(f"{self._path.name}.blobs")
                self._contents = Contents(blobs, self._instance)
                self._contents.sweep(database)
                self._between(database)
            except BaseException:
                self._instance.leave()
                database.close()
                raise
            return database

    def _between(self, database: sqlite3.Connection) -> None:
        now = self._clock()
        if now >= self._forgotten + _FORGET_EVERY_S:
            self._forgotten = now
            forget(database, now, self._instance)
            self._contents.collect(database)
