"""Decisions of people that come from elsewhere than the client of a run: another process writes, the server reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..principal import Owner


@dataclass(frozen=True, slots=True)
class Awaited:
    """A question that somebody must answer. `requester`: who began the run. `digest`: what the answer binds to: run,
    step, item, words and what is shown. `until`: seconds since the epoch."""

    run: str
    chain: str
    step: str
    kind: str
    text: str
    by: str | None
    show: Any
    digest: str
    requester: Owner
    until: float


@dataclass(frozen=True, slots=True)
class Decision:
    """`by`: the principal that decided."""

    run: str
    step: str
    digest: str
    approved: bool
    by: str
    comment: str | None
    at: float


class Decisions(Protocol):
    async def await_decision(self, awaited: Awaited) -> None:
        """Shows the question to whoever may decide it. Again for the same run and step: it is replaced; what was
        decided stays where the digest is the same, for a run that went on in another process."""

    async def close_question(self, run: str, step: str) -> None:
        """Nobody needs the decision any more."""

    async def awaited(self) -> Sequence[Awaited]:
        """Every open question that nobody has decided and whose time is not over, oldest first."""

    async def decide(self, decision: Decision) -> bool:
        """Once: False where the question is closed, was decided already, is another one (its digest differs), or its
        time is over."""

    async def decided(self, run: str) -> Sequence[Decision]:
        """The decisions on open questions of a run."""
