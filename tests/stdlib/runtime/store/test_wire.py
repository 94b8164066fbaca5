"""The journal's objects as text and back."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdlib.plan.model import Origin
from stdlib.runtime.events import CallFailed, CallSucceeded, CancelRequested, Event, PersonAnswered, TimerFired
from stdlib.runtime.fault import FAULT_CLASSES, Fault
from stdlib.runtime.principal import Owner
from stdlib.runtime.question import Answer, Answered, Approved, Expired, Refused
from stdlib.runtime.receipt import Receipt
from stdlib.runtime.store.decisions import Awaited, Decision
from stdlib.runtime.store.journal import Begun, Ended, Entry, Forgotten, Happening, Sent
from stdlib.runtime.store.wire import FORMS, WireError, from_text, to_text

TEXT = st.text(max_size=12)
MAYBE = st.none() | TEXT
WHOLE = st.integers() | st.integers(-(10**80), 10**80)
DOUBLE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | DOUBLE | TEXT | st.sampled_from([1.0, 1e20, -0.0, 1e300]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT | st.just("form"), inner, max_size=3),
    max_leaves=6,
)
RECORD = st.dictionaries(TEXT | st.just("form"), JSON, max_size=3)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
FAULT = st.builds(
    Fault,
    fault_class=st.sampled_from([row.name for row in FAULT_CLASSES]),
    message=TEXT,
    step=MAYBE,
    origin=st.none() | st.builds(Origin, file=TEXT, line=st.integers(1, 9999), column=st.integers(1, 200)),
    next=MAYBE,
    done=NAMES,
    undone=NAMES,
    not_undone=st.lists(st.fixed_dictionaries({"step": TEXT, "reason": TEXT}), max_size=2).map(tuple),
    details=RECORD,
    sent=st.booleans(),
    lasting=st.booleans(),
)
ANSWER = (
    st.builds(Approved, TEXT, MAYBE)
    | st.builds(Answered, JSON)
    | st.builds(Refused, TEXT, MAYBE)
    | st.just(Expired())
    | FAULT
)
EVENT = (
    st.builds(CallSucceeded, TEXT, JSON, st.integers(0, 2**70), st.booleans())
    | st.builds(CallFailed, TEXT, FAULT, MAYBE)
    | st.builds(PersonAnswered, TEXT, ANSWER, TEXT)
    | st.builds(TimerFired, TEXT)
    | st.just(CancelRequested())
)
RECEIPT = st.builds(
    Receipt,
    run=TEXT,
    step=TEXT,
    at=DOUBLE,
    principal=TEXT,
    tenant=TEXT,
    purpose=st.sampled_from(["step", "reconcile", "verify", "undo", "approve", "ask"]),
    version=TEXT,
    outcome=st.sampled_from(["ok", "fault"]),
    tool=MAYBE,
    schema=MAYBE,
    arguments=MAYBE,
    key=MAYBE,
    approval=st.none() | RECORD,
    fault=MAYBE,
    verified=st.none() | st.booleans(),
    receipt=JSON,
    replayed=st.booleans(),
    ms=st.integers(0, 10**9),
    bytes=st.integers(0, 10**9),
    attempt=st.integers(1, 9),
    completes=st.booleans(),
    refused=MAYBE,
    trace=MAYBE,
)
OWNER = st.builds(Owner, TEXT, TEXT)
OBJECT = (
    st.builds(Happening, EVENT, DOUBLE)
    | st.builds(Sent, TEXT, DOUBLE)
    | RECEIPT
    | st.builds(Begun, TEXT, TEXT, TEXT, OWNER, DOUBLE, RECORD, MAYBE, MAYBE)
    | st.builds(Ended, DOUBLE, st.none() | RECORD, st.none() | RECORD)
    | st.builds(Forgotten, TEXT, DOUBLE, DOUBLE, st.integers(0, 10**9), st.integers(0, 10**9))
    | st.builds(Awaited, TEXT, TEXT, TEXT, TEXT, TEXT, MAYBE, JSON, TEXT, OWNER, DOUBLE)
    | st.builds(Decision, TEXT, TEXT, TEXT, st.booleans(), TEXT, MAYBE, DOUBLE)
)


@given(OBJECT)
def test_everything_comes_back_to_the_type_of_its_numbers(written: Any):
    text = to_text(written)
    text.encode()
    assert repr(from_text(text)) == repr(written)


def test_every_event_entry_and_answer_has_a_form():
    known = set(FORMS.values())
    for union in (Event, Entry, Answer):
        assert set(get_args(union)) <= known


def test_values_that_look_like_our_forms_stay_values():
    event = CallSucceeded("a", {"form": "fault", "fault_class": "timeout"})
    assert from_text(to_text(event)) == event


def test_a_lone_surrogate_does_not_stop_the_journal():
    assert from_text(to_text(TimerFired("\ud800"))) == TimerFired("\ufffd")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"form": "dream"}, "'dream', which is not known here"),
        ({"form": "timer"}, "has no timer"),
        ({"form": "timer", "timer": "t", "colour": 1}, "'colour', which is not known here"),
        ({"form": "fault", "fault_class": "sadness", "message": ""}, "the class 'sadness', which is not known here"),
        ({"form": "person", "call": "a", "at": "", "answer": {"form": 3}}, "says not what it is"),
        ([1], "says not what it is"),
    ],
)
def test_what_is_not_known_is_refused(form: Any, said: str):
    with pytest.raises(WireError, match=said):
        from_text(json.dumps(form))


def test_what_is_no_json_is_refused():
    with pytest.raises(WireError, match="no JSON"):
        from_text("{")


@pytest.mark.parametrize("written", [object(), Happening(None, 1.0), CallSucceeded("a", float("nan")), Sent("a", {1})])  # type: ignore[arg-type]
def test_what_has_no_form_is_refused(written: Any):
    with pytest.raises(WireError):
        to_text(written)
