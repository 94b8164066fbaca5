"""The journal in the database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import Any, Final

from ...receipt import Receipt
from ..journal import Begun, Ended, Entry, Forgotten, NoSuchRun, Recorded, RunRow, RunState
from ..wire import from_text, to_text
from .connection import Connection
from .contents import Contents
from .instance import Instance

_ROW: Final = "begun, begun_address, state, instance, ended, ended_address"
_NOBODY: Final = "nobody"
"""Drives what was given back: no instance has this name."""


class SqliteJournal:
    def __init__(
        self, connection: Connection, contents: Contents, instance: Instance, clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        self._connection = connection
        self._contents = contents
        self._instance = instance

    async def begin(self, begun: Begun, plan: str) -> None:
        def write(database: sqlite3.Connection) -> None:
            self._begin(database, begun)
            database.execute("INSERT OR IGNORE INTO plans VALUES (?, ?)", (begun.plan, plan))

        await self._connection.write(write)

    async def append(self, run: str, entries: Sequence[Entry], receipts: Sequence[Receipt] = ()) -> None:
        def write(database: sqlite3.Connection) -> None:
            tenant = self._going_on(database, run)
            for entry in entries:
                row = self._contents.add_text(database, tenant, to_text(entry))
                database.execute("INSERT INTO entries (run, entry, address) VALUES (?, ?, ?)", (run, *row))
            _add_receipts(database, run, receipts)

        await self._connection.write(write)

    async def park(self, run: str, parked: bool) -> None:
        def write(database: sqlite3.Connection) -> None:
            self._going_on(database, run)
            state = "parked" if parked else "running"
            database.execute("UPDATE runs SET state = ? WHERE run = ?", (state, run))

        await self._connection.write(write)

    async def end(self, run: str, ended: Ended, receipts: Sequence[Receipt] = ()) -> None:
        def write(database: sqlite3.Connection) -> None:
            self._end(database, run, ended, receipts)
            database.execute("DELETE FROM entries WHERE run = ?", (run,))

        await self._connection.write(write)

    async def keep(self, begun: Begun, ended: Ended, receipts: Sequence[Receipt]) -> None:
        def write(database: sqlite3.Connection) -> None:
            self._begin(database, begun)
            self._end(database, begun.run, ended, receipts)

        await self._connection.write(write)

    async def adopt(self) -> Sequence[Begun]:
        def write(database: sqlite3.Connection) -> tuple[Begun, ...]:
            rows: list[Any] = []
            for name in self._dead(database):
                run = "SELECT number, begun, begun_address FROM runs WHERE instance = ?"
                rows += database.execute(run, (name,)).fetchall()
                database.execute("UPDATE runs SET instance = ? WHERE instance = ?", (self._instance.id, name))
            return tuple(from_text(self._contents.text(database, *row[1:])) for row in sorted(rows))

        return await self._connection.write(write)

    async def give_back(self, run: str) -> None:
        def write(database: sqlite3.Connection) -> None:
            self._going_on(database, run)
            database.execute("UPDATE runs SET instance = ? WHERE run = ?", (_NOBODY, run))

        await self._connection.write(write)

    async def entries(self, run: str) -> Sequence[Entry]:
        def read(database: sqlite3.Connection) -> tuple[Entry, ...]:
            rows = database.execute("SELECT entry, address FROM entries WHERE run = ? ORDER BY number", (run,))
            return tuple(from_text(self._contents.text(database, *row)) for row in rows.fetchall())

        return await self._connection.read(read)

    async def plan(self, digest: str) -> str | None:
        def read(database: sqlite3.Connection) -> str | None:
            row = database.execute("SELECT text FROM plans WHERE digest = ?", (digest,)).fetchone()
            return None if row is None else str(row[0])

        return await self._connection.read(read)

    async def runs(
        self, *, limit: int = 100, state: RunState | None = None, chain: str | None = None
    ) -> Sequence[RunRow]:
        def read(database: sqlite3.Connection) -> tuple[RunRow, ...]:
            dead = self._dead(database)
            rows = database.execute(f"SELECT {_ROW} FROM runs ORDER BY started DESC, number DESC")
            found = (self._row(database, row, dead) for row in rows if state in (None, _state(row, dead)))
            wanted = (row for row in found if chain in (None, row.begun.chain))
            return tuple(islice(wanted, max(0, limit)))

        return await self._connection.read(read)

    async def run(self, run: str) -> RunRow | None:
        def read(database: sqlite3.Connection) -> RunRow | None:
            row = database.execute(f"SELECT {_ROW} FROM runs WHERE run = ?", (run,)).fetchone()
            return None if row is None else self._row(database, row, self._dead(database))

        return await self._connection.read(read)

    async def receipts(self, run: str) -> Sequence[Receipt]:
        def read(database: sqlite3.Connection) -> tuple[Receipt, ...]:
            rows = database.execute("SELECT receipt FROM receipts WHERE run = ? ORDER BY number", (run,))
            return tuple(from_text(text) for (text,) in rows.fetchall())

        return await self._connection.read(read)

    async def record(self, runs: Collection[str] = (), *, after: int = 0, limit: int = 1000) -> Sequence[Recorded]:
        def read(database: sqlite3.Connection) -> tuple[Recorded, ...]:
            rows = database.execute(
                "SELECT number, receipt FROM receipts WHERE number > ?1"
                " AND (?2 = '[]' OR run IN (SELECT value FROM json_each(?2))) ORDER BY number LIMIT ?3",
                (after, json.dumps(list(runs)), max(0, limit)),
            )
            return tuple((number, from_text(text)) for number, text in rows.fetchall())

        return await self._connection.read(read)

    async def forget(self, before: float, by: str, *, interrupted: bool = False) -> Forgotten:
        def write(database: sqlite3.Connection) -> Forgotten:
            dead = self._dead(database) if interrupted else frozenset()
            rows = database.execute(f"SELECT {_ROW} FROM runs WHERE started < ?", (before,))
            old = [row.begun.run for row in (self._row(database, each, dead) for each in rows) if _is_old(row, before)]
            for run in old:
                database.execute("UPDATE runs SET state = 'forgotten' WHERE run = ?", (run,))
            theirs = "WHERE run IN (SELECT run FROM runs WHERE state = 'forgotten')"
            receipts = database.execute(f"DELETE FROM receipts {theirs}").rowcount
            for table in ("entries", "questions"):
                database.execute(f"DELETE FROM {table} {theirs}")
            database.execute("DELETE FROM runs WHERE state = 'forgotten'")
            done = Forgotten(by, self._clock(), before, len(old), receipts)
            database.execute("INSERT INTO forgotten (forgotten) VALUES (?)", (to_text(done),))
            return done

        return await self._connection.write(write)

    async def forgotten(self) -> Sequence[Forgotten]:
        def read(database: sqlite3.Connection) -> tuple[Forgotten, ...]:
            rows = database.execute("SELECT forgotten FROM forgotten ORDER BY number")
            return tuple(from_text(text) for (text,) in rows.fetchall())

        return await self._connection.read(read)

    def _dead(self, database: sqlite3.Connection) -> frozenset[str]:
        """Those that drove runs which are not over, and live no more."""
        names = database.execute("SELECT DISTINCT instance FROM runs WHERE instance IS NOT NULL").fetchall()
        return frozenset(name for (name,) in names if not self._instance.is_alive(name))

    def _begin(self, database: sqlite3.Connection, begun: Begun) -> None:
        if database.execute("SELECT 1 FROM runs WHERE run = ?", (begun.run,)).fetchone() is not None:
            raise ValueError(f"There is a run {begun.run} already.")
        tenant = begun.owner.tenant
        text, place = self._contents.add_text(database, tenant, to_text(begun))
        database.execute(
            "INSERT INTO runs (run, plan, tenant, started, state, instance, begun, begun_address)"
            " VALUES (?, ?, ?, ?, 'running', ?, ?, ?)",
            (begun.run, begun.plan, tenant, begun.started, self._instance.id, text, place),
        )

    def _end(self, database: sqlite3.Connection, run: str, ended: Ended, receipts: Sequence[Receipt]) -> None:
        text, place = self._contents.add_text(database, self._going_on(database, run), to_text(ended))
        state = "succeeded" if ended.fault is None else "failed"
        row = database.execute("SELECT begun, begun_address FROM runs WHERE run = ?", (run,)).fetchone()
        begun: Begun = from_text(self._contents.text(database, *row))
        database.execute(
            "UPDATE runs SET state = ?, instance = NULL, begun = ?, begun_address = NULL, ended = ?, ended_address = ?"
            " WHERE run = ?",
            (state, to_text(begun.without_arguments()), text, place, run),
        )
        _add_receipts(database, run, receipts)

    def _going_on(self, database: sqlite3.Connection, run: str) -> str:
        """The tenant of a run that is driven from here."""
        row = database.execute(
            "SELECT tenant FROM runs WHERE run = ? AND instance = ?", (run, self._instance.id)
        ).fetchone()
        if row is None:
            raise NoSuchRun(f"There is no run {run} here that goes on.")
        return str(row[0])

    def _row(self, database: sqlite3.Connection, row: tuple[Any, ...], dead: Collection[str] = ()) -> RunRow:
        begun, begun_address, _, _, ended, ended_address = row
        over = ended is not None or ended_address is not None
        return RunRow(
            from_text(self._contents.text(database, begun, begun_address)),
            _state(row, dead),
            from_text(self._contents.text(database, ended, ended_address)) if over else None,
        )


def _state(row: tuple[Any, ...], dead: Collection[str]) -> RunState:
    state: RunState = row[2]
    return "interrupted" if row[3] in dead else state


def _is_old(row: RunRow, before: float) -> bool:
    return row.state == "interrupted" if row.ended is None else row.ended.at < before


def _add_receipts(database: sqlite3.Connection, run: str, receipts: Sequence[Receipt]) -> None:
    rows = [(run, to_text(receipt)) for receipt in receipts]
    database.executemany("INSERT INTO receipts (run, receipt) VALUES (?, ?)", rows)
