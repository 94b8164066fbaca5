"""Looking on while a run goes on: everything that its state machine says and hears, in order."""

from __future__ import annotations

import logging
from typing import Protocol

from .events import Command, Event

log = logging.getLogger("chainc.run")


class Watch(Protocol):
    """Somebody who looks on. Must be quick: the run waits for it."""

    def __call__(self, seen: Command | Event, /) -> None: ...


def unwatched(seen: Command | Event, /) -> None:
    """Nobody looks on."""


def watched_by(watch: Watch) -> Watch:
    """The same; what goes wrong in it does not reach the run."""

    def safely(seen: Command | Event, /) -> None:
        try:
            watch(seen)
        except Exception as error:
            log.debug("a run could not be watched", exc_info=error)

    return unwatched if watch is unwatched else safely
