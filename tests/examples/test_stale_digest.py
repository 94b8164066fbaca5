"""`stale_digest`: what is stale is told, and posted where a channel is given."""

from typing import Any

import anyio
import pytest

from stdlib.runtime.run import Result
from tests.examples.conftest import Changes
from tests.examples.projects import called


def digest(**arguments: Any) -> Result:
    return anyio.run(called, "stale_digest", "stale_digest", {"repo": "acme/app", **arguments})


LINES = [
    {"number": 3, "title": "Crash when the cart is empty", "age_days": 400, "owner": "ada", "last_word": "eve"},
    {"number": 7, "title": "Umlauts are lost in the CSV export", "age_days": 90, "owner": None, "last_word": None},
    {"number": 8, "title": "Remove the old login", "age_days": 31, "owner": "bob", "last_word": None},
]
"""The oldest first. Nobody has commented on number 8, which is a fault of the tool; number 7 has an empty comment."""


def test_open_issues_without_an_update_are_stale(changes: Changes):
    result = digest()
    assert result.wire == {"stale_count": 3, "lines": LINES, "posted": False}
    assert changes("slack.") == []


def test_a_channel_gets_the_digest(changes: Changes):
    result = digest(channel="#triage", older_than="P60D")
    assert result.wire == {"stale_count": 2, "lines": LINES[:2], "posted": True}
    (post,) = changes("slack.")
    assert post["channel"] == "#triage"
    assert post["text"] == "2 stale issues in *acme/app*, oldest: Crash when the cart is empty"


def test_nothing_stale_is_not_worth_a_post(changes: Changes):
    for arguments in ({"older_than": "P3650D"}, {"repo": "acme/empty"}):
        result = digest(channel="#triage", **arguments)
        assert result.wire == {"stale_count": 0, "lines": [], "posted": False}
    assert changes("slack.") == []


def test_a_post_that_is_refused_fails_the_chain(changes: Changes):
    result = digest(channel="#archive")
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "posted")
    assert changes("slack.") == []


@pytest.mark.parametrize("repo", ["acme", "acme/app/more", "acme app/x"])
def test_a_repository_is_written_as_owner_and_name(repo: str):
    result = digest(repo=repo)
    assert result.fault is not None
    assert result.fault.fault_class == "invalid_input"
