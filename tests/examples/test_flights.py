"""`flights`: narrowed before each price is asked for; offers that are gone, and prices that nobody can compare."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from stdlib.runtime.run import Result
from tests.examples.projects import opened

Search = Callable[..., Result]


@pytest.fixture(scope="module")
def search() -> Iterator[Search]:
    """Calls the chain. The server is started once for all tests here: it remembers nothing."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened("flights")) as example:

        def call(**more: Any) -> Result:
            arguments = {"origin": "LIS", "destination": "BER", "day": "2026-07-01", **more}
            result: Result = portal.call(example.call, "cheapest_flights", arguments)
            return result

        yield call


def priced(result: Result) -> list[str]:
    """The offers whose price was asked for."""
    return [each.step for each in result.receipts if each.step.endswith(".price")]


def test_the_cheapest_in_one_currency_are_told_with_the_price_that_is_paid(search: Search):
    result = search(best=3)
    assert result.wire is not None, result.fault
    assert [(fare["price"], fare["about"]) for fare in result.wire["best"]] == [
        ("94.52 USD", 75.62),
        ("98.04 USD", 78.43),
        ("122.96 USD", 98.37),
    ]
    assert result.wire["rates_of"] == "2026-06-01"
    assert result.summary == "25 of 60 flights priced, the cheapest for 94.52 USD."


def test_another_currency_ranks_alike(search: Search):
    euro, pound = search(best=20).value, search(best=20, currency="GBP").value
    assert [fare["offer"] for fare in euro["best"]] == [fare["offer"] for fare in pound["best"]]
    assert pound["best"][0]["about"] == pytest.approx(euro["best"][0]["about"] * 0.8, abs=0.01)


def test_what_cannot_be_compared_is_named_and_not_ranked(search: Search):
    told = search(best=20).value
    assert {fare["airline"] for fare in told["not_comparable"]} == {"NI", "GA"}
    assert {fare["price"].partition(" ")[2] for fare in told["not_comparable"]} == {"ISK", "request EUR"}
    assert not {fare["airline"] for fare in told["best"]} & {"NI", "GA"}
    assert len(told["best"]) + len(told["not_comparable"]) == told["priced"]


def test_without_rates_only_the_own_currency_can_be_compared(search: Search):
    told = search(currency="DKK").value
    assert (told["best"], told["rates_of"]) == ([], None)
    assert len(told["not_comparable"]) == told["priced"]


def test_the_search_is_narrowed_before_prices_are_asked_for(search: Search):
    result = search(leave_after=12, most_stops=0, most_priced=8, best=2)
    assert len(priced(result)) == 8
    assert (result.value["offers"], result.value["fitting"]) == (120, 16)
    assert {fare["stops"] for fare in result.value["best"]} == {0}
    assert all(fare["departs"] >= "2026-07-01T12" for fare in result.value["best"])
    found = next(each for each in result.receipts if each.step == "found")
    assert found.bytes > 100_000
    assert len(json.dumps(result.wire)) < 2000


def test_where_everything_is_gone_this_is_said(search: Search):
    for most, told in ((30, "30 of 60"), (1, "1 of 60")):
        result = search(day="2026-12-24", most_priced=most)
        assert result.fault is not None
        assert result.fault.fault_class == "precondition"
        message = f"Every offer whose price was asked for is gone, or has none: {told} that fit."
        assert result.fault.message == message


def test_no_flight_is_no_fault(search: Search):
    result = search(destination="JFK")
    assert result.fault is None
    assert (result.value["best"], result.value["offers"]) == ([], 0)
    assert result.summary == "0 of 0 flights priced, the cheapest for an unknown price."
