"""How many calls run at once: those that a chain's budget does not let start yet wait here, first come first served."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .frame import Frame
    from .one_call import OneCall


class Slots:
    def __init__(self) -> None:
        self._queue: dict[OneCall, None] = {}
        self._freed = False

    def admit(self, call: OneCall) -> None:
        """Lets the call go, now or as soon as every chain above it has room."""
        if call.frame.has_room():
            call.go()
        else:
            self._queue[call] = None

    def drop(self, call: OneCall) -> None:
        """The call does not want to start any more."""
        self._queue.pop(call, None)

    def left(self, frame: Frame) -> None:
        """A call of this frame has ended."""
        frame.leave()
        self._freed = True

    def fill(self) -> None:
        """Lets those go that have room now: when everything that follows from the end of a call is done, so that
        nothing is begun in a run that is about to end."""
        if not self._freed:
            return
        self._freed = False
        full: set[Frame] = set()
        for call in list(self._queue):
            if call.frame in full or call not in self._queue:
                continue
            if call.frame.has_room():
                del self._queue[call]
                call.go()
            else:
                full.add(call.frame)
