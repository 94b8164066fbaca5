"""The way to let a run go while it is driven."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Detached(Exception):
    """The run was let go before its end. `lasts`: the store has it, and whoever adopts it goes on; else it has only
    read, and can be done again."""

    def __init__(self, *, lasts: bool) -> None:
        super().__init__(lasts)
        self.lasts = lasts


class Held(Protocol):
    @property
    def is_still(self) -> bool:
        """Whether no call is under way: only time or people let the run go on."""
        ...

    def detach(self) -> None: ...


class Leash:
    """Holds what drives a run. `on_still`: is called by the driver each time when no call is under way any more."""

    def __init__(self, on_still: Callable[[], None] = lambda: None) -> None:
        self.on_still = on_still
        self._detached = False
        self._driver: Held | None = None

    def hold(self, driver: Held) -> None:
        self._driver = driver
        if self._detached:
            driver.detach()

    @property
    def is_still(self) -> bool:
        """As the driver's; a run that is not driven is still."""
        return self._driver is None or self._driver.is_still

    def detach(self) -> None:
        """Nothing new is begun; `Detached` is raised as soon as the calls under way have ended."""
        self._detached = True
        if self._driver is not None:
            self._driver.detach()
