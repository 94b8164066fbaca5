"""Budgets, driven by hand."""

from stdlib.plan import plan as p
from stdlib.runtime.events import CallSucceeded
from stdlib.runtime.load import LoadedPlan, load_plan

from .plans import Hand, call, chain, const, loop, plan, ref, step, tool, verify, write


def priced(one: p.Chain, *more: p.Chain, cost: float) -> LoadedPlan:
    tools = {"read": tool("read", read_only=True, cost=cost), "write": tool("write", cost=cost)}
    source = p.Source(transport=p.Stdio(command="nothing"), tools=tools)
    chains = {each.id: each for each in (one, *more)}
    return load_plan(p.Plan(name="t", version="1.0.0", sources={"test": source}, chains=chains))


def test_cost_is_counted_exactly():
    one = chain("c", *(step(f"s{n}") for n in range(3)), output=const(1), budget={"cost": 0.3})
    hand = Hand(loaded=priced(one, cost=0.1)).start()
    assert hand.news() == ["call s0", "call s1", "call s2"]
    assert hand.ok("s0").ok("s1").ok("s2").value == 1
    over = chain("c", step("a"), step("b", "a"), output=const(1), budget={"cost": 0.15})
    fault = Hand(loaded=priced(over, cost=0.1)).start().ok("a").fault
    assert (fault.fault_class, fault.step) == ("budget_exceeded", "b")
    assert fault.message == "`c` may cost 0.15 and needs more."


def test_the_end_of_a_budget_cannot_be_skipped_and_undoes():
    skip = {"kind": "skip"}
    one = chain("c", write("a"), step("b", "a", on_error=skip), output=const(1), budget={"calls": 1})
    hand = Hand(one).start().ok("a")
    assert hand.news()[-1] == "call a:undo", "undoing costs nothing of the budget"
    assert hand.ok("a:undo").fault.fault_class == "budget_exceeded"


def test_the_end_of_a_called_chains_budget_is_its_own():
    inner = chain("inner", step("x"), step("y", "x"), output=ref("y"), budget={"calls": 1})
    caught = step("i", chain="inner", on_error={"kind": "use", "value": const(0)})
    assert Hand(chain("outer", caught, output=ref("i")), inner).start().ok("i.x").value == 0


def test_the_calls_around_a_step_count_too():
    one = chain("c", write("a", verify=verify(const(True))), output=ref("a"), budget={"calls": 1})
    hand = Hand(one).start().ok("a")
    assert hand.ok("a:undo").fault.fault_class == "budget_exceeded"
    assert hand.news() == ["call a", "call a:undo"]


def test_bytes_of_results_add_up():
    one = chain("c", write("a"), step("b"), step("r"), output=const(1), budget={"bytes": 100})
    hand = Hand(one).start()
    hand.event(CallSucceeded("b#1", 1, 60)).news()
    assert hand.event(CallSucceeded("a#1", 1, 60)).news() == ["cancel r", "call a:undo"]
    fault = hand.ok("a:undo").fault
    assert (fault.fault_class, fault.undone, fault.step) == ("budget_exceeded", ("a",), "a")
    assert fault.message == "`c` may take in 100 bytes of results and got 120."


def test_the_last_result_may_be_the_one_too_many():
    one = chain("c", step("b"), output=ref("b"), budget={"bytes": 10})
    assert Hand(one).start().event(CallSucceeded("b#1", 1, 11)).fault.fault_class == "budget_exceeded"
    assert Hand(one).start().event(CallSucceeded("b#1", 1, 10)).value == 1


def test_so_many_calls_at_once_over_loops_steps_and_called_chains():
    inner = chain("inner", step("x"), step("y"), output=ref("x"))
    one = chain(
        "c",
        loop("l", const([1, 2, 3]), step("l")),
        step("i", chain="inner"),
        step("s"),
        output=const(1),
        budget={"parallel": 2},
    )
    hand = Hand(one, inner).start()
    order: list[str] = []
    waiting = [each.removeprefix("call ") for each in hand.news()]
    assert len(waiting) == 2
    while hand.machine.ending is None:
        order.append(waiting.pop(0))
        hand.ok(order[-1])
        waiting += [each.removeprefix("call ") for each in hand.news()]
        assert len(waiting) <= 2
    assert sorted(order) == ["i.x", "i.y", "l[0]", "l[1]", "l[2]", "s"]


def test_what_waits_for_its_turn_is_given_up_at_once():
    one = chain("c", step("a"), step("b"), step("c2", tool="write"), output=const(1), budget={"parallel": 1})
    hand = Hand(one).start()
    assert hand.news() == ["call a"]
    assert hand.fail("a").fault.step == "a"
    assert hand.news() == []


def test_a_step_that_waits_for_its_retry_leaves_its_place():
    one = chain("c", step("a", retry={"count": 1}), step("b"), output=const(1), budget={"parallel": 1})
    assert Hand(one).start().fail("a", "timeout").news() == ["call a", "timer wait:a#1 1000", "call b"]


def test_a_place_is_free_again_after_failures_retries_and_undoing():
    retried = step("b", "a", retry={"count": 1})
    one = chain("c", write("a"), retried, step("d", "b"), output=const(1), budget={"parallel": 1})
    hand = Hand(one).start().ok("a").fail("b", "timeout").fire("wait:b#1").ok("b#2").fail("d").ok("a:undo")
    assert hand.fault.undone == ("a",)


def test_a_chain_that_undoes_is_free_too():
    back = chain("back", step("x"), step("y", "x"), output=ref("y"))
    one = chain("c", step("a", undo=call(chain="back")), step("bad", "a"), output=const(1), budget={"calls": 2})
    hand = Hand(loaded=load_plan(plan(one, back))).start().ok("a").fail("bad").ok("a:undo.x").ok("a:undo.y")
    assert hand.fault.undone == ("a",)
