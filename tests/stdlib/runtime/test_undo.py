"""Taking back, driven by hand."""

from stdlib.plan import expression as ex
from stdlib.runtime.events import CancelRequested, Undone
from stdlib.runtime.load import load_plan

from .plans import Hand, call, chain, const, given, loop, plan, ref, require, step, verify, write


def reasons(hand: Hand) -> dict[str, str]:
    return {each["step"]: each["reason"] for each in hand.fault.not_undone}


def test_completed_steps_are_undone_last_first_when_a_later_step_fails():
    hand = Hand(chain("c", write("a"), write("b", "a"), step("bad", "b"), output=ref("b"))).start()
    hand.ok("a", 1).ok("b", 2).news()
    assert hand.fail("bad", message="no such thing").news() == ["call b:undo"]
    assert hand.machine.ending is None
    assert hand.ok("b:undo").news() == ["call a:undo"]
    hand.ok("a:undo")
    assert (hand.fault.step, hand.fault.message) == ("bad", "no such thing")
    assert (hand.fault.undone, hand.fault.not_undone, hand.fault.done) == (("b", "a"), (), ())
    assert hand.starts["b:undo#1"].arguments == {"of": 2}
    assert hand.starts["b:undo#1"].purpose == "undo"
    assert hand.fault.to_json()["undone"] == ["b", "a"]


def test_an_undo_that_fails_is_told_and_the_others_go_on():
    hand = Hand(chain("c", write("a"), write("b", "a"), step("bad", "b"), output=ref("b"))).start()
    hand.ok("a").ok("b").fail("bad").fail("b:undo", message="too late").ok("a:undo")
    assert hand.fault.undone == ("a",)
    assert reasons(hand) == {"b": "too late"}
    assert hand.fault.done == ("b",)
    assert not hand.fault.retryable
    assert "tell the user" in hand.fault.to_json()["next"]


def test_a_run_that_took_everything_back_may_be_repeated():
    hand = Hand(chain("c", write("a"), step("bad", "a"), output=ref("a"))).start()
    assert hand.ok("a").fail("bad", "timeout").ok("a:undo").fault.retryable


def test_skipped_steps_and_those_without_undo_are_let_be():
    one = chain("c", write("a", when=const(False)), step("w", "a", tool="write"), step("bad", "w"), output=const(1))
    hand = Hand(one).start().ok("w").fail("bad")
    assert (hand.fault.undone, hand.fault.not_undone, hand.fault.done) == ((), (), ("w",))


def test_undo_sees_the_item_of_its_loop_and_its_own_result():
    back = call("write", item=ref("item"), of=ref("l"), same=ref("result"))
    body = step("l", tool="write", undo=back)
    hand = Hand(chain("c", loop("l", const(["x", "y"]), body), step("bad", "l"), output=ref("l"))).start()
    hand.ok("l[1]", 1).ok("l[0]", 0).news()
    assert hand.fail("bad").news() == ["call l[0]:undo"]
    assert hand.ok("l[0]:undo").news() == ["call l[1]:undo"]
    assert hand.starts["l[1]:undo#1"].arguments == {"item": "y", "of": 1, "same": 1}
    assert hand.ok("l[1]:undo").fault.undone == ("l[0]", "l[1]")


def test_a_write_in_flight_is_awaited_before_anything_is_undone():
    hand = Hand(chain("c", write("a"), write("b"), step("r"), step("bad"), output=const(1))).start()
    hand.ok("a").news()
    assert hand.fail("bad").news() == ["cancel r"]
    assert hand.ok("b").news() == ["call b:undo"]
    assert hand.ok("b:undo").ok("a:undo").fault.undone == ("b", "a")


def test_a_write_whose_outcome_is_unknown_cannot_be_undone():
    hand = Hand(chain("c", write("a"), write("b", "a"), output=const(1))).start().ok("a")
    hand.fail("b", "unknown_outcome").ok("a:undo")
    assert hand.fault.undone == ("a",)
    assert reasons(hand) == {"b": "It is unknown whether it has happened."}
    never = Hand(chain("c", write("b"), output=const(1))).start().fail("b", "unavailable", sent=False)
    assert never.fault.not_undone == ()
    unusable = Hand(chain("c", write("b"), output=const(1))).start().fail("b", "shape_mismatch")
    assert reasons(unusable) == {"b": "It has happened, but its answer cannot be used."}
    assert unusable.fault.done == ("b",)


def test_an_attempt_without_an_answer_stays_in_doubt_when_no_other_one_is_made():
    lost = chain("c", write("a", retry={"count": 1}), step("bad"), output=ref("a"))
    waiting = Hand(lost).start().fail("a", "timeout").fail("bad")
    assert reasons(waiting) == {"a": "It is unknown whether it has happened."}
    assert waiting.fault.retryable is False
    cancelled = Hand(lost).start().ok("bad").fail("a", "unavailable").event(CancelRequested())
    assert reasons(cancelled) == {"a": "It is unknown whether it has happened."}
    narrow = chain("c", write("a", retry={"count": 1}), step("r"), output=ref("a"), budget={"parallel": 1})
    queued = Hand(narrow).start().fail("a", "timeout").fire("wait:a#1").fail("r")
    assert reasons(queued) == {"a": "It is unknown whether it has happened."}


