"""The way to people: who approves, and who answers questions."""

from __future__ import annotations

from typing import Protocol

from .fault import Fault, RunFault
from .question import Answer, Question


class People(Protocol):
    """Puts questions to people and waits for their answers, however long; the run sets the time.

    Raises `RunFault` where nobody can be asked. An approval comes from a person, never from a model.
    """

    async def approve(self, question: Question) -> Answer: ...

    async def ask(self, question: Question) -> Answer: ...


class Nobody:
    """There is nobody to ask."""

    async def approve(self, question: Question) -> Answer:
        raise RunFault(unanswered(question))

    async def ask(self, question: Question) -> Answer:
        raise RunFault(unanswered(question))


def unanswered(question: Question, why: str = "There is nobody here who could be asked.") -> Fault:
    """The fault of a question that cannot be put to anybody."""
    whose = f"the approval of {question.by}" if question.by else "an approval" if question.kind == "approve" else ""
    wanted = whose or "an answer"
    return Fault("input_required", f"{wanted[:1].upper()}{wanted[1:]} is needed: {question.text} {why}", question.step)
