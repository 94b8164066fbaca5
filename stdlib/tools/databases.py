"""SQLite databases in the allowed folders, read with one SELECT at a time.

Four locks on one door: the file is opened read-only, an authorizer allows reading and nothing else, SQLite's own limits
bound what a statement may be, and a deadline ends it.
"""

from __future__ import annotations

import base64
import math
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from . import ToolFault, statement_bounds
from .folders import Folders, shown, told
from .statement_bounds import Bounds

BUSY_S: Final = 2.0
"""Seconds that it waits for a writer to end."""
_STEPS: Final = 250
"""Between two looks at what it uses, in instructions of SQLite's machine."""
_LONGEST_VALUE: Final = 16_000_000
"""Bytes of one value, between 100 kB and this."""

_LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 1000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 10_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION)
_NO_FUNCTIONS: Final = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "fileio_ls"})
_BESIDE: Final = ("-wal", "-shm", "-journal")


def query(
    folders: Folders,
    /,
    path: str,
    sql: str,
    parameters: list[Any] | dict[str, Any] | None = None,
    most_rows: int = 1000,
) -> dict[str, Any]:
    """`complete` is false where there are more rows."""
    bound = _bound([] if parameters is None else parameters)
    with _opened(folders, path) as (database, bounds):
        refused: list[str] = []
        database.set_authorizer(_authorizer(refused))
        try:
            cursor = database.execute(sql, bound)
            if cursor.description is None:
                raise ToolFault("the statement gives no rows; only a SELECT is allowed", "denied")
            columns = _columns(cursor)
            rows: list[dict[str, Any]] = []
            size, complete = 0, True
            for values in cursor:
                if len(rows) == most_rows:
                    complete = False
                    break
                rows.append({name: _plain(name, value) for name, value in zip(columns, values, strict=True)})
                size += sum(_size(value) for value in values)
                if size > folders.most_bytes:
                    message = f"the rows have more than {folders.most_bytes} bytes"
                    raise ToolFault(message, "result_too_large", "Ask for fewer columns or rows.")
        except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError) as problem:
            raise _told(problem, refused, bounds) from None
    return {"columns": columns, "rows": rows, "complete": complete}


def schema(folders: Folders, /, path: str) -> list[dict[str, Any]]:
    """Tables and views, in the order of their names; not those of SQLite itself."""
    listing = (
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
    )
    columns = 'SELECT name, type, "notnull", pk FROM pragma_table_info(?)'
    with _opened(folders, path) as (database, bounds):
        try:
            return [
                {
                    "name": name,
                    "kind": kind,
                    "columns": [
                        {"name": column, "type": declared, "nullable": not required and not key, "key": bool(key)}
                        for column, declared, required, key in database.execute(columns, (name,))
                    ],
                }
                for name, kind in database.execute(f"{listing} ORDER BY name").fetchmany(10_000)
            ]
        except sqlite3.Error as problem:
            raise _told(problem, [], bounds) from None


@contextmanager
def _opened(folders: Folders, path: str) -> Iterator[tuple[sqlite3.Connection, Bounds]]:
    """The database, and what a statement may use.

    SQLite opens files by their path. So what stands there is looked at before and after, link by link: where another
    file has come in between, nothing of it is given away. The file itself is not opened here a second time: to close it
    would give up the locks that other connections of this process hold.
    """
    before = _identity(folders, path)
    bounds = Bounds()
    url = f"file:{quote(folders.way(path).path)}?mode=ro"
    try:
        database = sqlite3.connect(url, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as problem:
        raise ToolFault(f"{shown(path)} cannot be opened: {problem}") from None
    with closing(database):
        database.set_progress_handler(bounds.over, _STEPS)
        database.text_factory = _text
        for limit, most in _LIMITS.items():
            database.setlimit(limit, most)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(100_000, min(folders.most_bytes, _LONGEST_VALUE)))
        try:
            for pragma in ("query_only = 1", "trusted_schema = 0", "cell_size_check = 1", "mmap_size = 0"):
                database.execute(f"PRAGMA {pragma}")
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()  # only now is the file looked at
        except sqlite3.Error as problem:
            raise ToolFault(f"{shown(path)} cannot be read as a database: {problem}") from None
        if _identity(folders, path) != before:
            raise ToolFault(f"another file came to {shown(path)} while it was opened", "denied")
        yield database, bounds


def _identity(folders: Folders, path: str) -> tuple[int, int]:
    """Device and number of the file. Links are refused, also in the place of the files that SQLite keeps beside it."""
    with folders.parent(path) as (folder, name):
        with told(path, partial(folders.absent, path, folders.way(path).names)):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        for each in (name, *(name + end for end in _BESIDE)):
            try:
                mode = os.stat(each, dir_fd=folder, follow_symlinks=False).st_mode
            except OSError:
                continue
            if stat.S_ISLNK(mode):
                raise ToolFault(f"`{each}` is a link, and links are not followed", "denied")
            if not stat.S_ISREG(mode):
                raise ToolFault(f"{shown(path)} is no database file", "denied")
        return found.st_dev, found.st_ino


def _authorizer(refused: list[str]) -> Callable[..., int]:
    """Allows to read. `refused` gets what else was wanted."""

    def decide(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _NO_FUNCTIONS:
            refused.append(f"the function `{second}` is not allowed")
        elif action not in _ALLOWED:
            refused.append("a query may only read: SELECT alone is allowed")
        else:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return decide


def _bound(parameters: list[Any] | dict[str, Any]) -> list[Any] | dict[str, Any]:
    """Values that SQLite has. Raises ToolFault for others."""
    if isinstance(parameters, dict):
        return {name: _value(f"`{name}`", value) for name, value in parameters.items()}
    return [_value(f"parameter {number}", value) for number, value in enumerate(parameters, start=1)]


def _value(what: str, value: Any) -> Any:
    if isinstance(value, dict | list):
        raise ToolFault(f"{what} is a {'list' if isinstance(value, list) else 'record'}, which SQLite has no value for")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise ToolFault(f"{what} is an integer that is too large for SQLite")
    return int(value) if isinstance(value, bool) else value


def _columns(cursor: sqlite3.Cursor) -> list[str]:
    names = [str(each[0]) for each in cursor.description]
    if len(set(names)) < len(names):
        twice = next(name for n, name in enumerate(names) if name in names[:n])
        raise ToolFault(f"two columns are called {shown(twice)}", advice="Give one another name: `… AS other`.")
    return names


def _plain(column: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        raise ToolFault(f"a value of {shown(column)} is infinite, which JSON cannot say")
    return value


def _size(value: Any) -> int:
    return len(value) + 16 if isinstance(value, str | bytes) else 16


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _told(problem: Exception, refused: list[str], bounds: Bounds) -> ToolFault:
    if refused:
        return ToolFault(refused[0], "denied", "Write one SELECT; everything else belongs to other tools.")
    if bounds.exceeded == "time":
        message = f"the query took more than {statement_bounds.LONGEST_S:g} s"
        return ToolFault(message, "timeout", "Ask for less, or give it an index.")
    if bounds.exceeded == "room":
        message = f"the query laid aside more than {statement_bounds.MOST_SPILLED} bytes to sort or group them"
        return ToolFault(message, "result_too_large", "Sort fewer or shorter rows.")
    said = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
    if "one statement at a time" in said:
        return ToolFault("there is more than one statement; one SELECT is allowed", "denied")
    if "too big" in said:
        return ToolFault("a value is too large", "result_too_large")
    return ToolFault(f"SQLite says: {said[:500]}")


TOOLS: Final[dict[str, Any]] = {"query": query, "schema": schema}
