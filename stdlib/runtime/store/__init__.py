"""Stores: where handles, the ledger of side effects, the journal of runs and approvals live.

One interface; `tests/stdlib/runtime/store` has the suite that every store must pass.
"""

from __future__ import annotations

from typing import Protocol

from .decisions import Decisions
from .handles import Handles
from .journal import Journal
from .ledger import Ledger


class Store(Protocol):
    """Everything that outlives a run, and a restart where it is on a disk."""

    @property
    def is_lasting(self) -> bool:
        """Whether runs that are let go can be adopted later."""

    @property
    def handles(self) -> Handles: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def decisions(self) -> Decisions: ...

    async def close(self) -> None:
        """Lets go of files; the runs that were driven from here may be adopted by others."""
