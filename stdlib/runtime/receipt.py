"""The record of a run: one receipt a call of a tool, one an answer of a person."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..values.time import NANOS, Timestamp, write_timestamp

_ITEM: Final = re.compile(r"\[(\d+)\](?!.*\[)")


Kind = Literal["step", "reconcile", "verify", "undo", "approve", "ask"]
"""What a receipt is of: a call, by its purpose, or an answer, by the kind of the question."""
Outcome = Literal["ok", "fault"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is kept of a call, or of an answer (then `tool` is None and `approval` has it).

    `at`: seconds since the epoch. `schema`: the digest of the tool as locked. `arguments`: their digest. `receipt`: the
    outside world's name for what was done. `verified`: None where nobody looked. `bytes`: of the answer. `completes`:
    a receipt is never changed, so what became known later stands in another one of the same step and attempt.
    `refused`: the gate that refused the call. `trace`: the id of the trace of the run, where there is one.
    """

    run: str
    step: str
    at: float
    principal: str
    tenant: str
    purpose: Kind
    version: str
    outcome: Outcome
    tool: str | None = None
    schema: str | None = None
    arguments: str | None = None
    key: str | None = None
    approval: Mapping[str, Any] | None = None
    fault: str | None = None
    verified: bool | None = None
    receipt: Any = None
    replayed: bool = False
    ms: int = 0
    bytes: int = 0
    attempt: int = 1
    completes: bool = False
    refused: str | None = None
    trace: str | None = None

    @property
    def item(self) -> int | None:
        """The position of the item that the step was done for, in the innermost loop."""
        found = _ITEM.search(self.step)
        return int(found[1]) if found else None

    @property
    def call(self) -> str:
        """The id of the call in its run, as commands have it."""
        return f"{self.step}{'' if self.purpose == 'step' else f':{self.purpose}'}#{self.attempt}"

    def to_json(self) -> dict[str, Any]:
        """One line of the record; what is not known is left out."""
        written: dict[str, Any] = {"run": self.run, "step": self.step, "item": self.item, "at": timestamp(self.at)}
        for name in (
            "principal",
            "tenant",
            "purpose",
            "tool",
            "version",
            "schema",
            "arguments",
            "approval",
            "key",
            "outcome",
        ):
            written[name] = getattr(self, name)
        for name in ("fault", "refused", "verified", "receipt", "ms", "bytes", "attempt", "trace"):
            written[name] = getattr(self, name)
        written |= {"replayed": self.replayed or None, "completes": self.completes or None}
        return {name: value for name, value in written.items() if value is not None}


def timestamp(seconds: float) -> str:
    """Seconds since the epoch as a timestamp, whole milliseconds."""
    return write_timestamp(Timestamp(int(seconds * 1000 // 1) * (NANOS // 1000)))
