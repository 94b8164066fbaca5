"""`page_edit`: a large text that no model sees goes back for the version that was read, and comes back if need be."""

import json
from typing import Any

import anyio
import pytest

from stdlib.runtime.principal import Owner
from stdlib.runtime.run import Result
from tests.examples.conftest import Changes
from tests.examples.projects import Example, called, opened, simulated

EDIT = {"page_id": "runbook", "heading": "On call", "body": "Bob until Monday.", "seen": 1, "why": "the new rota"}
BEFORE = simulated("wiki").RUNBOOK + simulated("wiki").LOG
AFTER = BEFORE.replace("Ada until Friday.\n\n### Escalation\n\nCall Bob.\n", "Bob until Monday.\n")


def edit(**more: Any) -> Result:
    return anyio.run(called, "page_edit", "page_edit", {**EDIT, **more})


def section(heading: str) -> Result:
    return anyio.run(called, "page_edit", "page_section", {"page_id": "runbook", "heading": heading})


async def kept(example: Example, result: Result) -> str:
    """What stands under the handle of a result."""
    assert result.wire is not None, result.fault
    text: str = await example.store.handles.value(Owner(), result.wire["handle"]["id"])
    return text


def writes(changes: Changes) -> list[tuple[int, str]]:
    return [(entry["version"], entry["by"]) for entry in changes("wiki.write")]


def refused(result: Result, fault_class: str, words: str) -> None:
    assert result.fault is not None
    assert (result.fault.fault_class, words in result.fault.message) == (fault_class, True), result.fault


def test_one_section_is_another_and_the_text_stays_out_of_the_answer(changes: Changes):
    async def test() -> None:
        async with opened("page_edit") as example:
            result = await example.call("page_edit", EDIT)
            assert result.summary == "Runbook has version 2 now, with another section On call."
            assert len(json.dumps(result.wire)) < 1000
            text = await kept(example, result)
            assert text == AFTER
            assert len(text) > 400_000

    anyio.run(test)
    assert writes(changes) == [(2, "us")]
    assert [entry["text"] for entry in changes("wiki.comment")] == ["On call: the new rota"]


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("On call", "Ada until Friday.\n\n### Escalation\n\nCall Bob."),
        ("Escalation", "Call Bob."),
        ("Restart", "```sh\n## not a heading\nmake restart\n```"),
    ],
)
def test_a_section_is_read_with_its_version(heading: str, text: str):
    assert section(heading).wire == {"version": 1, "section": text}


@pytest.mark.parametrize("heading", ["Off call", "not a heading"])
def test_a_section_that_is_not_there(heading: str, changes: Changes):
    refused(section(heading), "tool_error", f"The page has no section called {heading}.")
    refused(edit(heading=heading), "tool_error", f"The page has no section called {heading}.")
    assert changes("") == []


def test_a_page_that_was_changed_since_it_was_read_is_not_changed(changes: Changes):
    async def test() -> None:
        async with opened("page_edit") as example:
            await example.call("page_edit", EDIT)
            again = await example.call("page_edit", {**EDIT, "body": "Cyd."})
            refused(again, "precondition", "Runbook has version 2 now, not 1: read the section again.")
            later = await example.call("page_edit", {**EDIT, "body": "Cyd.", "seen": 2})
            assert await kept(example, later) == AFTER.replace("Bob until Monday.", "Cyd.")

    anyio.run(test)
    assert writes(changes) == [(2, "us"), (3, "us")]


def test_who_writes_at_the_same_moment_is_not_overwritten(changes: Changes):
    result = edit(page_id="busy")
    refused(result, "tool_error", "Somebody else has written: the page has version 2.")
    assert writes(changes) == [(2, "eve")]


def test_an_answer_that_is_lost_is_no_second_version(changes: Changes):
    assert edit(page_id="dropped").fault is None
    assert writes(changes) == [(2, "us")]


def test_the_former_text_comes_back_where_readers_cannot_be_told(changes: Changes):
    result = edit(page_id="sealed")
    refused(result, "tool_error", "The comments are closed.")
    assert [(entry["version"], entry["former"]) for entry in changes("wiki.write")] == [(2, False), (3, True)]
    assert result.fault is not None
    assert (result.fault.undone, result.fault.not_undone) == (("saved",), ())


def test_what_somebody_has_written_since_is_kept_and_told(changes: Changes):
    result = edit(page_id="contested")
    refused(result, "tool_error", "The comments are closed.")
    assert writes(changes) == [(2, "us"), (3, "eve")]
    assert result.fault is not None
    ((left),) = result.fault.not_undone
    assert left["step"] == "saved"
    assert "the page has version 3" in str(left)
