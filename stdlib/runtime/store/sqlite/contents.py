"""Contents by address: small ones in the database, large ones as files beside it.

A file is complete and on the disk before a row names it. It gets its name inside the transaction that adds the row, and
it loses it inside one that begins without a row that refers to it: no other process can come between.
"""

from __future__ import annotations

import errno
import itertools
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..content import address
from ..unusable import StoreUnusable
from .connection import unusable
from .instance import Instance
from .schema import begin_to_write

INLINE: Final = 1 << 16
"""Contents of at most so many bytes lie in the database."""

_UNUSED: Final = """FROM contents WHERE
    NOT EXISTS (SELECT 1 FROM handles WHERE handles.address = contents.address) AND
    NOT EXISTS (SELECT 1 FROM results WHERE results.address = contents.address) AND
    NOT EXISTS (SELECT 1 FROM entries WHERE entries.address = contents.address) AND
    NOT EXISTS (SELECT 1 FROM runs WHERE runs.begun_address = contents.address) AND
    NOT EXISTS (SELECT 1 FROM runs WHERE runs.ended_address = contents.address)"""


class Contents:
    """The files lie below `folder`, unfinished ones in `folder`/new."""

    def __init__(self, folder: Path, instance: Instance) -> None:
        self._folder = folder
        self._instance = instance
        self._numbers = itertools.count()

    def new_file(self) -> Path:
        """Where to write what is not finished: a name that nobody else has."""
        return self._folder / "new" / f"{self._instance.id}-{next(self._numbers)}"

    def unusable(self, error: OSError) -> StoreUnusable:
        """Why a file cannot be written."""
        return unusable(self._folder, error)

    def add(self, database: sqlite3.Connection, place: str, size: int, content: bytes | Path) -> None:
        """In a transaction that writes. A path is a finished file, on the disk; it is moved away."""
        if self._has(database, place):
            if isinstance(content, Path):
                content.unlink(missing_ok=True)
            return
        if isinstance(content, Path):
            self._name(content, place)
        inline = None if isinstance(content, Path) else content
        database.execute("INSERT OR IGNORE INTO contents VALUES (?, ?, ?)", (place, size, inline))

    def add_bytes(self, database: sqlite3.Connection, tenant: str, content: bytes) -> str:
        """The address of contents of any size, in a transaction that writes."""
        place = address(tenant, content)
        if len(content) <= INLINE:
            self.add(database, place, len(content), content)
        elif not self._has(database, place):
            path = self.new_file()
            write_file(path, [content])
            self.add(database, place, len(content), path)
        return place

    def add_text(self, database: sqlite3.Connection, tenant: str, text: str) -> tuple[str | None, str | None]:
        """For a column of texts and one of addresses: one of them gets it."""
        if len(text) <= INLINE and len(text.encode()) <= INLINE:
            return text, None
        return None, self.add_bytes(database, tenant, text.encode())

    def text(self, database: sqlite3.Connection, text: str | None, place: str | None) -> str:
        """What `add_text` was given."""
        return text if place is None else self.part(database, place).decode()  # type: ignore[return-value]

    def part(self, database: sqlite3.Connection, place: str, offset: int = 0, length: int | None = None) -> bytes:
        """So many bytes from there on. Raises FileNotFoundError where another process has just removed it."""
        start = max(0, offset)
        count = -1 if length is None else max(0, length)
        row = database.execute("SELECT bytes FROM contents WHERE address = ?", (place,)).fetchone()
        if row is None:
            raise FileNotFoundError(errno.ENOENT, "There is no such content", place)
        if row[0] is not None:
            return bytes(row[0][start : None if length is None else start + count])
        with self._path(place).open("rb") as file:
            file.seek(start)
            return file.read(count)

    def collect(self, database: sqlite3.Connection) -> None:
        """Removes what no row refers to, in a transaction of its own."""
        begin_to_write(database)
        try:
            for place, is_file in database.execute(f"SELECT address, bytes IS NULL {_UNUSED}").fetchall():
                if is_file:
                    self._path(place).unlink(missing_ok=True)
                database.execute("DELETE FROM contents WHERE address = ?", (place,))
        finally:
            database.execute("COMMIT")

    def sweep(self, database: sqlite3.Connection) -> None:
        """Makes the folders, and removes the files that a killed process has left behind."""
        for folder in (self._folder, self._folder / "new"):
            folder.mkdir(mode=0o700, exist_ok=True)
        for path in (self._folder / "new").iterdir():
            if not self._instance.is_alive(path.name.partition("-")[0]):
                path.unlink(missing_ok=True)
        begin_to_write(database)
        try:
            known = {row[0] for row in database.execute("SELECT address FROM contents WHERE bytes IS NULL")}
            for path in self._folder.glob("??/*"):
                if path.name not in known:
                    path.unlink(missing_ok=True)
        finally:
            database.execute("COMMIT")

    def _has(self, database: sqlite3.Connection, place: str) -> bool:
        row = database.execute("SELECT bytes IS NULL FROM contents WHERE address = ?", (place,)).fetchone()
        return row is not None and (not row[0] or self._path(place).exists())

    def _name(self, path: Path, place: str) -> None:
        target = self._path(place)
        target.parent.mkdir(mode=0o700, exist_ok=True)
        path.replace(target)
        _sync_folder(target.parent)
        _sync_folder(self._folder)

    def _path(self, place: str) -> Path:
        return self._folder / place[:2] / place


def write_file(path: Path, chunks: list[bytes]) -> None:
    """A new file with these, on the disk when it returns; nothing where it raises."""
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
