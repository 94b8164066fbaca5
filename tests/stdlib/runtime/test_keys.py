"""Stable keys and unknown outcomes, driven by hand."""

from typing import Any
from uuid import UUID

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.runtime.events import CallSucceeded, CompleteReceipt, Happened
from stdlib.runtime.keys import fitted, item_keys
from stdlib.runtime.load import load_plan

from .plans import Hand, call, chain, const, given, loop, plan, ref, step, tool, verify, write

PAY = step("pay", tool="write", key="k", arguments={"n": const(1)})


def keyed(*bindings, request: str | None = "r", **more) -> Hand:
    return Hand(chain("c", *bindings, output=ref(bindings[-1].name), **more), request_key=request).start()


def test_a_key_is_the_same_for_each_attempt_and_each_run_of_a_request():
    pay = step("pay", tool="write", key="k", retry={"count": 1})
    hand = keyed(pay).fail("pay", "timeout").fire("wait:pay#1")
    key = hand.starts["pay#1"].arguments["k"]
    assert len(key) == 64
    assert (hand.starts["pay#1"].key, hand.starts["pay#1"].parameter) == (key, "k")
    assert hand.starts["pay#2"].arguments["k"] == key
    assert keyed(pay).starts["pay#1"].arguments["k"] == key
    assert keyed(pay, request="another").starts["pay#1"].arguments["k"] != key
    assert keyed(PAY.model_copy(update={"name": "other"})).starts["other#1"].arguments["k"] != key


def test_without_a_request_key_no_two_runs_share_a_key():
    first, second = keyed(PAY, request=None), keyed(PAY, request="r")
    assert first.starts["pay#1"].key != second.starts["pay#1"].key


def test_items_have_keys_of_their_own_wherever_they_stand():
    body = step("l", tool="write", key="k")

    def keys(items: list) -> list[str]:
        hand = keyed(loop("l", const(items), body))
        return [hand.starts[f"l[{n}]#1"].arguments["k"] for n in range(len(items))]

    a, b = keys(["a", "b"])
    assert keys(["b", "a"]) == [b, a]
    twice = keys(["a", "a"])
    assert twice[0] == a
    assert twice[1] not in (a, b)
    assert len(set(item_keys([{"x": 1, "y": 2}, {"y": 2, "x": 1}, 1, True, "1"]))) == 5


def test_loops_without_keys_spend_nothing_on_them():
    assert not load_plan(plan(chain("c", loop("l", const([1]), step("l")), output=const(1)))).chains["c"].keyed


def test_a_called_chain_goes_on_with_the_key_of_its_caller():
    inner = chain("inner", PAY, output=ref("pay"))
    outer = chain("outer", loop("l", const([1, 2]), step("l", chain="inner")), output=ref("l"))
    hand = Hand(outer, inner, request_key="r").start()
    assert hand.loaded.chains["outer"].keyed
    assert hand.starts["l[0].pay#1"].key != hand.starts["l[1].pay#1"].key
    sent = chain("outer", step("i", chain="inner", arguments={"request_key": const("mine")}), output=ref("i"))
    first = Hand(sent, inner, request_key="r").start().starts["i.pay#1"].key
    assert Hand(sent, inner, request_key="other").start().starts["i.pay#1"].key == first


def test_a_key_may_go_to_a_called_chain():
    inner = chain("inner", PAY, output=ref("pay"))
    outer = chain("outer", step("i", chain="inner", key="request_key"), output=ref("i"))
    assert Hand(outer, inner, request_key="r").start().news() == ["call i.pay"]


def test_a_key_takes_the_form_of_its_parameter():
    key = "0123456789abcdef" * 4
    assert fitted(key, {}) == key
    assert fitted(key, {"maxLength": 20}) == key[:20]
    assert UUID(fitted(key, {"format": "uuid"})).version == 5
    schema = {"type": "object", "properties": {"k": {"type": "string", "maxLength": 9}}, "required": ["k"]}
    tools = {"write": tool("write").model_copy(update={"input_schema": schema})}
    source = p.Source(transport=p.Stdio(command="nothing"), tools=tools)
    one = chain("c", step("pay", tool="write", key="k"), output=ref("pay"))
    loaded = load_plan(p.Plan(name="t", version="1.0.0", sources={"test": source}, chains={"c": one}))
    assert len(Hand(loaded=loaded).start().starts["pay#1"].arguments["k"]) == 9


# ------------------------------------------------------------------ unknown outcomes

ASKED = call("read", key=ex.Member(base=ref("pay"), name="key"))


def pay(**more):
    return step("pay", tool="write", key="k", reconcile=ASKED, **more)