def test_a_call_that_went_wrong_in_the_server_is_in_doubt():
    hand = Hand(chain("c", write("a"), output=ref("a"))).start().fail("a", "internal")
    assert reasons(hand) == {"a": "It is unknown whether it has happened."}


def test_an_attempt_without_an_answer_stays_in_doubt_when_the_next_one_is_refused():
    one = chain("c", write("a", retry={"count": 1}), output=ref("a"))
    refused = Hand(one).start().fail("a", "timeout").fire("wait:a#1").fail("a#2", "tool_error")
    assert reasons(refused) == {"a": "It is unknown whether it has happened."}
    unsent = Hand(one).start().fail("a", "timeout", sent=False).fire("wait:a#1").fail("a#2", "tool_error")
    assert unsent.fault.not_undone == ()
    done = Hand(one).start().fail("a", "timeout").fire("wait:a#1").ok("a#2", 1)
    assert done.value == 1


def test_the_steps_of_a_called_chain_join_those_of_the_caller():
    inner = chain("inner", write("x"), output=ref("x"))
    outer = chain(
        "outer", write("a"), step("i", "a", chain="inner"), write("b", "i"), step("bad", "b"), output=const(1)
    )
    hand = Hand(outer, inner).start().ok("a").ok("i.x", "it").ok("b").fail("bad")
    hand.ok("b:undo").ok("i.x:undo").ok("a:undo")
    assert hand.fault.undone == ("b", "i.x", "a")
    assert hand.starts["i.x:undo#1"].arguments == {"of": "it"}


def test_what_fails_and_is_caught_is_taken_back_before_the_run_goes_on():
    inner = chain("inner", write("x"), step("bad", "x"), output=ref("x"))
    caught = step("i", "a", chain="inner", on_error={"kind": "use", "value": const(0)})
    hand = Hand(chain("outer", write("a"), caught, output=ref("i")), inner).start()
    hand.ok("a").ok("i.x").news()
    assert hand.fail("i.bad").news() == ["call i.x:undo"]
    assert hand.ok("i.x:undo").value == 0


def test_an_item_that_fails_takes_back_what_it_had_done():
    body = (write("x"), step("y", "x"))
    skip = {"kind": "skip"}
    one = loop("l", const([1, 2]), *body, on_item_error=skip)
    hand = Hand(chain("c", one, step("bad", "l"), output=ref("l"))).start()
    hand.ok("l[0].x").ok("l[1].x").ok("l[1].y").news()
    assert hand.fail("l[0].y").news() == ["call l[0].x:undo"]
    assert hand.ok("l[0].x:undo").news() == ["call bad"]
    assert hand.fail("bad").ok("l[1].x:undo").fault.undone == ("l[0].x", "l[1].x")


def test_a_chain_is_taken_back_before_it_is_tried_again():
    inner = chain("inner", write("x"), step("y", "x"), output=ref("x"))
    hand = Hand(chain("outer", step("i", chain="inner", retry={"count": 1}), output=ref("i")), inner).start()
    hand.ok("i.x", 1).news()
    assert hand.fail("i.y", "unavailable").news() == ["call i.x:undo"]
    assert hand.ok("i.x:undo").news() == ["timer wait:i#1 1000"]
    assert hand.fire("wait:i#1").news() == ["call i~2.x"]
    assert hand.ok("i~2.x", 2).ok("i~2.y").value == 2


def test_the_run_may_end_while_something_is_taken_back():
    inner = chain("inner", write("x"), step("bad", "x"), output=ref("x"))
    caught = step("i", chain="inner", on_error={"kind": "skip"})
    hand = Hand(chain("outer", caught, step("other"), step("after", "i"), output=ref("i")), inner).start()
    hand.ok("i.x").fail("i.bad").news()
    assert hand.fail("other").news() == []
    assert hand.machine.ending is None
    assert hand.ok("i.x:undo").fault.undone == ("i.x",)
    assert hand.news() == []


def test_a_chain_takes_back_where_it_is_called_to():
    back = chain("back", step("check", arguments={"id": ref("id")}), write("cancel", "check"), output=ref("cancel"))
    back = back.model_copy(update={"inputs": (given("id"),)})
    one = chain("c", step("a", tool="write", undo=call(chain="back", id=ref("a"))), step("bad", "a"), output=ref("a"))
    hand = Hand(one, back).start().ok("a", 7).fail("bad")
    hand.ok("a:undo.check").ok("a:undo.cancel")
    assert hand.fault.undone == ("a",), "what takes back is not taken back"
    assert hand.fault.done == ()
    failing = Hand(one, back).start().ok("a", 7).fail("bad").fail("a:undo.check", message="gone")
    assert reasons(failing) == {"a": "gone"}


