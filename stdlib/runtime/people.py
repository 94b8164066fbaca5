"""The way to people: who approves, and who answers questions."""

from __future__ import annotations

import logging
from typing import Protocol

from .fault import Fault, RunFault
from .question import Answer, Question

log = logging.getLogger("chainc.run")


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


async def answered(people: People, question: Question) -> Answer | Fault:
    """The answer, or why there is none."""
    try:
        return await (people.approve(question) if question.kind == "approve" else people.ask(question))
    except RunFault as found:
        return found.fault
    except Exception as error:
        log.error("a mistake of ours at the question %s", question.step, exc_info=error)
        return Fault("internal", f"The question `{question.step}` could not be put to anybody.")


def unanswered(question: Question, why: str = "There is nobody here who could be asked.") -> Fault:
    """The fault of a question that cannot be put to anybody."""
    whose = f"the approval of {question.by}" if question.by else "an approval" if question.kind == "approve" else ""
    wanted = whose or "an answer"
    return Fault("input_required", f"{wanted[:1].upper()}{wanted[1:]} is needed: {question.text} {why}", question.step)
