"""Faults: what a run tells its caller when it cannot give a result.

A fault is a value. Inside the runtime it travels as `RunFault`; at the border it becomes JSON (`Fault.to_json`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..plan.model import Origin
from ..values.canonical import clean_text

MESSAGE_LIMIT: Final = 2000
"""Most characters of a text from outside (a tool's error, a message) that go into a fault."""

DONE_LIMIT: Final = 50
"""Most steps that `done` (`undone`, `not_undone`) names; how many more there were stands in `details.done_more`."""


@dataclass(frozen=True, slots=True)
class FaultClass:
    """A row of the table: `retryable` says whether a further attempt may help; `advice` is what to do next."""

    code: str
    name: str
    retryable: bool
    advice: str


FAULT_CLASSES: Final = (
    FaultClass("F0001", "invalid_input", False, "Correct the arguments and call again."),
    FaultClass("F0002", "precondition", False, "Call again when the condition holds, or with other arguments."),
    FaultClass("F0003", "not_verified", False, "Look at the state of the system before you call again."),
    FaultClass("F0004", "result_too_large", False, "Ask for less: a filter, a shorter range, fewer items."),
    FaultClass(
        "F0005",
        "input_required",
        False,
        "Get what is asked answered: resume a run that waits, call one that has ended again.",
    ),
    FaultClass("F0006", "unknown_tool", False, "Choose a tool from the list."),
    FaultClass("F0007", "shape_mismatch", False, "Tell the owner of the chain: a value is not as it is expected."),
    FaultClass("F0008", "tool_error", False, "Read the tool's message; change the arguments or ask the user."),
    FaultClass("F0009", "timeout", True, "Call again later, or ask for less."),
    FaultClass("F0010", "cancelled", False, "Call again if the result is still wanted."),
    FaultClass("F0011", "unavailable", True, "Call again later; if it stays so, the server of the tool is down."),
    FaultClass("F0012", "rate_limited", True, "Wait, then call again."),
    FaultClass("F0013", "unknown_outcome", False, "Find out whether it happened before you call again."),
    FaultClass("F0014", "denied", False, "Ask somebody who may do this."),
    FaultClass("F0015", "consent_required", False, "Ask the user for consent."),
    FaultClass("F0016", "budget_exceeded", False, "Ask for less in one call."),
    FaultClass("F0017", "handle_expired", False, "Call the tool that made the handle again."),
    FaultClass("F0018", "handle_denied", False, "Use a handle of the right kind that this server gave."),
    FaultClass("F0019", "contract_drift", False, "Tell the owner of the chain: it must be synced and built again."),
    FaultClass("F0020", "circuit_open", False, "Change the arguments or ask the user; the same call failed twice."),
    FaultClass("F0021", "internal", False, "This is a mistake in the server; its log says more."),
)
"""Every class, in the order of codes. Codes are never given twice."""

BY_NAME: Final[Mapping[str, FaultClass]] = {row.name: row for row in FAULT_CLASSES}


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a run (or one step of it) has no result.

    `step` is the path of the step (`rows[3].hits`), `origin` its place in the workflow text. `done` names the steps
    with side effects that were finished, in that order: they stay done. `undone` names those that were taken back,
    `not_undone` has { step, reason } for those that could not be. `sent` is False where the call certainly never
    reached the tool. `lasting` is True where waiting cannot help. `refused`: the gate that refused the call, or
    `person`. `details` are JSON values; `in_doubt` among them names other steps that may have
    happened and cannot be taken back.
    """

    fault_class: str
    message: str
    step: str | None = None
    origin: Origin | None = None
    next: str | None = None
    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    not_undone: tuple[Mapping[str, str], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    sent: bool = True
    lasting: bool = False
    refused: str | None = None

    def __post_init__(self) -> None:
        """A message can be written, whoever said what is in it."""
        if not self.message.isascii():
            object.__setattr__(self, "message", clean_text(self.message))

    @property
    def row(self) -> FaultClass:
        return BY_NAME[self.fault_class]

    @property
    def retryable(self) -> bool:
        """A further attempt of the whole call may help, and repeats nothing that was already done or may have been."""
        return self.may_pass and not self.done and not self.not_undone and not self.details.get("in_doubt")

    @property
    def may_pass(self) -> bool:
        """A further attempt of the same call may help."""
        return self.row.retryable and not self.lasting

    def at(self, step: str, origin: Origin | None) -> Fault:
        """The fault with its place, where it has none yet."""
        if self.step is not None:
            return self if self.origin is not None else replace(self, origin=origin)
        return replace(self, step=step or None, origin=self.origin or origin)

    def of_run(self, done: list[str], undone: list[str], not_undone: list[Mapping[str, str]]) -> Fault:
        """The fault of a whole run: what it had done and taken back stands in it, at most `DONE_LIMIT` of each."""
        counts = {"done": len(done), "undone": len(undone), "not_undone": len(not_undone)}
        more = {f"{name}_more": count - DONE_LIMIT for name, count in counts.items() if count > DONE_LIMIT}
        return replace(
            self,
            done=tuple(done[:DONE_LIMIT]),
            undone=tuple(undone[:DONE_LIMIT]),
            not_undone=tuple(not_undone[:DONE_LIMIT]),
            details={**self.details, **more},
        )

    def to_json(self) -> dict[str, Any]:
        """The structured fault as clients get it; what is not known is left out."""
        advice = self.next or self.row.advice
        if self.done and self.next is None:
            advice += " What `done` names has happened and stays: do not repeat it."
        if self.not_undone and self.next is None:
            advice += " What `not_undone` names could not be taken back: tell the user."
        if self.details.get("in_doubt") and self.next is None:
            advice += " What `details.in_doubt` names may have happened: find out before you repeat it."
        written: dict[str, Any] = {"code": self.row.code, "class": self.fault_class, "message": self.message}
        if self.step is not None:
            written["step"] = self.step
        if self.origin is not None:
            written["origin"] = {"file": self.origin.file, "line": self.origin.line, "column": self.origin.column}
        written |= {"retryable": self.retryable, "done": list(self.done)}
        if self.undone:
            written["undone"] = list(self.undone)
        if self.not_undone:
            written["not_undone"] = [dict(each) for each in self.not_undone]
        written["next"] = advice
        if self.details:
            written["details"] = dict(self.details)
        return written


class RunFault(Exception):
    """Carries a fault through code that gives values."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.fault_class}: {fault.message}")
        self.fault = fault


def fault(fault_class: str, message: str, **rest: Any) -> RunFault:
    """`raise fault("timeout", "…")`. The message is bounded."""
    return RunFault(Fault(fault_class, bounded(message), **rest))


CUT: Final = "…"
"""Stands where a text was cut."""


def bounded(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """The text, or its beginning and how much is missing."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}{CUT} ({len(text) - limit} more characters)"
