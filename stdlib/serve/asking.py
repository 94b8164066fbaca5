"""Puts questions to the client's user: by elicitation, as each era of the protocol has it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import anyio

from ..runtime.clean import clean
from ..runtime.gates.mask import OPEN, Mask
from ..runtime.question import Answer, Answered, Approved, Question, Refused
from .waiting import Pending, WaitingRun

if TYPE_CHECKING:
    import mcp_types as t
    from mcp.server.context import ServerRequestContext

log = logging.getLogger("chainc.serve")

USER: Final = "user"
"""Who approves by elicitation: the client's user, nobody knows more."""

_SHOWN: Final = 8000
"""Most characters of what a question shows that stand in a message."""


class Asker:
    """The user of the client that made a request. `cannot`: steps whose questions could not be put to that user."""

    def __init__(self, context: ServerRequestContext[Any], mask: Mask = OPEN) -> None:
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        self._context = context
        self._mask = mask
        self._cannot: set[str] = set()
        self.is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS

    def askable(self, run: WaitingRun) -> list[Pending]:
        """The open questions that this user may answer; those for a group are somebody else's."""
        if not self.can_ask:
            return []
        return [each for each in run.open() if each.question.by is None and each.question.step not in self._cannot]

    @property
    def can_ask(self) -> bool:
        """Whether the client has forms for its user."""
        capabilities = self._context.session.client_capabilities
        found = None if capabilities is None else capabilities.elicitation
        return found is not None and (found.form is not None or found.url is None)

    def required(self, run: WaitingRun, pending: list[Pending]) -> t.InputRequiredResult:
        """The questions as the later era puts them; the state, which the transport seals, says what was seen."""
        import mcp_types as t

        requests: dict[str, Any] = {
            each.question.step: t.ElicitRequest(
                params=t.ElicitRequestFormParams(
                    message=message(each.question, self._mask), requested_schema=form(each.question)
                )
            )
            for each in pending
        }
        seen = {each.question.step: each.question.digest for each in pending}
        return t.InputRequiredResult(input_requests=requests, request_state=json.dumps({"run": run.id, "seen": seen}))

    async def elicit(self, run: WaitingRun, pending: Pending) -> None:
        """Asks as the earlier era does, until the user has answered or the question is closed."""
        question = pending.question
        async with anyio.create_task_group() as group:

            async def ask() -> None:
                try:
                    found = await self._context.session.elicit_form(
                        message(question, self._mask), form(question), related_request_id=self._context.request_id
                    )
                    run.answer(question.step, question.digest, read_answer(question, found))
                except Exception as error:
                    log.warning("the client could not ask its user", exc_info=error)
                    self._cannot.add(question.step)
                group.cancel_scope.cancel()

            group.start_soon(ask)
            await pending.closed.wait()
            group.cancel_scope.cancel()


def read_state(state: str | None) -> tuple[str, Mapping[str, str]] | None:
    """The run and what its user has seen, from the state of a repeated request."""
    if state is None:
        return None
    told = json.loads(state)
    return told["run"], told["seen"]


def take_answers(run: WaitingRun, seen: Mapping[str, str], responses: Mapping[str, Any] | None) -> None:
    """Hands the answers of a repeated request to the run; those to other questions than it asks are ignored."""
    from mcp_types import ElicitResult

    questions = {each.question.step: each.question for each in run.open()}
    for step, found in (responses or {}).items():
        if step in questions and step in seen and isinstance(found, ElicitResult):
            run.answer(step, seen[step], read_answer(questions[step], found))


def read_answer(question: Question, found: t.ElicitResult) -> Answer:
    """What the user did with the form. Only a clear yes approves."""
    content = clean(dict(found.content or {}))
    if question.kind == "approve":
        comment = content.get("comment")
        said = comment if isinstance(comment, str) and comment else None
        agrees = found.action == "accept" and content.get("approve") is True
        return Approved(USER, said) if agrees else Refused(USER, said)
    if found.action != "accept":
        return Refused(USER)
    given = {name: value for name, value in content.items() if value is not None}
    left_out = set(question.form.get("required", ())) - set(form(question)["required"])
    return Answered({**dict.fromkeys(sorted(left_out)), **given})


def message(question: Question, mask: Mask = OPEN) -> str:
    """The question and what is shown with it."""
    text = mask.text(question.text)
    if question.show is None:
        return text
    shown = json.dumps(mask.value(question.show), ensure_ascii=False, indent=2)
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}… ({len(shown) - _SHOWN} more characters)"
    return f"{text}\n\n{shown}"


def form(question: Question) -> dict[str, Any]:
    """The form as elicitation has it: flat fields, none of them null; what may be null may be left out."""
    schema = question.form
    fields = {name: _field(each) for name, each in schema.get("properties", {}).items()}
    may_lack = {name for name, each in schema.get("properties", {}).items() if each != fields[name]}
    required = [name for name in schema.get("required", ()) if name not in may_lack]
    return {"type": "object", "properties": fields, "required": required}


def _field(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A field without its null."""
    forms = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(forms) == 1:
        return {**forms[0], **{name: value for name, value in schema.items() if name in ("title", "description")}}
    field = dict(schema)
    if "enum" in field and None in field["enum"]:
        field["enum"] = [each for each in field["enum"] if each is not None]
        field["type"] = "string"
    return field
