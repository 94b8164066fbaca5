"""A body on its way into the store: small ones stay in memory, larger ones go to a file as they come."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import anyio

from ..content import Address, no_room
from ..unusable import StoreFull
from .contents import INLINE, Contents

_CHUNK: Final = 1 << 18
"""So many bytes are gathered before a thread writes them."""


class Intake:
    """`add` until the body ends, then `finish`; `discard` in any case."""

    def __init__(self, contents: Contents, tenant: str) -> None:
        self._contents = contents
        self._address = Address(tenant)
        self._gathered = bytearray()
        self._path: Path | None = None
        self._file: IO[bytes] | None = None

    @property
    def address(self) -> str:
        return self._address.text

    @property
    def size(self) -> int:
        return self._address.size

    async def add(self, chunk: bytes) -> None:
        self._gathered += chunk
        if len(self._gathered) >= _CHUNK:
            await anyio.to_thread.run_sync(self._write)

    def take(self, chunk: bytes) -> None:
        """`add` where a thread of its own brings the content."""
        self._gathered += chunk
        if len(self._gathered) >= _CHUNK:
            self._write()

    async def finish(self) -> bytes | Path:
        """The content, or the file that has it and is on the disk."""
        if self._file is None and len(self._gathered) <= INLINE:
            self._address.add(self._gathered)
            return bytes(self._gathered)
        await anyio.to_thread.run_sync(self._close)
        assert self._path is not None
        return self._path

    def discard(self) -> None:
        """Leaves nothing behind but what the store has taken over."""
        if self._file is not None:
            self._file.close()
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def _write(self) -> None:
        with self._faults():
            self._append()

    def _append(self) -> None:
        if self._file is None:
            self._path = self._contents.new_file()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._file = open(os.open(self._path, flags, 0o600), "wb", buffering=0)  # noqa: SIM115
        self._address.add(self._gathered)
        view = memoryview(self._gathered)
        while view:
            view = view[self._file.write(view) :]
        self._gathered = bytearray()

    def _close(self) -> None:
        self._write()
        assert self._file is not None
        with self._faults():
            os.fsync(self._file.fileno())
            self._file.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """What the disk says, in words of ours. Faults: `budget_exceeded` (it is full); raises StoreUnusable."""
        try:
            yield
        except OSError as error:
            reason = self._contents.unusable(error)
            if isinstance(reason, StoreFull):
                raise no_room() from error
            raise reason from error
