"""Approvals and questions, driven by hand."""

from stdlib.plan import expression as ex
from stdlib.runtime.events import CancelRequested
from stdlib.runtime.fault import Fault
from stdlib.runtime.question import Answered, Approved, Refused

from .plans import Hand, approve, ask, chain, const, let, loop, record, ref, step, write


def test_an_approval_is_a_record_of_who_and_when():
    hand = Hand(chain("c", approve("go", by="bosses", show=const({"n": 1})), step("w", "go"), output=ref("go"))).start()
    assert hand.news() == ["timer expiry:go 86400000", "ask go"]
    question = hand.questions["go"]
    assert (question.kind, question.text, question.by, question.show) == ("approve", "May go?", "bosses", {"n": 1})
    assert hand.answer("go", Approved("ann", "fine")).news() == ["cancel go", "call w"]
    assert hand.ok("w").value == {"approved": True, "by": "ann", "comment": "fine", "at": "2026-06-01T09:00:00Z"}


def test_an_approval_binds_to_step_item_words_and_what_is_shown():
    body = approve("l", show=ref("item"))
    hand = Hand(chain("c", loop("l", const([1, 1, 2]), body), output=ref("l"))).start()
    digests = {hand.questions[f"l[{n}]"].digest for n in range(3)}
    assert len(digests) == 3
    again = Hand(chain("c", loop("l", const([1, 1, 2]), body), output=ref("l"))).start()
    assert {again.questions[f"l[{n}]"].digest for n in range(3)} == digests


def test_an_answer_counts_once():
    hand = Hand(chain("c", approve("go"), step("w", "go", tool="write"), output=ref("w"))).start()
    hand.answer("go", Approved("ann")).answer("go", Approved("bob")).answer("go", Refused())
    assert hand.news().count("call w") == 1


def test_a_rejection_fails_the_run_or_what_the_step_says():
    refused = Hand(chain("c", write("a"), approve("go", "a"), output=ref("go"))).start().ok("a")
    refused.answer("go", Refused(comment="too much")).ok("a:undo")
    assert refused.fault.fault_class == "denied"
    assert refused.fault.message == "`go` was rejected. The comment: too much"
    assert refused.fault.undone == ("a",)
    assert not refused.fault.retryable
    skip = Hand(chain("c", approve("go", on_reject={"kind": "skip"}), output=ref("go"))).start()
    assert skip.answer("go", Refused()).value is None
    words = {"kind": "fail", "message": const("No.")}
    worded = Hand(chain("c", approve("go", on_reject=words), output=ref("go"))).start().answer("go", Refused())
    assert worded.fault.message == "No."


def test_silence_ends_by_the_clock():
    one = chain("c", approve("go", timeout_ms=5000), output=ref("go"))
    hand = Hand(one).start()
    assert "timer expiry:go 5000" in hand.news()
    assert hand.fire("expiry:go").news() == ["cancel go"]
    assert (hand.fault.fault_class, hand.fault.message) == ("timeout", "Nobody answered `go` within 5 s.")
    use = chain("c", approve("go", on_expiry={"kind": "use", "value": const("late")}), output=ref("go"))
    late = Hand(use).start().fire("expiry:go")
    assert late.answer("go", Approved("ann")).value == "late"


def test_a_question_gives_the_fields_of_its_form():
    hand = Hand(
        chain("c", ask("q"), let("size", ex.Member(base=ref("q"), name="size"), "q"), output=ref("size"))
    ).start()
    assert hand.answer("q", Answered({"size": "m"})).value == "m"
    wrong = Hand(chain("c", ask("q", on_decline={"kind": "skip"}), output=ref("q"))).start()
    assert wrong.answer("q", Answered({"size": "huge"})).fault.fault_class == "invalid_input"
    declined = Hand(chain("c", ask("q", on_decline={"kind": "use", "value": const(1)}), output=ref("q"))).start()
    assert declined.answer("q", Refused()).value == 1
    assert Hand(chain("c", ask("q"), output=ref("q"))).start().answer("q", Refused()).fault.fault_class == "denied"


def test_an_answer_to_a_question_approves_nothing():
    hand = Hand(chain("c", approve("go"), output=ref("go"))).start().answer("go", Answered({"approve": True}))
    assert hand.fault.fault_class == "internal"
    asked = Hand(chain("c", ask("q"), output=ref("q"))).start().answer("q", Approved("ann"))
    assert asked.fault.fault_class == "internal"


def test_where_nobody_can_be_asked_the_reactions_do_not_count():
    one = chain("c", approve("go", on_reject={"kind": "skip"}, on_expiry={"kind": "skip"}), output=ref("go"))
    hand = Hand(one).start().answer("go", Fault("input_required", "nobody here"))
    assert (hand.fault.fault_class, hand.fault.step) == ("input_required", "go")


def test_a_question_is_given_up_when_the_run_ends():
    hand = Hand(chain("c", approve("go"), step("bad"), output=ref("go"))).start()
    hand.news()
    assert hand.fail("bad").news() == ["cancel go"]
    assert hand.fault.step == "bad"
    cancelled = Hand(chain("c", ask("q"), output=ref("q"))).start().event(CancelRequested())
    assert cancelled.fault.fault_class == "cancelled"


def test_a_skipped_approval_asks_nobody():
    hand = Hand(chain("c", approve("go", when=const(False)), output=record(go=ref("go")))).start()
    assert hand.news() == []
    assert hand.value == {"go": None}