def test_an_unknown_outcome_is_reconciled_and_what_is_found_stands():
    hand = keyed(pay()).fail("pay", "unknown_outcome", details={"cause": "timeout"})
    assert hand.news() == ["call pay", "call pay:reconcile"]
    assert not hand.starts["pay#1"].repeatable
    assert hand.starts["pay:reconcile#1"].arguments == {"key": hand.starts["pay#1"].key}
    assert hand.ok("pay:reconcile", {"id": 7}).value == {"id": 7}
    assert [each.value for each in hand.commands if isinstance(each, Happened)] == [{"id": 7}]


def test_null_means_that_it_did_not_happen_and_the_retries_go_on():
    lost: Any = {"details": {"cause": "timeout"}}
    hand = keyed(pay(retry={"count": 1, "on": ("timeout",)})).fail("pay", "unknown_outcome", **lost)
    hand.news()
    assert hand.ok("pay:reconcile", None).news() == ["timer wait:pay#1 1000"]
    assert hand.fire("wait:pay#1").fail("pay#2", "unknown_outcome", **lost).news() == [
        "call pay#2",
        "call pay:reconcile#2",
    ]
    hand.ok("pay:reconcile#2", None)
    assert (hand.fault.fault_class, hand.fault.message) == ("timeout", "It did not happen: no")
    assert hand.fault.retryable
    assert hand.fault.not_undone == ()


def test_what_cannot_be_reconciled_stays_unknown():
    hand = keyed(pay(undo=call())).fail("pay", "unknown_outcome").fail("pay:reconcile", message="also down")
    assert (hand.fault.fault_class, hand.fault.details["reconcile"]) == ("unknown_outcome", "also down")
    assert [dict(each) for each in hand.fault.not_undone] == [
        {"step": "pay", "reason": "It is unknown whether it has happened."}
    ]
    plain = keyed(PAY).fail("pay", "unknown_outcome")
    assert plain.fault.fault_class == "unknown_outcome"
    assert plain.news() == ["call pay"]


def test_a_known_failure_is_not_reconciled():
    assert keyed(pay()).fail("pay", "tool_error").fault.fault_class == "tool_error"


def test_reconciling_is_part_of_the_call_also_where_the_run_ends():
    hand = keyed(pay(undo=call("write", of=ref("pay"))), step("bad"))
    hand.fail("pay", "unknown_outcome").news()
    assert hand.fail("bad").news() == []
    assert hand.ok("pay:reconcile", 7).news() == ["call pay:undo"]
    assert hand.ok("pay:undo").fault.undone == ("pay",)


def test_where_the_budget_ends_before_the_answer_is_found_it_stays_unknown():
    hand = keyed(pay(undo=call("write", of=ref("pay"))), budget={"calls": 1}).fail("pay", "unknown_outcome")
    assert hand.fault.fault_class == "budget_exceeded"
    assert hand.fault.not_undone[0]["reason"] == "It is unknown whether it has happened."
    assert hand.fault.details["also"][0]["class"] == "unknown_outcome"


def test_what_is_found_is_verified_too():
    hand = keyed(pay(verify=verify(const(False)))).fail("pay", "unknown_outcome").ok("pay:reconcile", 7)
    assert hand.ok("pay:verify").fault.fault_class == "not_verified"


def test_the_receipt_of_a_call_is_completed_when_it_is_known():
    one = step("pay", tool="write", receipt=ref("pay"), verify=verify(ref("result")))
    hand = keyed(one).ok("pay", "r1").ok("pay:verify", True)
    assert [each for each in hand.commands if isinstance(each, CompleteReceipt)] == [
        CompleteReceipt("pay#1", "r1", True)
    ]


# ------------------------------------------------------------------ replays


def test_a_replayed_step_is_said_to_be_and_not_taken_back():
    hand = keyed(write("a", key="k"), step("bad", "a"))
    hand.event(CallSucceeded("a#1", 7, replayed=True)).fail("bad")
    assert hand.machine.replayed == ["a"]
    assert (hand.fault.undone, hand.fault.done) == ((), ())
    assert hand.fault.not_undone[0]["reason"] == "It was done by an earlier call of the same request."


def test_a_replayed_step_is_verified_again():
    hand = keyed(step("a", tool="write", key="k", verify=verify(ref("result"))))
    hand.event(CallSucceeded("a#1", 7, replayed=True))
    assert hand.ok("a:verify", True).value == 7


def test_a_chain_that_names_its_own_request_key_keeps_it():
    named = chain("c", PAY, output=ref("request_key"), inputs=(given("request_key"),))
    loaded = load_plan(plan(named))
    assert not loaded.chains["c"].takes_request_key
    assert Hand(named).start(request_key="x").ok("pay").value == "x"
