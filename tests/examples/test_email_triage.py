"""`email_triage`: seen by a person before it is sent, and sent once; what is in doubt is found out or told."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp_types import TextContent

from stdlib.runtime.people import People
from stdlib.runtime.question import Answer, Approved, Expired, Question, Refused
from stdlib.runtime.run import Result
from tests.examples.built import build, over_stdio
from tests.examples.conftest import Changes
from tests.examples.projects import Person, opened


@dataclass
class Reader:
    """Answers by the address that a mail would go to; agrees where nothing is said."""

    answers: Mapping[str, Answer] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)

    async def approve(self, question: Question) -> Answer:
        to = question.show["to"]
        self.shown[to] = question.show
        return self.answers.get(to, Approved("mia"))

    async def ask(self, question: Question) -> Answer:
        raise AssertionError(question)


def triage(people: People | None = None, **arguments: Any) -> Result:
    async def once() -> Result:
        async with opened("email_triage") as example:
            return await example.call("email_triage", arguments, people)

    return anyio.run(once)


def outcomes(result: Result) -> dict[str, str]:
    assert result.fault is None, result.fault
    return {each["from"].partition("@")[0]: each["outcome"] for each in result.value}


def test_what_a_person_has_seen_is_sent_and_a_no_stops_nobody_else(changes: Changes):
    reader = Reader({"bob@customers.example": Refused("mia")})
    result = triage(reader)
    assert outcomes(result) == {
        "ada": "sent",
        "bob": "not_approved",
        "deals": "left_alone",
        "eve": "left_alone",
    }
    assert result.summary == "1 of 4 mails answered, 0 in doubt."
    (sent,) = changes("")
    shown = reader.shown["ada@customers.example"]
    assert [sent[part] for part in ("to", "subject", "body")] == [shown[part] for part in ("to", "subject", "body")]
    assert shown["subject"] == "Re: Where is my parcel?"
    assert shown["body"].startswith("Hello Ada,\n\nParcels arrive")


def test_nobody_is_asked_about_mails_without_a_usual_answer():
    reader = Reader()
    triage(reader)
    assert sorted(reader.shown) == ["ada@customers.example", "bob@customers.example"]


def test_a_mail_that_gives_orders_is_a_mail_of_another_kind():
    kinds = {each["mail_id"]: each["kind"] for each in triage(Person(Expired())).value}
    assert kinds == {"m-1": "delivery", "m-2": "refund", "m-3": "advertising", "m-4": "other"}


def test_without_an_answer_in_time_nothing_is_sent(changes: Changes):
    result = triage(Person(Expired()))
    assert set(outcomes(result).values()) == {"not_approved", "left_alone"}
    assert changes("") == []


def test_where_nobody_can_be_asked_nothing_is_sent(changes: Changes):
    result = triage()
    assert result.fault is not None
    assert result.fault.fault_class == "input_required"
    assert changes("") == []


def test_a_client_that_cannot_ask_is_told_all_questions_at_once(tmp_path: Path, services: str):
    async def test() -> None:
        async with over_stdio(build("email_triage", tmp_path / "dist", services), "auto") as client:
            result = await client.call_tool("email_triage", {})
        (block,) = result.content
        assert isinstance(block, TextContent)
        shown = [each["show"] for each in json.loads(block.text)["fault"]["details"]["awaits"]]
        assert [each["subject"] for each in shown] == ["Re: Where is my parcel?", "Re: Broken lamp"]

    anyio.run(test)


def test_what_became_of_a_mail_is_found_out_or_told(changes: Changes):
    """One bounces, one was sent but the connection broke, one got lost on the way, of one nobody knows."""
    result = triage(Reader(), folder="troubles")
    assert outcomes(result) == {
        "cyd": "not_sent",
        "dan": "sent",
        "eli": "not_sent",
        "fay": "in_doubt",
        "ada": "sent",
    }
    assert result.summary == "2 of 5 mails answered, 1 in doubt."
    assert sorted(each["mail"] for each in changes("")) == ["m-6", "m-9"]
    attempts = [each.step for each in result.receipts if each.step.endswith(".sent") and each.tool is not None]
    assert sorted(attempts) == [f"handled[{at}].sent" for at in range(5)]


def test_a_mail_that_was_answered_is_not_answered_again(changes: Changes):
    async def test() -> None:
        async with opened("email_triage") as example:
            await example.call("email_triage", {"folder": "troubles"}, Reader())
            again = Reader()
            result = await example.call("email_triage", {"folder": "troubles"}, again)
            assert set(outcomes(result)) == {"cyd", "eli", "fay"}

    anyio.run(test)
    assert sorted(each["mail"] for each in changes("")) == ["m-6", "m-9"]
