"""`market_report`: claims over a server without schemas, Python functions, a question, items left out, a handle."""

from typing import Any

import anyio
import pytest

from stdlib.runtime.question import Answer, Answered, Expired, Refused
from stdlib.runtime.run import Result
from tests.examples.projects import Person, opened

SCORED = [
    {
        "company": "Borealis Robotics",
        "region": "emea",
        "score": 0.526,
        "sources": ["https://borealis.example/hiring", "https://borealis.example/news/gone"],
    },
    {
        "company": "Tern Logistics",
        "region": "emea",
        "score": 0.308,
        "sources": ["https://tern.example/hiring", "https://tern.example/news/gone"],
    },
]
"""The best first. Of the other three one is not found, for one the search fails, for one it answers prose."""


def report(person: Person | None = None, **arguments: Any) -> Result:
    async def once() -> Result:
        async with opened("market_report") as example:
            return await example.call("market_report", {"region": "emea", **arguments}, person)

    return anyio.run(once)


def test_companies_are_scored_and_those_without_a_page_left_out():
    result = report(focus="hiring")
    assert result.fault is None
    assert result.value == SCORED
    assert result.summary == (
        "2 of 5 companies scored for EMEA.\nBest: Borealis Robotics (0.526).\nSkipped: 3.\n"
    )  # fmt: skip
    faults = {(each.step, each.fault) for each in result.receipts if each.fault is not None}
    assert ("rows[1].hits", "shape_mismatch") in faults
    assert ("rows[3].hits", "tool_error") in faults
    assert ("rows[2].points", "tool_error") in faults
    assert ("rows[0].pages[1]", "tool_error") in faults


def test_the_answer_is_a_handle():
    result = report(focus="hiring")
    assert result.wire is not None
    handle = result.wire["handle"]
    assert (handle["kind"], handle["items"], handle["summary"]) == ("company_table", 2, result.summary)


def test_a_region_without_companies():
    result = report(region="apac", focus="growth")
    assert result.value == []
    assert result.summary == "0 of 0 companies scored for APAC.\nBest: none (0).\nSkipped: 0.\n"


@pytest.mark.parametrize(
    ("answer", "topic"),
    [
        (Answered({"focus": "hiring", "note": None}), "hiring"),
        (Answered({"focus": "risk"}), "risk"),
        (Refused(), "growth"),
        (Expired(), "growth"),
    ],
)
def test_the_focus_is_asked_for_where_it_is_left_out(answer: Answer, topic: str):
    person = Person(answer)
    result = report(person, region="amer", limit=1)
    assert result.value[0]["sources"][0] == f"https://pampa.example/{topic}"
    (question,) = person.questions
    assert question.kind == "ask"
    assert question.text == "What should the report for amer focus on?"
    assert question.form["properties"]["focus"]["enum"] == ["growth", "risk", "hiring"]
    assert question.timeout_ms == 15 * 60_000


def test_nobody_is_asked_where_the_focus_is_given():
    person = Person(Refused())
    assert report(person, region="amer", focus="hiring").fault is None
    assert person.questions == []


def test_where_nobody_can_be_asked_an_answer_is_missing():
    result = report()
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("input_required", "asked")


def test_an_answer_that_is_none_of_the_choices():
    result = report(Person(Answered({"focus": "weather"})))
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("invalid_input", "asked")
