"""`checkout`: an early end that is no error, a customer made only where there is none, a plan that is made once."""

from typing import Any

import anyio

from stdlib.runtime.run import Result
from tests.examples.conftest import Changes
from tests.examples.projects import opened

ORDER = {"order_id": "ord-1001", "name": "Ada", "email": "ada@customers.example", "amount": 10000, "currency": "EUR"}


def checkout(**more: Any) -> Result:
    async def once() -> Result:
        async with opened("checkout") as example:
            return await example.call("checkout", {**ORDER, **more})

    return anyio.run(once)


def outcome(result: Result) -> dict[str, Any]:
    assert result.wire is not None, result.fault
    found: dict[str, Any] = result.wire["result"]
    return found


def whats(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["what"] for entry in entries]


def test_a_customer_gets_a_plan(changes: Changes):
    result = checkout()
    assert outcome(result) == {
        "outcome": "agreed",
        "plan_id": "pl-1",
        "new_customer": False,
        "instalments": [
            {"due": "2026-06-01", "amount": 3334},
            {"due": "2026-07-01", "amount": 3333},
            {"due": "2026-08-01", "amount": 3333},
        ],
    }
    assert result.summary == "100.00 EUR in 3 instalments."
    (made,) = changes("")
    assert (made["what"], made["customer"]) == ("pay_later.createPlan", "cu-1")
    (receipt,) = [each for each in result.receipts if each.receipt is not None]
    assert (receipt.step, receipt.receipt, receipt.key) == ("plan", "pl-1", made["key"])


def test_who_is_new_becomes_a_customer_first(changes: Changes):
    result = checkout(email="bob@customers.example", name="Bob", amount=5001, currency="JPY", instalments=2)
    assert outcome(result)["new_customer"] is True
    assert result.summary == "5001 JPY in 2 instalments."
    customer, plan = changes("")
    assert (customer["email"], plan["customer"]) == ("bob@customers.example", customer["id"])


def test_who_is_not_eligible_is_told_and_leaves_no_trace(changes: Changes):
    too_much = checkout(amount=150001)
    assert outcome(too_much) == {"outcome": "not_eligible", "reason": "amount_too_high", "limit": 150000}
    assert too_much.summary == "1500.01 EUR cannot be paid later."
    assert outcome(checkout(email="eve@debts.example"))["reason"] == "unpaid_plans"
    assert outcome(checkout(amount=150001, currency="JPY"))["outcome"] == "agreed"
    assert whats(changes("")) == ["pay_later.createPlan"]


def test_a_repeated_request_makes_no_second_plan(changes: Changes):
    async def test() -> None:
        async with opened("checkout") as example:
            bob = {**ORDER, "email": "bob@customers.example"}
            first = outcome(await example.call("checkout", bob))
            again = await example.call("checkout", bob)
            assert outcome(again) == {**first, "new_customer": False}
            assert again.replayed == ("plan",)
            other = await example.call("checkout", {**bob, "request_key": "a second plan, on purpose"})
            assert outcome(other)["plan_id"] == "pl-2"

    anyio.run(test)
    assert whats(changes("")) == ["pay_later.createCustomer", "pay_later.createPlan", "pay_later.createPlan"]


def test_an_answer_that_is_lost_is_asked_for_again_under_the_same_key(changes: Changes):
    assert outcome(checkout(order_id="ord-dropped"))["plan_id"] == "pl-1"
    assert whats(changes("")) == ["pay_later.createPlan"]


def test_without_a_plan_the_new_customer_is_removed(changes: Changes):
    result = checkout(order_id="ord-refused", email="bob@customers.example")
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "plan")
    assert "The bank does not lend for this order." in result.fault.message
    created, closed = changes("")
    assert (created["what"], closed["what"]) == ("pay_later.createCustomer", "pay_later.closeCustomer")
    assert created["id"] == closed["id"]


def test_without_a_plan_an_old_customer_stays(changes: Changes):
    assert checkout(order_id="ord-refused").fault is not None
    assert changes("") == []


def test_a_plan_that_does_not_add_up_is_cancelled(changes: Changes):
    result = checkout(order_id="ord-uneven")
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("not_verified", "plan")
    assert whats(changes("")) == ["pay_later.createPlan", "pay_later.cancelPlan"]
