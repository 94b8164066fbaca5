"""Questions and decisions in the database: one process asks, another one decides."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from ..decisions import Awaited, Decision
from ..wire import from_text, to_text
from .connection import Connection


class SqliteDecisions:
    def __init__(self, connection: Connection, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._clock = clock

    async def await_decision(self, awaited: Awaited) -> None:
        row = awaited.run, awaited.step, awaited.digest, awaited.until, to_text(awaited)

        def write(database: sqlite3.Connection) -> None:
            database.execute(
                "INSERT INTO questions (run, step, digest, until, question) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (run, step) DO UPDATE SET"
                " decision = CASE WHEN digest = excluded.digest THEN decision END,"
                " digest = excluded.digest, until = excluded.until, question = excluded.question",
                row,
            )

        await self._connection.write(write)

    async def close_question(self, run: str, step: str) -> None:
        await self._connection.write(
            lambda database: database.execute("DELETE FROM questions WHERE run = ? AND step = ?", (run, step)).rowcount
        )

    async def awaited(self) -> Sequence[Awaited]:
        def read(database: sqlite3.Connection) -> tuple[Awaited, ...]:
            rows = database.execute(
                "SELECT question FROM questions WHERE decision IS NULL AND until > ? ORDER BY number", (self._clock(),)
            )
            return tuple(from_text(text) for (text,) in rows.fetchall())

        return await self._connection.read(read)

    async def decide(self, decision: Decision) -> bool:
        text = to_text(decision)

        def write(database: sqlite3.Connection) -> bool:
            done = database.execute(
                "UPDATE questions SET decision = ?, at = ?"
                " WHERE run = ? AND step = ? AND digest = ? AND decision IS NULL AND until > ?",
                (text, decision.at, decision.run, decision.step, decision.digest, self._clock()),
            )
            return done.rowcount == 1

        return await self._connection.write(write)

    async def decided(self, run: str) -> Sequence[Decision]:
        def read(database: sqlite3.Connection) -> tuple[Decision, ...]:
            rows = database.execute(
                "SELECT decision FROM questions WHERE run = ? AND decision IS NOT NULL ORDER BY at, number", (run,)
            )
            return tuple(from_text(text) for (text,) in rows.fetchall())

        return await self._connection.read(read)
