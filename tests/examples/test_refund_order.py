"""`refund_order`: checked before money moves, approved above the limit, done once, taken back when the rest fails."""

from typing import Any

import anyio

from stdlib.runtime.principal import Principal
from stdlib.runtime.question import Approved, Expired, Refused
from stdlib.runtime.run import Caller, Result
from tests.examples.conftest import Changes
from tests.examples.projects import Person, opened


def refund(order: str, amount: int, person: Person | None = None, **more: Any) -> Result:
    async def once() -> Result:
        async with opened("refund_order") as example:
            return await example.call("refund_order", {"order_id": order, "amount": amount, **more}, person)

    return anyio.run(once)


def whats(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["what"] for entry in entries]


def test_a_small_refund_is_paid_noted_and_mailed(changes: Changes):
    result = refund("ord-1001", 1250, reason="late")
    assert result.wire == {"refund_id": "rf-1", "approved_by": None, "mailed": True}
    paid, noted = changes("shop.")
    assert (paid["what"], paid["amount"]) == ("shop.createRefund", 1250)
    assert len(paid["key"]) >= 16
    assert noted["text"] == "Refunded 12.50 EUR as rf-1 (late)."
    (mail,) = changes("mail.")
    assert mail["to"] == "ada@customers.example"
    assert mail["body"] == "Hello Ada,\n\nwe have sent back 12.50 EUR (late).\n"


def test_a_customer_without_a_name_and_a_reason_left_out(changes: Changes):
    assert refund("ord-1002", 4900).wire is not None
    (mail,) = changes("mail.")
    assert mail["body"] == "Hello there,\n\nwe have sent back 49.00 EUR (goodwill).\n"


def test_more_than_is_left_is_refused_before_any_write(changes: Changes):
    person = Person(Approved("mia"))
    result = refund("ord-1002", 4901, person)
    assert result.fault is not None
    assert result.fault.fault_class == "precondition"
    assert result.fault.message == "Only 49.00 EUR can still be refunded on ord-1002."
    big = refund("ord-1001", 24001, person)
    assert big.fault is not None
    assert big.fault.fault_class == "precondition"
    assert changes("") == []
    assert person.questions == []


def test_mail_that_bounces_does_not_stop_a_refund(changes: Changes):
    result = refund("ord-1003", 100)
    assert result.wire == {"refund_id": "rf-1", "approved_by": None, "mailed": False}
    assert whats(changes("shop.")) == ["shop.createRefund", "shop.addNote"]


# ------------------------------------------------------------------ approval


def test_above_the_limit_a_manager_decides(changes: Changes):
    person = Person(Approved("mia"))
    result = refund("ord-1001", 10001, person, reason="damaged")
    assert result.wire == {"refund_id": "rf-1", "approved_by": "mia", "mailed": True}
    (question,) = person.questions
    assert question.text == "Refund 100.01 EUR for order ord-1001?"
    assert question.by == "refund-managers"
    assert question.timeout_ms == 24 * 3_600_000
    assert question.show["reason"] == "damaged"
    assert question.show["order"]["total"] == 24000


def test_up_to_the_limit_nobody_is_asked(changes: Changes):
    person = Person(Refused())
    assert refund("ord-1001", 10000, person).wire is not None
    assert person.questions == []


def test_without_a_manager_nothing_is_paid(changes: Changes):
    for person, fault_class, message in (
        (Person(Refused("mia")), "denied", "A manager rejected the refund."),
        (Person(Expired()), "timeout", "Nobody answered within a day."),
        (None, "input_required", None),
    ):
        result = refund("ord-1001", 20000, person)
        assert result.fault is not None
        assert result.fault.fault_class == fault_class
        assert message is None or result.fault.message == message
        assert result.fault.step == "manager"
    assert changes("") == []


# ------------------------------------------------------------------ money moves once


def test_a_repeated_request_does_not_pay_again(changes: Changes):
    async def test() -> None:
        async with opened("refund_order") as example:
            call = {"order_id": "ord-1001", "amount": 700}
            first = await example.call("refund_order", call)
            again = await example.call("refund_order", call)
            assert first.wire == again.wire
            assert (first.replayed, again.replayed) == ((), ("payment",))
            assert len(changes("shop.createRefund")) == 1
            anew = await example.call("refund_order", {**call, "request_key": "once more"})
            assert anew.wire is not None
            assert anew.wire["refund_id"] == "rf-2"
            other = await example.call("refund_order", call, caller=Caller(Principal("somebody else")))
            assert other.wire is not None
            assert other.wire["refund_id"] == "rf-3"

    anyio.run(test)


def test_an_answer_that_is_lost_is_asked_for(changes: Changes):
    """The shop has paid, but the connection broke: the refund is found under its key, and not made again."""
    result = refund("ord-dropped", 900)
    assert result.wire is not None
    assert result.wire["refund_id"] == "rf-1"
    assert whats(changes("shop.")) == ["shop.createRefund", "shop.findRefund", "shop.addNote"]
    assert changes("shop.findRefund")[0]["found"] == "rf-1"


def test_what_did_not_happen_is_tried_again(changes: Changes):
    result = refund("ord-lost", 900)
    assert result.wire is not None
    assert whats(changes("shop.")) == ["shop.findRefund", "shop.createRefund", "shop.addNote"]
    assert changes("shop.findRefund")[0]["found"] is None


# ------------------------------------------------------------------ money comes back


def test_a_failure_after_the_payment_takes_it_back(changes: Changes):
    result = refund("ord-sealed", 900)
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "noted")
    assert whats(changes("")) == ["shop.createRefund", "shop.cancelRefund"]
    assert changes("shop.cancelRefund")[0]["id"] == "rf-1"


def test_a_payment_that_cannot_be_verified_is_taken_back(changes: Changes):
    result = refund("ord-failed", 900)
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("not_verified", "payment")
    assert whats(changes("")) == ["shop.createRefund", "shop.cancelRefund"]


def test_what_was_taken_back_can_be_done_again(changes: Changes):
    async def test() -> None:
        async with opened("refund_order") as example:
            call = {"order_id": "ord-sealed", "amount": 900}
            for number in (1, 2):
                result = await example.call("refund_order", call)
                assert result.fault is not None
                assert changes("shop.cancelRefund")[-1]["id"] == f"rf-{number}"
        first, second = changes("shop.createRefund")
        assert first["key"] != second["key"]

    anyio.run(test)


def test_the_receipt_of_the_payment_names_it(changes: Changes):
    result = refund("ord-1001", 100)
    (payment,) = [each for each in result.receipts if each.step == "payment" and each.key is not None]
    assert (payment.receipt, payment.verified) == ("rf-1", True)
    assert payment.key == changes("shop.createRefund")[0]["key"]
