"""Keeps the receipts of a run while it goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..values.digest import digest
from .events import CallFailed, CallSucceeded, StartCall
from .fault import Fault
from .question import Answer, Answered, Approved, Question, Refused
from .receipt import Receipt


class Record:
    """`run`: its id. `version`: of the plan."""

    def __init__(self, run: str, principal: str, version: str) -> None:
        self._run = run
        self._principal = principal
        self._version = version
        self._receipts: list[Receipt] = []
        self._places: dict[str, int] = {}

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """In the order in which the calls ended."""
        return tuple(self._receipts)

    def called(self, command: StartCall, event: CallSucceeded | CallFailed, started: float, ended: float) -> None:
        failed = isinstance(event, CallFailed)
        receipt = Receipt(
            run=self._run,
            step=command.step,
            at=started,
            principal=self._principal,
            purpose=command.purpose,
            version=self._version,
            outcome="fault" if failed else "ok",
            tool=f"{command.tool.source}.{command.tool.plan.name}",
            schema=command.tool.plan.digest,
            arguments=digest(command.arguments),
            key=event.key if isinstance(event, CallFailed) and event.key else command.key,
            fault=event.fault.fault_class if isinstance(event, CallFailed) else None,
            replayed=isinstance(event, CallSucceeded) and event.replayed,
            ms=max(0, round((ended - started) * 1000)),
            bytes=event.bytes if isinstance(event, CallSucceeded) else 0,
            attempt=command.attempt,
        )
        self._places[command.call] = len(self._receipts)
        self._receipts.append(receipt)

    def complete(self, call: str, receipt: Any, verified: bool | None) -> None:
        """What became known of a call afterwards."""
        place = self._places.get(call)
        if place is not None:
            self._receipts[place] = replace(self._receipts[place], receipt=receipt, verified=verified)

    def answered(self, question: Question, answer: Answer | Fault, at: float) -> None:
        approval: dict[str, Any] = {"digest": question.digest}
        if question.kind == "approve" and isinstance(answer, Approved | Refused):
            approval |= {"approved": isinstance(answer, Approved), "by": answer.by}
        given = isinstance(answer, Approved | Answered | Refused)
        self._receipts.append(
            Receipt(
                run=self._run,
                step=question.step,
                at=at,
                principal=self._principal,
                purpose=question.kind,
                version=self._version,
                outcome="ok" if given else "fault",
                approval=approval,
                fault=answer.fault_class if isinstance(answer, Fault) else None,
            )
        )
