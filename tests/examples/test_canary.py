"""`canary`: a growing share of the requests, watched in a loop; promoted when all went well, else taken back."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from stdlib.runtime.fault import Fault
from stdlib.runtime.run import Result
from tests.examples.conftest import Changes
from tests.examples.projects import opened

Release = Callable[..., Result]


@pytest.fixture(scope="module")
def release(journal: Path) -> Iterator[Release]:
    """One server for all tests here; a look takes a moment."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened("canary")) as example:

        def call(version: str, service: str = "checkout", **more: Any) -> Result:
            arguments = {
                "service": service,
                "version": version,
                "shares": [5, 25],
                "looks": 2,
                "window": "PT10S",
                **more,
            }
            result: Result = portal.call(example.call, "canary_release", arguments)
            return result

        yield call


def steps(changes: Changes) -> list[str]:
    """What was done to the canary, such as `start` and `route 5`."""
    return [
        " ".join([each["what"].removeprefix("rollouts."), *([str(each["percent"])] if "percent" in each else [])])
        for each in changes("rollouts.")
    ]


def fault(result: Result) -> Fault:
    assert result.fault is not None
    return result.fault


def test_a_version_that_does_well_gets_all_requests(release: Release, changes: Changes):
    result = release("2.0.0")
    assert result.wire == {
        "promoted": "2.0.0",
        "instead_of": "1.9.0",
        "stages": [{"share": 5, "worst": 0.002}, {"share": 25, "worst": 0.002}],
    }
    assert result.summary == "checkout 2.0.0 runs instead of 1.9.0; at worst 0.2% of the requests failed on the way."
    assert steps(changes) == ["start", "route 5", "route 25", "promote"]


def test_each_share_is_watched_look_by_look(release: Release, changes: Changes):
    """This one gets worse with every look: the fourth, the second one at 25 %, is too bad."""
    found = fault(release("2.1.0"))
    assert found.fault_class == "precondition"
    assert found.message == "At 25 %, 1.2% of the requests failed; 1.0% are tolerated."
    assert found.step == "stages[1].failed[1]"
    assert (found.done, found.not_undone) == ((), ())
    assert found.undone == ("stages[1].routed", "stages[0].routed", "canary")
    assert steps(changes) == ["start", "route 5", "route 25", "route 0", "route 0", "roll_back"]


def test_how_much_is_tolerated_is_up_to_the_caller(release: Release, changes: Changes):
    assert release("2.1.0", service="search", tolerated=0.02).fault is None
    assert steps(changes)[-1] == "promote"


@pytest.mark.parametrize(
    ("version", "fault_class", "message"),
    [
        ("2.2.0", "precondition", "Nobody used the canary at 5 %, so nothing is known of it."),
        ("2.3.0", "tool_error", "The metrics are not there."),
        ("2.4.0", "tool_error", "There is no room for so many instances of 2.4.0."),
    ],
)
def test_what_is_not_known_to_be_well_is_rolled_back(
    release: Release, changes: Changes, version: str, fault_class: str, message: str
):
    found = fault(release(version))
    assert found.fault_class == fault_class
    assert message in found.message
    assert steps(changes)[-2:] == ["route 0", "roll_back"]


def test_a_canary_that_does_not_go_away_is_named_and_stands_in_the_way_of_the_next(release: Release, changes: Changes):
    found = fault(release("2.5.0", service="ledger"))
    assert found.message.startswith("At 5 %, 50.0%")
    assert found.undone == ("stages[0].routed",)
    ((step, reason),) = [(each["step"], each["reason"]) for each in found.not_undone]
    assert step == "canary"
    assert "The instances do not stop." in reason
    assert steps(changes) == ["start", "route 5", "route 0"]
    again = fault(release("2.0.0", service="ledger"))
    assert again.message == "ledger has a canary already, cn-ledger."


def test_plans_that_make_no_sense_are_refused_before_any_call(release: Release, changes: Changes):
    for arguments, fault_class in (
        ({"shares": [25, 5]}, "precondition"),
        ({"shares": [50, 50]}, "precondition"),
        ({"window": "PT6M"}, "precondition"),
        ({"window": "PT0S"}, "precondition"),
        ({"window": "-PT1M"}, "precondition"),
        ({"shares": []}, "invalid_input"),
        ({"shares": [100]}, "invalid_input"),
    ):
        result = release("2.0.0", **arguments)
        assert fault(result).fault_class == fault_class
        assert result.receipts == ()
    assert changes("") == []
