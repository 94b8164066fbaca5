"""The ledger in the database: its claims are seen by every process that uses it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any, Final

import anyio

from ...keys import again
from ...result import NOTHING
from ..ledger import KEEP_S, Claim
from ..turns import Turns
from ..wire import value_text
from .connection import Connection
from .contents import Contents
from .instance import Instance

_LONGEST_WAIT_S: Final = 0.5


class SqliteLedger:
    """Within the process a claim waits for its turn; for other processes it looks again and again."""

    def __init__(
        self, connection: Connection, contents: Contents, instance: Instance, clock: Callable[[], float]
    ) -> None:
        self._connection = connection
        self._contents = contents
        self._instance = instance
        self._clock = clock
        self._turns = Turns()

    async def request(self, request: str, window_ms: int, first: str | None = None) -> str:
        now = self._clock()

        def write(database: sqlite3.Connection) -> str:
            row = database.execute("SELECT key, since FROM requests WHERE request = ?", (request,)).fetchone()
            if row is not None and now < row[1] + window_ms / 1000:
                return str(row[0])
            key = first or f"{request}:{int(now * 1000)}"
            until = now + max(KEEP_S, window_ms / 1000)
            database.execute("INSERT OR REPLACE INTO requests VALUES (?, ?, ?, ?)", (request, key, now, until))
            return key

        return await self._connection.write(write)

    async def claim(self, key: str, run: str = "") -> Claim:
        await self._turns.take(key)
        claim = None
        try:
            wait = 0.02
            while (claim := await self._connection.write(lambda database: self._claim(database, key, run))) is None:
                await anyio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_S)
        finally:
            if claim is None or claim.recorded is not NOTHING:
                self._turns.give_back(key)
        return claim

    async def record(self, claim: Claim, value: Any) -> None:
        until = self._clock() + KEEP_S

        def write(database: sqlite3.Connection) -> None:
            self._note(database, claim.key, claim.run, value, until)
            self._release(database, claim)

        try:
            await self._connection.write(write)
        finally:
            self._turns.give_back(claim.key)

    async def note(self, key: str, run: str, value: Any) -> None:
        until = self._clock() + KEEP_S
        await self._connection.write(lambda database: self._note(database, key, run, value, until))

    async def release(self, claim: Claim) -> None:
        try:
            await self._connection.write(lambda database: self._release(database, claim))
        finally:
            self._turns.give_back(claim.key)

    async def undone(self, key: str) -> None:
        now = self._clock()

        def write(database: sqlite3.Connection) -> None:
            times = self._times(database, key, now)
            database.execute("DELETE FROM results WHERE key = ?", (key,))
            database.execute("INSERT OR REPLACE INTO undone VALUES (?, ?, ?)", (key, times + 1, now + KEEP_S))

        await self._connection.write(write)

    def _claim(self, database: sqlite3.Connection, key: str, run: str) -> Claim | None:
        now, ours = self._clock(), self._instance.id
        sends = again(key, self._times(database, key, now))
        result = database.execute("SELECT run, value, address FROM results WHERE key = ? AND until > ?", (key, now))
        if (row := result.fetchone()) is not None:
            return Claim(key, sends, json.loads(self._contents.text(database, *row[1:])), run=row[0])
        row = database.execute("SELECT instance FROM claims WHERE key = ?", (key,)).fetchone()
        if row is not None and row[0] != ours and self._instance.is_alive(row[0]):
            return None
        database.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (key, ours, now + KEEP_S))
        return Claim(key, sends, interrupted=row is not None and row[0] != ours, run=run)

    def _note(self, database: sqlite3.Connection, key: str, run: str, value: Any, until: float) -> None:
        text, place = self._contents.add_text(database, f"key {key}", value_text(value))
        database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", (key, text, place, run, until))

    def _release(self, database: sqlite3.Connection, claim: Claim) -> None:
        database.execute("DELETE FROM claims WHERE key = ? AND instance = ?", (claim.key, self._instance.id))

    def _times(self, database: sqlite3.Connection, key: str, now: float) -> int:
        row = database.execute("SELECT times FROM undone WHERE key = ? AND until > ?", (key, now)).fetchone()
        return 0 if row is None else int(row[0])
