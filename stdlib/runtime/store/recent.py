"""Values that were read a short while ago: whoever reads a large one page by page has it decoded once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

from ..result import NOTHING
from .handles import Handle

_ROOM: Final = 1 << 25
"""Most bytes of contents whose values are held."""


class Recent:
    """By address, so only for who may read it. Values are shared: nobody changes them. Threads may share it, too."""

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._used = 0
        self._lock = threading.Lock()
        self._values: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()

    def get(self, place: str, handle: Handle) -> Any:
        """The value, or `NOTHING`."""
        with self._lock:
            found = self._values.get((place, handle.media))
            if found is None:
                return NOTHING
            self._values.move_to_end((place, handle.media))
            return found[0]

    def add(self, place: str, handle: Handle, value: Any) -> None:
        if handle.bytes > self._room // 4:
            return
        with self._lock:
            self._used += handle.bytes - self._values.pop((place, handle.media), (None, 0))[1]
            self._values[place, handle.media] = value, handle.bytes
            while self._used > self._room:
                self._used -= self._values.popitem(last=False)[1][1]
