"""Faults as data and as JSON."""

from dataclasses import replace

from stdlib.plan.model import Origin
from stdlib.runtime.fault import DONE_LIMIT, FAULT_CLASSES, Fault, bounded
from stdlib.values.faults import FAULTS, RETRYABLE


def test_the_table_has_every_class_of_the_catalogue_once():
    assert tuple(row.name for row in FAULT_CLASSES) == FAULTS
    assert tuple(row.name for row in FAULT_CLASSES if row.retryable) == RETRYABLE
    assert len({row.code for row in FAULT_CLASSES}) == len(FAULT_CLASSES)
    assert all(row.advice.endswith(".") for row in FAULT_CLASSES)


def test_a_fault_says_where_what_was_done_and_what_next():
    fault = Fault("timeout", "No answer.").at("rows[3].hits", Origin(file="a.chain", line=4, column=3))
    assert fault.to_json() == {
        "code": "F0009",
        "class": "timeout",
        "message": "No answer.",
        "step": "rows[3].hits",
        "origin": {"file": "a.chain", "line": 4, "column": 3},
        "retryable": True,
        "done": [],
        "next": "Call again later, or ask for less.",
    }
    after = fault.of_run(["pay"], [], []).to_json()
    assert after["retryable"] is False
    assert "do not repeat it" in after["next"]


def test_what_lasts_is_not_worth_a_further_attempt():
    assert Fault("unavailable", "The server is down.").retryable
    assert not Fault("unavailable", "The program is not installed.", lasting=True).retryable


def test_the_place_that_is_known_first_stays():
    inner = Fault("timeout", "x").at("a.b", Origin(file="a.chain", line=1, column=1))
    assert inner.at("a", Origin(file="b.chain", line=9, column=9)) == inner


def test_long_texts_and_lists_are_bounded():
    assert bounded("x" * 30, 10) == "xxxxxxxxxx… (20 more characters)"
    many = Fault("timeout", "x").of_run([f"s[{n}]" for n in range(DONE_LIMIT + 7)], [], [])
    assert len(many.done) == DONE_LIMIT
    assert many.details == {"done_more": 7}


def test_a_message_can_be_written_whoever_said_it():
    fault = Fault("tool_error", "no \udcff")
    assert fault.message == "no \ufffd"
    assert replace(fault, message="\ud83d\ude00 ü").message == "\U0001f600 ü"
