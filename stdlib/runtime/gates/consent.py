"""Gate 4: consent. The client's user is asked before a call that the server's owner wants asked about.

Chains say themselves where they need an approval (`approve`); this gate is for tools that clients call directly, and
for chains that the owner names. A consent is for one call with its arguments: it is asked anew for the next one,
whatever that is, and ends when nobody answers in time.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import anyio

from ..fault import RunFault
from ..question import APPROVE_FORM, Answer, Approved, Question, Refused
from .passing import Inside, Passing, refusal

if TYPE_CHECKING:
    from ..loaded import LoadedTool

CONSENT_MS: Final = 600_000
"""How long the user has, in milliseconds."""

STEP: Final = "(consent)"
"""The name of the question; no step has it."""


@dataclass(frozen=True, slots=True)
class Consents:
    """Which calls of clients are asked about. `destructive`: tools that may destroy something, and those in `listed`;
    `listed`: the latter alone; `never`: none. `listed` holds names of chains, and tools as clients see them."""

    mode: Literal["destructive", "listed", "never"] = "listed"
    listed: Collection[str] = ()

    def wanted(self, name: str, tool: LoadedTool | None) -> bool:
        if self.mode == "never":
            return False
        if name in self.listed:
            return True
        return self.mode == "destructive" and tool is not None and _destroys(tool)


def _destroys(tool: LoadedTool) -> bool:
    return tool.plan.effects.destructive and not tool.plan.effects.read_only


async def consent(passing: Passing, onward: Inside) -> Any:
    """Refuses with `consent_required` where nobody can be asked or nobody answers, with `denied` where the user says
    no."""
    gates = passing.world.gates
    if passing.by_client and gates.consents.wanted(passing.name, passing.tool):
        answer = await _asked(passing)
        if isinstance(answer, Refused):
            said = f" The comment: {answer.comment}" if answer.comment else ""
            advice = "Do not call again unless the user changes their mind."
            raise refusal("consent", "denied", f"The user does not want {passing.label} called.{said}", next=advice)
        if not isinstance(answer, Approved):
            raise _required(passing, f"nobody answered within {CONSENT_MS // 60_000} minutes")
    return await onward(passing)


async def _asked(passing: Passing) -> Answer | None:
    world = passing.world
    if not world.who.can_be_asked:
        raise _required(passing, "this client cannot ask its user")
    text = f"May {passing.label} be called with these arguments?"
    question = Question("approve", STEP, text, APPROVE_FORM, CONSENT_MS, show=passing.arguments)
    with anyio.move_on_after(CONSENT_MS / 1000):
        try:
            answer = await world.people.approve(question)
        except RunFault:
            raise _required(passing, "there is nobody who could be asked") from None
        passing.approval = {"digest": question.digest, "approved": isinstance(answer, Approved)}
        if isinstance(answer, Approved | Refused):
            passing.approval["by"] = answer.by
        return answer
    return None


def _required(passing: Passing, why: str) -> RunFault:
    advice = "Ask the user; they can call it with a client that asks, or have the server's owner allow it."
    message = f"{passing.label} is called with the consent of the user alone, and {why}."
    return refusal("consent", "consent_required", message, next=advice)
