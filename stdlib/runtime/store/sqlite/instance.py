"""Which processes live: each one that uses a store holds a lock on a file of its own, and a kill lets go of it."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class Instance:
    """One use of a store by one process, from `enter` to `leave`."""

    def __init__(self, folder: Path, name: str, file: int) -> None:
        self.id = name
        self._folder = folder
        self._file: int | None = file

    @classmethod
    def enter(cls, folder: Path) -> Instance:
        name = secrets.token_hex(8)
        while True:
            file = os.open(folder / name, _NEW, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX)
            # Somebody may have taken the file for a dead one's before it was locked, and removed it.
            with suppress(FileNotFoundError):
                if os.stat(folder / name).st_ino == os.fstat(file).st_ino:
                    return cls(folder, name, file)
            os.close(file)

    def leave(self) -> None:
        """From now on others may take over what was ours."""
        if self._file is not None:
            (self._folder / self.id).unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    def is_alive(self, name: str) -> bool:
        """Whether the process lives that has, or had, this id. Looking disturbs nobody who looks, too."""
        if name == self.id:
            return self._file is not None
        try:
            file = os.open(self._folder / name, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False

    def sweep(self) -> None:
        """Removes the files that dead processes have left behind."""
        for path in self._folder.iterdir():
            if path.name == self.id or path.suffix:
                continue
            with suppress(FileNotFoundError, BlockingIOError):
                file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
                finally:
                    os.close(file)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """One process at a time is inside."""
    file = os.open(path, _NEW, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
