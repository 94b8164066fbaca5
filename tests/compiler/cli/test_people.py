"""The person at the terminal."""

from __future__ import annotations

import io
from typing import Any

import anyio
import pytest

from compiler.cli.people import PersonHere
from stdlib.runtime.fault import RunFault
from stdlib.runtime.question import APPROVE_FORM, Answer, Answered, Approved, Question, Refused

FORM = {
    "type": "object",
    "properties": {
        "size": {"enum": ["s", "m"]},
        "count": {"type": "integer"},
        "sure": {"type": "boolean"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["size", "count", "sure"],
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def answers(monkeypatch: pytest.MonkeyPatch, text: str, *questions: Question, stdin: Any = None) -> list[Answer]:
    monkeypatch.setattr("sys.stdin", stdin or Terminal(text))

    async def ask() -> list[Answer]:
        person = PersonHere()
        return [await (person.approve(q) if q.kind == "approve" else person.ask(q)) for q in questions]

    return anyio.run(ask)


def approval(**more: Any) -> Question:
    return Question("approve", "go", "May I?", APPROVE_FORM, 1000, **more)


QUESTION = Question("ask", "q", "Which?", FORM, 1000)


def test_a_yes_approves_and_anything_else_does_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    given = answers(monkeypatch, "y\n\nyes please\nYES\n", *[approval(show={"amount": 5})] * 5)
    assert given == [Approved("ann"), Refused("ann"), Refused("ann"), Approved("ann"), Refused("ann")]
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith('go: May I?\n{\n  "amount": 5\n}\nApprove? [y/N] ')


def test_fields_are_asked_for_until_they_fit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    given = answers(monkeypatch, "xl\nm\nmany\n\n7\nyes\n\n", QUESTION)
    assert given == [Answered({"size": "m", "count": 7, "sure": True})]
    told = capsys.readouterr().err
    assert "  size (s, m): " in told
    assert "wants a whole number" in told
    assert "  note (may be empty): " in told


def test_the_end_of_the_input_declines(monkeypatch: pytest.MonkeyPatch):
    assert isinstance(answers(monkeypatch, "m\n", QUESTION)[0], Refused)


def test_a_group_does_not_approve_at_a_terminal(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(RunFault) as found:
        answers(monkeypatch, "y\n", approval(by="bosses"))
    assert found.value.fault.fault_class == "input_required"
    assert "approval of bosses" in found.value.fault.message


@pytest.mark.parametrize("question", [approval(), QUESTION])
def test_where_there_is_no_terminal_there_is_nobody(monkeypatch: pytest.MonkeyPatch, question: Question):
    with pytest.raises(RunFault, match="input_required"):
        answers(monkeypatch, "", question, stdin=io.StringIO("y\n"))
