"""Keeps the receipts of a run while it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..values.digest import digest
from .events import CallFailed, CallSucceeded, StartCall
from .fault import Fault
from .principal import Owner
from .question import Answer, Answered, Approved, Question, Refused
from .receipt import Kind, Outcome, Receipt


class Record:
    """`run`: its id. `version`: of the plan. `earlier`: what was written before an interruption. `trace`: the id of its
    trace."""

    def __init__(self, run: str, owner: Owner, version: str, earlier: Sequence[Receipt] = ()) -> None:
        self.run = run
        self.trace: str | None = None
        self._owner = owner
        self._version = version
        self._receipts = list(earlier)
        self._told = len(self._receipts)
        self._by_call = {each.call: each for each in earlier if each.tool is not None and not each.completes}

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """In the order in which the calls ended, each with what became known of it later."""
        late = {each.call: each for each in self._receipts if each.completes}
        return tuple(_completed(each, late) for each in self._receipts if not each.completes)

    def untold(self) -> tuple[Receipt, ...]:
        """Those that were not asked for before, as they are written down."""
        told, self._told = self._told, len(self._receipts)
        return tuple(self._receipts[told:])

    def called(self, command: StartCall, event: CallSucceeded | CallFailed, started: float, ended: float) -> None:
        self._by_call[command.call] = self._note(
            command.step,
            started,
            command.purpose,
            "fault" if isinstance(event, CallFailed) else "ok",
            tool=f"{command.tool.source}.{command.tool.plan.name}",
            schema=command.tool.plan.digest,
            arguments=digest(command.arguments),
            key=event.key if isinstance(event, CallFailed) and event.key else command.key,
            fault=event.fault.fault_class if isinstance(event, CallFailed) else None,
            replayed=isinstance(event, CallSucceeded) and event.replayed,
            ms=max(0, round((ended - started) * 1000)),
            bytes=event.bytes if isinstance(event, CallSucceeded) else 0,
            attempt=command.attempt,
            refused=event.fault.refused if isinstance(event, CallFailed) else None,
        )

    def complete(self, call: str, receipt: Any, verified: bool | None) -> None:
        """What became known of a call afterwards."""
        known = self._by_call.get(call)
        if known is not None:
            self._receipts.append(replace(known, receipt=receipt, verified=verified, completes=True))

    def refused(self, chain: str, fault: Fault, at: float) -> None:
        """The result of the whole is not handed out."""
        self._note(chain, at, "step", "fault", fault=fault.fault_class, refused=fault.refused)

    def consented(self, name: str, approval: Mapping[str, Any], at: float) -> None:
        """The client's user agreed to the call itself."""
        self._note(name, at, "approve", "ok", approval=approval)

    def answered(self, question: Question, answer: Answer | Fault, at: float) -> None:
        approval: dict[str, Any] = {"digest": question.digest}
        if question.kind == "approve" and isinstance(answer, Approved | Refused):
            approval |= {"approved": isinstance(answer, Approved), "by": answer.by}
        outcome: Outcome = "ok" if isinstance(answer, Approved | Answered | Refused) else "fault"
        fault = answer.fault_class if isinstance(answer, Fault) else None
        self._note(question.step, at, question.kind, outcome, approval=approval, fault=fault)

    def _note(self, step: str, at: float, purpose: Kind, outcome: Outcome, **more: Any) -> Receipt:
        """`more`: what is known beyond what every receipt of the run has."""
        receipt = Receipt(
            run=self.run,
            step=step,
            at=at,
            principal=self._owner.principal,
            tenant=self._owner.tenant,
            trace=self.trace,
            purpose=purpose,
            version=self._version,
            outcome=outcome,
            **more,
        )
        self._receipts.append(receipt)
        return receipt


def _completed(receipt: Receipt, late: Mapping[str, Receipt]) -> Receipt:
    more = late.get(receipt.call)
    return receipt if more is None else replace(receipt, receipt=more.receipt, verified=more.verified)
