"""The tables, and whether a file is one of ours."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..unusable import StoreUnusable

APPLICATION: Final = 0x63686E63
"""Stands in the header of the file: `chnc`."""

VERSION: Final = 2

_CHECKED: Final = 1 << 24
"""A file of at most so many bytes is checked as a whole when it is opened; of a larger one, what is read."""

_WAIT_S: Final = 30.0
"""How long to wait for another process that writes."""

_LOOK_MS: Final = 4
"""How long SQLite waits at a time. Left to itself it looks every 100 ms, and finds that the others were faster."""

_FORGETTING: Final = (
    """CREATE TABLE forgotten (number INTEGER PRIMARY KEY AUTOINCREMENT, forgotten TEXT NOT NULL)""",
    """CREATE TRIGGER receipts_remain BEFORE DELETE ON receipts
        WHEN NOT EXISTS (SELECT 1 FROM runs WHERE runs.run = OLD.run AND runs.state = 'forgotten')
        BEGIN SELECT RAISE(ABORT, 'receipts remain'); END""",
)

UPGRADES: Final = {1: ("DROP TRIGGER receipts_remain", *_FORGETTING)}
"""What makes a file of the next version of one of this version."""

TABLES: Final = (
    """CREATE TABLE contents (address TEXT PRIMARY KEY, size INTEGER NOT NULL, bytes BLOB)""",
    """CREATE TABLE handles (id TEXT PRIMARY KEY, tenant TEXT NOT NULL, principal TEXT NOT NULL, kind TEXT NOT NULL,
        summary TEXT NOT NULL, size INTEGER NOT NULL, items INTEGER, expires REAL NOT NULL, media TEXT NOT NULL,
        plan TEXT NOT NULL, address TEXT REFERENCES contents) WITHOUT ROWID""",
    """CREATE INDEX handles_expire ON handles (expires)""",
    """CREATE TABLE requests (request TEXT PRIMARY KEY, key TEXT NOT NULL, since REAL NOT NULL, until REAL NOT NULL)
        WITHOUT ROWID""",
    """CREATE TABLE results (key TEXT PRIMARY KEY, value TEXT, address TEXT REFERENCES contents,
        run TEXT NOT NULL, until REAL NOT NULL)""",
    """CREATE TABLE undone (key TEXT PRIMARY KEY, times INTEGER NOT NULL, until REAL NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE claims (key TEXT PRIMARY KEY, instance TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE plans (digest TEXT PRIMARY KEY, text TEXT NOT NULL)""",
    """CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
        tenant TEXT NOT NULL, started REAL NOT NULL, state TEXT NOT NULL, instance TEXT,
        begun TEXT, begun_address TEXT REFERENCES contents, ended TEXT, ended_address TEXT REFERENCES contents)""",
    """CREATE INDEX runs_started ON runs (started)""",
    """CREATE INDEX runs_open ON runs (instance) WHERE instance IS NOT NULL""",
    """CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL REFERENCES runs (run),
        entry TEXT, address TEXT REFERENCES contents)""",
    """CREATE INDEX entries_run ON entries (run)""",
    """CREATE TABLE receipts (number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL REFERENCES runs (run),
        receipt TEXT NOT NULL)""",
    """CREATE INDEX receipts_run ON receipts (run)""",
    """CREATE TRIGGER receipts_stay BEFORE UPDATE ON receipts
        BEGIN SELECT RAISE(ABORT, 'receipts never change'); END""",
    *_FORGETTING,
    """CREATE TABLE questions (number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, step TEXT NOT NULL,
        digest TEXT NOT NULL, until REAL NOT NULL, question TEXT NOT NULL, decision TEXT, at REAL,
        UNIQUE (run, step))""",
    """CREATE INDEX handles_address ON handles (address) WHERE address IS NOT NULL""",
    """CREATE INDEX results_address ON results (address) WHERE address IS NOT NULL""",
    """CREATE INDEX entries_address ON entries (address) WHERE address IS NOT NULL""",
    """CREATE INDEX runs_begun ON runs (begun_address) WHERE begun_address IS NOT NULL""",
    """CREATE INDEX runs_ended ON runs (ended_address) WHERE ended_address IS NOT NULL""",
)


def create_file(path: Path) -> None:
    """Makes the file, readable by its owner alone, where there is none. Raises StoreUnusable where its folder is
    missing: a slip in a path makes no folders."""
    if not path.parent.is_dir():
        why = f"there is no folder {path.parent}. Make it, or name another file"
        raise StoreUnusable(f"The store {path} cannot be used: {why}.")
    # A file that is there is opened by SQLite alone: closing it here would let go of the locks of this process.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def look(path: Path) -> None:
    """Raises StoreUnusable, sqlite3.Error where the file that is there is none of ours. Nothing is made beside it; of
    what another program left beside its own file, SQLite may put a `-wal` into that file, as it does for any reader."""
    if not path.is_file():
        raise StoreUnusable(f"The store {path} cannot be used: it is no file. Name another one.")
    database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    try:
        database.execute("BEGIN")  # another process may be making the tables: what is read belongs together
        _refuse_others(database, path)
    finally:
        database.close()


def connect(path: Path) -> sqlite3.Connection:
    """The database with its tables. Raises StoreUnusable, sqlite3.Error."""
    database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    try:
        _prepare(database, path)
    except BaseException:
        database.close()
        raise
    return database


def begin_to_write(database: sqlite3.Connection) -> None:
    """A transaction; one process at a time has one that writes. Raises sqlite3.OperationalError after a long wait."""
    end = time.monotonic() + _WAIT_S
    database.execute(f"PRAGMA busy_timeout = {_LOOK_MS}")
    try:
        while True:
            try:
                database.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= end:
                    raise
    finally:
        database.execute(f"PRAGMA busy_timeout = {int(_WAIT_S * 1000)}")


def _refuse_others(database: sqlite3.Connection, path: Path) -> bool:
    """Whether it is empty."""
    application, version = _number(database, "application_id"), _number(database, "user_version")
    empty = not _number(database, "schema_version")
    if not empty and application != APPLICATION:
        raise StoreUnusable(
            f"The store {path} cannot be used: it is the database of another program. Name another file."
        )
    if version > VERSION:
        raise StoreUnusable(
            f"The store {path} cannot be used: a newer version of this program wrote it. Update the program."
        )
    return empty


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    empty = _refuse_others(database, path)
    if path.stat().st_size <= _CHECKED and database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("damaged")
    if database.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise StoreUnusable(f"The store {path} cannot be used: its file system is no local one, or read-only.")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA foreign_keys = ON")
    begin_to_write(database)
    if empty:
        for statement in TABLES:
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION}")
    else:
        # Another process may have done it since: the version counts that is read in this transaction.
        for older in range(_number(database, "user_version"), VERSION):
            for statement in UPGRADES[older]:
                database.execute(statement)
    database.execute(f"PRAGMA user_version = {VERSION}")  # written in any case: it shows whether we may write
    database.execute("COMMIT")


def _number(database: sqlite3.Connection, name: str) -> int:
    return int(database.execute(f"PRAGMA {name}").fetchone()[0])