def test_cancelling_and_the_end_of_the_time_undo_too():
    one = chain("c", write("a"), step("r", "a"), output=ref("r"), budget={"time_ms": 500})
    cancelled = Hand(one).start().ok("a").event(CancelRequested()).ok("a:undo")
    assert (cancelled.fault.fault_class, cancelled.fault.undone) == ("cancelled", ("a",))
    late = Hand(one).start().ok("a").fire("timeout::c").ok("a:undo")
    assert (late.fault.fault_class, late.fault.undone) == ("timeout", ("a",))


def test_cancelling_does_not_stop_the_undoing():
    hand = Hand(chain("c", write("a"), step("bad", "a"), output=ref("a"))).start().ok("a").fail("bad")
    assert hand.event(CancelRequested()).machine.ending is None
    assert hand.ok("a:undo").fault.step == "bad"


def test_undoing_has_its_own_time():
    hand = Hand(chain("c", write("a"), write("b", "a"), write("x", "b"), step("bad", "x"), output=ref("a"))).start()
    hand.ok("a").ok("b").ok("x").fail("bad").ok("x:undo").news()
    assert hand.fire("undo:1").news() == ["cancel b:undo"]
    assert hand.fault.undone == ("x",)
    assert reasons(hand) == {
        "b": "It is unknown whether it was taken back: no answer within 60 s.",
        "a": "The 60 s for it were over.",
    }


def test_a_chain_that_takes_back_too_long_is_stopped_and_awaited():
    back = chain("back", step("w", tool="write"), step("r", "w"), output=ref("r"))
    one = chain("c", step("a", tool="write", undo=call(chain="back")), step("bad", "a"), output=ref("a"))
    hand = Hand(one, back).start().ok("a").fail("bad").fire("undo:1")
    assert hand.machine.ending is None
    assert reasons(hand.ok("a:undo.w")) == {"a": "There was no time left."}


def test_an_undo_whose_arguments_cannot_be_made_is_told():
    back = call("write", x=ex.Arithmetic(op="/", left=const(1), right=ref("a")))
    one = chain("c", step("a", tool="write", undo=back), step("bad", "a"), output=ref("a"))
    assert "0" in reasons(Hand(one).start().ok("a", 0).fail("bad"))["a"]


def test_a_requirement_after_a_write_undoes_it():
    one = chain("c", write("a"), require("r", ref("a"), "It must be ok.", "a"), output=ref("a"))
    hand = Hand(one).start().ok("a", False).ok("a:undo")
    assert (hand.fault.fault_class, hand.fault.undone) == ("precondition", ("a",))


def test_an_output_that_does_not_fit_undoes_the_run():
    hand = Hand(chain("c", write("a"), output=ref("a"), schema={"type": "integer"})).start().ok("a", "x")
    assert hand.ok("a:undo").fault.undone == ("a",)


def test_what_was_not_verified_is_undone():
    checked = verify(ex.Member(base=ref("result"), name="ok"), id=ref("a"))
    hand = Hand(chain("c", write("a", verify=checked), output=ref("a"))).start().ok("a", 5)
    assert hand.news()[-1] == "call a:verify"
    assert hand.starts["a:verify#1"].arguments == {"id": 5}
    hand.ok("a:verify", {"ok": False}).ok("a:undo")
    assert (hand.fault.fault_class, hand.fault.undone, hand.fault.step) == ("not_verified", ("a",), "a")
    assert hand.fault.message == "It was called, but `result is right` does not hold."
    good = Hand(chain("c", write("a", verify=checked), output=ref("a"))).start().ok("a", 5)
    assert good.ok("a:verify", {"ok": True}).value == 5
    lost = Hand(chain("c", write("a", verify=checked), output=ref("a"))).start().ok("a", 5).fail("a:verify", "timeout")
    assert lost.ok("a:undo").fault.details["cause"] == "timeout"


def test_the_ledger_is_told_what_was_undone():
    hand = Hand(chain("c", write("a", key="k"), step("bad", "a"), output=ref("a"))).start()
    key = hand.starts["a#1"].key
    hand.ok("a").fail("bad").ok("a:undo")
    assert [each.key for each in hand.commands if isinstance(each, Undone)] == [key]


def test_a_failure_inside_a_deep_loop_needs_no_deep_stack():
    one = chain("c", loop("l", const(list(range(2000))), write("l"), parallel=2000), step("bad", "l"), output=const(1))
    hand = Hand(loaded=load_plan(plan(one))).start()
    for number in range(2000):
        hand.ok(f"l[{number}]")
    hand.fail("bad")
    for number in reversed(range(2000)):
        hand.ok(f"l[{number}]:undo")
    assert hand.fault.details["undone_more"] == 1950
