"""What a run asks people, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..plan.model import JsonSchema, Origin
from ..values.digest import digest

APPROVE_FORM: JsonSchema = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Approve"},
        "comment": {"type": "string", "title": "Comment"},
    },
    "required": ["approve"],
}
"""What a person fills in to approve or to reject."""

WAIT_MS = 24 * 3_600_000
"""How long a question waits that says nothing of it: a day."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of one step. `step` is its path in the run, items included; `by` the group that must answer, None:
    the client's user. `show`: what the person should see. `form`: the schema of the answer."""

    kind: Literal["approve", "ask"]
    step: str
    text: str
    form: JsonSchema
    timeout_ms: int
    by: str | None = None
    show: Any = None
    origin: Origin | None = None

    @property
    def digest(self) -> str:
        """What an approval binds to beside the run: step, item, words and what was shown."""
        return digest([self.kind, self.step, self.text, self.show])


@dataclass(frozen=True, slots=True)
class Approved:
    """`by`: who, as far as it is known. Never given by a model."""

    by: str
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The fields of the form."""

    values: Any


@dataclass(frozen=True, slots=True)
class Refused:
    """Rejected or declined."""

    by: str = "user"
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Expired:
    """Nobody answered in time."""


Answer = Approved | Answered | Refused | Expired
