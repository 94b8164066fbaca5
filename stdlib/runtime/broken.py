"""What ends a call, or a run, that is not to blame for it."""

from __future__ import annotations

import logging

from .fault import Fault
from .store.unusable import StoreUnusable

log = logging.getLogger("chainc.run")


def broken(name: str, error: Exception, run: str | None = None) -> Fault:
    """The fault for an exception that nobody foresaw, in a call of the chain or tool `name`: `unavailable` where the
    store is to blame, else `internal`. The log says more, clients hear nothing of what the exception says."""
    unusable = _unusable(error)
    if unusable is not None:
        log.error("%s cannot go on: %s", run or f"`{name}`", unusable)
        return Fault("unavailable", f"`{name}` could not go on: the server cannot keep what it does.")
    log.error("a mistake of ours in a call of `%s`", name, exc_info=error)
    return Fault("internal", f"`{name}` could not be run; this is a mistake in the server.")


def _unusable(error: BaseException) -> BaseException | None:
    """Task groups wrap what is raised in them."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_unusable, error.exceptions)), None)
    return error if isinstance(error, StoreUnusable) else None
