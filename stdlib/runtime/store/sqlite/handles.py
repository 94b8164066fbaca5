"""Handles in the database."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio

from ...principal import Owner
from ...result import NOTHING
from ..content import check_kind, decoded, encode, expired_handle, gone_handle, new_handle, no_handle, no_room
from ..handles import JSON, Handle, Label, Pinned
from ..recent import Recent
from ..unusable import StoreFull, StoreUnusable
from .connection import Connection, Work
from .contents import INLINE, Contents
from .intake import Intake

_T = TypeVar("_T")

log = logging.getLogger("chainc.store")

_ROW: Final = "id, kind, summary, size, items, expires, media, plan"


class SqliteHandles:
    def __init__(self, connection: Connection, contents: Contents, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._contents = contents
        self._clock = clock
        self._recent = Recent()

    async def put(self, owner: Owner, label: Label, value: Any) -> Handle:
        intake = Intake(self._contents, owner.tenant)
        try:
            await anyio.to_thread.run_sync(encode, value, intake.take)
            content = await intake.finish()
            items = len(value) if isinstance(value, list | tuple) else None
            handle = new_handle(label, intake.size, items, JSON, self._clock())
            await self._add(owner, handle, intake.address, content)
        finally:
            intake.discard()
        return handle

    async def keep(self, owner: Owner, label: Label, body: AsyncIterator[bytes], media: str) -> Handle:
        intake = Intake(self._contents, owner.tenant)
        try:
            async for chunk in body:
                await intake.add(chunk)
            content = await intake.finish()
            handle = new_handle(label, intake.size, None, media, self._clock())
            await self._add(owner, handle, intake.address, content)
        finally:
            intake.discard()
        return handle

    async def again(self, owner: Owner, handle_id: str, label: Label) -> Handle:
        def write(database: sqlite3.Connection) -> Handle:
            old, place = self._find(database, owner, handle_id)
            handle = new_handle(label, old.bytes, old.items, old.media, self._clock())
            _insert(database, owner, handle, place)
            return handle

        return await self._connection.write(write)

    async def drop(self, owner: Owner, handle_id: str) -> None:
        def write(database: sqlite3.Connection) -> None:
            now = self._clock()
            database.execute(
                "UPDATE handles SET expires = ?, address = NULL"
                " WHERE id = ? AND tenant = ? AND principal = ? AND expires > ?",
                (now, handle_id, owner.tenant, owner.principal, now),
            )

        await self._connection.write(write)

    async def describe(self, owner: Owner, handle_id: str) -> Handle:
        return await self._connection.read(lambda database: self._find(database, owner, handle_id)[0])

    async def value(self, owner: Owner, handle_id: str, kind: str | None = None) -> Any:
        def read(database: sqlite3.Connection) -> tuple[Handle, str, Any, bytes]:
            handle, place = self._find(database, owner, handle_id)
            check_kind(handle, kind)
            value = self._recent.get(place, handle)
            return handle, place, value, self._contents.part(database, place) if value is NOTHING else b""

        handle, place, value, content = await self._read(handle_id, read)
        if value is NOTHING:
            if handle.bytes <= INLINE:
                value = decoded(handle, content)
            else:
                value = await anyio.to_thread.run_sync(decoded, handle, content)
            self._recent.add(place, handle, value)
        return value

    async def part(self, owner: Owner, handle_id: str, offset: int, length: int) -> bytes:
        def read(database: sqlite3.Connection) -> bytes:
            return self._contents.part(database, self._find(database, owner, handle_id)[1], offset, length)

        return await self._read(handle_id, read)

    async def pinned(self) -> Sequence[Pinned]:
        def read(database: sqlite3.Connection) -> tuple[Pinned, ...]:
            rows = database.execute(
                "SELECT plan, COUNT(*), MAX(expires) FROM handles WHERE address IS NOT NULL AND expires > ?"
                " GROUP BY plan ORDER BY plan",
                (self._clock(),),
            )
            return tuple(Pinned(*row) for row in rows.fetchall())

        return await self._connection.read(read)

    async def _read(self, handle_id: str, work: Work[_T]) -> _T:
        """A file may vanish while a transaction reads, since its handle has just expired; then the next one says so.
        Where somebody has removed it, the value is gone like one that has expired, and the log says why."""
        try:
            return await self._connection.read(work)
        except StoreUnusable as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
        try:
            return await self._connection.read(work)
        except StoreUnusable as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            log.error("%s", error)
            raise gone_handle(handle_id) from error

    async def _add(self, owner: Owner, handle: Handle, place: str, content: bytes | Path) -> None:
        def write(database: sqlite3.Connection) -> None:
            self._contents.add(database, place, handle.bytes, content)
            _insert(database, owner, handle, place)

        try:
            await self._connection.write(write)
        except StoreFull:
            raise no_room() from None

    def _find(self, database: sqlite3.Connection, owner: Owner, handle_id: str) -> tuple[Handle, str]:
        if not handle_id.isascii():
            raise no_handle(handle_id)
        row = database.execute(
            f"SELECT {_ROW}, address FROM handles WHERE id = ? AND tenant = ? AND principal = ?",
            (handle_id, owner.tenant, owner.principal),
        ).fetchone()
        if row is None:
            raise no_handle(handle_id)
        handle = Handle(*row[:-1])
        if handle.expires <= self._clock() or row[-1] is None:
            raise expired_handle(handle_id)
        return handle, row[-1]


def _insert(database: sqlite3.Connection, owner: Owner, handle: Handle, place: str) -> None:
    database.execute(
        f"INSERT INTO handles ({_ROW}, tenant, principal, address) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        (
            *(handle.id, handle.kind, handle.summary, handle.bytes, handle.items),
            *(handle.expires, handle.media, handle.plan, owner.tenant, owner.principal, place),
        ),
    )
