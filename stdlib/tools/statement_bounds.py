"""What one statement of SQLite may use: time, and room on the disk for what it sorts."""

from __future__ import annotations

import os
import stat
import time
from typing import Final

LONGEST_S: Final = 10.0
"""Seconds that one statement may take."""
MOST_SPILLED: Final = 512_000_000
"""Bytes that it may lay aside in files of the system's temporary folder."""
_BETWEEN_S: Final = 0.1
"""Between two looks at these files."""
_OPEN: Final = "/proc/self/fd"


class Bounds:
    """From now on. `exceeded` says by what a statement went too far."""

    def __init__(self) -> None:
        self.exceeded: str | None = None
        self._end = time.monotonic() + LONGEST_S
        self._look = time.monotonic() + _BETWEEN_S
        self._before = spilled()

    def over(self) -> bool:
        """For SQLite to ask now and then; true ends the statement."""
        now = time.monotonic()
        if now > self._end:
            self.exceeded = "time"
        elif now > self._look:
            if spilled() - self._before > MOST_SPILLED:
                self.exceeded = "room"
            self._look = time.monotonic() + _BETWEEN_S
        return self.exceeded is not None


def spilled() -> int:
    """Bytes of this process's open files that have no name any more, as SQLite's temporary ones; 0 where the system
    does not tell (it does on Linux)."""
    size = 0
    try:
        opened = os.listdir(_OPEN)
    except OSError:
        return 0
    for each in opened:
        try:
            found = os.stat(f"{_OPEN}/{each}")
        except OSError:
            continue
        if found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
            size += found.st_size
    return size
