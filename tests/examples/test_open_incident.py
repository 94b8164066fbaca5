"""`open_incident`: several files, chains that call chains, sections, approvals, taking back, older versions."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from stdlib.runtime.question import Approved, Expired, Refused
from stdlib.runtime.run import Result
from tests.examples.conftest import Changes
from tests.examples.projects import Person, compiled, opened

CHECKOUT = {
    "service": {"id": "svc-checkout", "name": "Checkout", "owner": "team-pay", "tier": 1},
    "severity": "critical",
    "suspects": ["dep-101", "dep-102"],
    "error_rate": 0.31,
}
SEARCH = {
    "service": {"id": "svc-search", "name": "Search", "owner": None, "tier": 2, "language": "rust"},
    "severity": "medium",
    "suspects": ["dep-104"],
    "error_rate": 0.04,
}


Incident = Callable[..., Result]
"""Calls the chain, or the one named `chain`; what its people answer is given by `person`."""


@pytest.fixture(scope="module")
def incident(journal: Path) -> Iterator[Incident]:
    """Four servers of tools: they are started once for all tests here."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened("open_incident")) as example:

        def call(person: Person | None = None, chain: str = "open_incident", **arguments: Any) -> Result:
            result: Result = portal.call(example.call, chain, arguments, person)
            return result

        yield call


def whats(changes: Changes) -> list[str]:
    return [entry["what"] for entry in changes("")]


def test_a_dry_run_looks_and_does_nothing(incident: Incident, changes: Changes):
    """A service that is described in another way than the type says is left out; so is one that does not exist."""
    result = incident(alert_id="al-2291", dry_run=True)
    assert result.wire == {"ticket": None, "page": None, "room": None, "findings": [CHECKOUT, SEARCH]}
    assert result.summary == "2 services inspected, worst critical."
    assert changes("") == []


def test_the_window_says_how_far_to_look_back(incident: Incident):
    result = incident(alert_id="al-2291", dry_run=True, window="PT25M")
    assert result.wire is not None
    assert [finding["suspects"] for finding in result.wire["findings"]] == [["dep-102"], []]


def test_what_is_not_serious_gets_a_ticket_only(incident: Incident, changes: Changes):
    result = incident(alert_id="al-2292")
    (ticket,) = changes("")
    url = f"https://tickets.example/{ticket['id']}"
    assert result.wire == {"ticket": url, "page": None, "room": None, "findings": [SEARCH]}
    assert ticket["what"] == "tickets.create"
    assert ticket["title"] == "[medium] Search is slow"
    assert ticket["labels"] == {"severity": "medium", "source": "chainc", "al-2292": True}
    assert ticket["body"] == (
        "* Search: 4%\n\nSee https://alerts.example/al-2292 // kept: this is text, not a comment\n"
    )  # fmt: skip


def test_a_serious_one_pages_and_rolls_back_when_someone_agrees(incident: Incident, changes: Changes):
    person = Person(Approved("mia"))
    result = incident(person, alert_id="al-2291")
    assert whats(changes) == [
        "tickets.create",
        "pager.page",
        "chat.create_room",
        "deploys.rollback",
        "deploys.rollback",
    ]
    ticket, page, room, *rollbacks = changes("")
    assert result.wire == {
        "ticket": f"https://tickets.example/{ticket['id']}",
        "page": page["id"],
        "room": room["id"],
        "findings": [CHECKOUT, SEARCH],
    }
    assert (page["service"], page["urgent"]) == ("svc-checkout", True)
    assert room["name"] == f"inc-{ticket['id']}"
    assert [rollback["id"] for rollback in rollbacks] == ["dep-101", "dep-102"]
    (question,) = person.questions
    assert (question.text, question.by) == ("Roll back 2 deploys of Checkout?", "on-call")
    assert set(question.show["findings"]) == {"critical", "medium"}


def test_without_an_approval_nothing_is_rolled_back(incident: Incident, changes: Changes):
    for answer in (Refused("mia"), Expired()):
        result = incident(Person(answer), alert_id="al-2291")
        assert result.fault is None
    assert changes("deploys.") == []
    assert len(changes("pager.")) == 2


def test_where_nobody_can_be_asked_everything_is_taken_back(incident: Incident, changes: Changes):
    result = incident(alert_id="al-2291")
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("input_required", "go")
    taken_back = {"tickets.create": "tickets.close", "chat.create_room": "chat.archive_room"}
    found = whats(changes)
    assert [back for made, back in taken_back.items() if made in found and back not in found] == []


def test_a_rollback_that_fails_takes_back_what_can_be(incident: Incident, changes: Changes):
    result = incident(Person(Approved("mia")), alert_id="al-2293")
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "rolled[1]")
    assert whats(changes) == [
        "tickets.create",
        "pager.page",
        "chat.create_room",
        "deploys.rollback",
        "deploys.reapply",
        "chat.archive_room",
        "tickets.close",
    ]
    assert result.fault.done == ("page",)
    assert result.fault.undone == ("rolled[0]", "room", "ticket")


def test_a_page_that_fails_closes_the_ticket(incident: Incident, changes: Changes):
    result = incident(Person(Refused()), alert_id="al-2294")
    assert result.fault is not None
    assert result.fault.step == "page"
    assert whats(changes)[-1] == "tickets.close"


def test_a_room_that_cannot_be_made_is_done_without(incident: Incident, changes: Changes):
    result = incident(Person(Refused()), alert_id="al-2295")
    assert result.wire is not None
    assert (result.wire["page"], result.wire["room"]) == (changes("pager.")[0]["id"], None)
    assert changes("chat.") == []


def test_without_a_finding_nothing_is_written(incident: Incident, changes: Changes):
    for alert in ("al-2296", "al-2297"):
        result = incident(alert_id=alert)
        assert result.fault is not None
        assert result.fault.fault_class == "precondition"
        assert result.fault.message == f"No service behind {alert} could be inspected."
    assert changes("") == []


def test_an_alert_that_does_not_exist(incident: Incident, changes: Changes):
    result = incident(alert_id="al-0")
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "alert")
    assert "There is no alert al-0." in result.fault.message


# ------------------------------------------------------------------ older versions


def test_calls_of_1_x_are_adapted(incident: Incident, changes: Changes):
    result = incident(alert="al-2292", minutes=30)
    assert result.adapter == "1.x"
    serious = incident(Person(Refused()), alert="al-2291")
    first, second = (f"https://tickets.example/{ticket['id']}" for ticket in changes("tickets."))
    assert result.wire == {"url": first, "paged": False}
    assert serious.wire == {"url": second, "paged": True}


def test_the_old_name_still_works(incident: Incident, changes: Changes):
    result = incident(chain="create_incident", alert_id="al-2292")
    (ticket,) = changes("")
    assert result.wire == {"result": f"https://tickets.example/{ticket['id']}"}


def test_the_catalogue_tells_what_is_old_and_hides_what_is_private():
    _, catalogue = compiled("open_incident")
    entries = {entry.id: entry for entry in catalogue.entries}
    assert set(entries) == {"open_incident", "create_incident"}
    old = entries["create_incident"].deprecated
    assert old is not None
    assert (old.use, old.remove_in) == ("open_incident", "3.0.0")
    assert entries["open_incident"].behaviour.approvals == ("on-call",)
