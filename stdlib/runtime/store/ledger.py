"""What side effects with a key have given: so that a repeated request gets the result, not a second effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from ..result import NOTHING

KEEP_S: Final = 86_400
"""How long results are kept, in seconds: a day."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to do a side effect. `sends`: the key to send. `recorded`: the result of an earlier time, where there
    is nothing to do any more, or `NOTHING`. `run`: who has the claim, or did what is recorded. `interrupted`: an
    earlier claim was neither recorded nor released, and the process that had it is gone, so the side effect may have
    happened."""

    key: str
    sends: str
    recorded: Any = NOTHING
    interrupted: bool = False
    run: str = ""


class Ledger(Protocol):
    """Results by key. A claim that was given without a result ends with `record` or `release`."""

    async def request(self, request: str, window_ms: int, first: str | None = None) -> str:
        """The request key of a call without one: equal calls within the window, counted from the first, share it.
        `first`: what the first of them says instead of a new key; the others get to know it."""

    async def claim(self, key: str, run: str = "") -> Claim:
        """For a run. On the disk when it returns. Waits while somebody who is alive has the claim."""

    async def record(self, claim: Claim, value: Any) -> None:
        """The side effect has happened and gave this."""

    async def note(self, key: str, run: str, value: Any) -> None:
        """The side effect was found to have happened, in this run, and gave this. Whoever has the claim keeps it."""

    async def release(self, claim: Claim) -> None:
        """It has not happened, or nobody knows: who comes next does it with the same key."""

    async def undone(self, key: str) -> None:
        """It was taken back: done anew it is another side effect, with another key."""
