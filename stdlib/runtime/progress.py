"""Tells a client how far its run is."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import anyio

from .events import Command, Progress

if TYPE_CHECKING:
    from .world import OnProgress

PATIENCE_S: Final = 1.0

log = logging.getLogger("chainc.run")


async def report(on_progress: OnProgress | None, commands: Iterable[Command]) -> None:
    """What of the commands is progress. It is a courtesy: when telling it fails or takes long, the run goes on."""
    if on_progress is None:
        return
    for command in commands:
        if isinstance(command, Progress):
            try:
                with anyio.move_on_after(PATIENCE_S):
                    await on_progress(command)
            except Exception as error:
                log.debug("progress could not be reported", exc_info=error)
