"""The state machine, driven by hand."""

import copy

from stdlib.plan import expression as ex
from stdlib.runtime.events import CancelRequested, Progress
from stdlib.runtime.load import load_plan
from stdlib.runtime.machine import Machine

from .plans import RUN, Hand, chain, const, given, let, loop, plan, record, ref, require, step


def test_independent_steps_start_together_and_dependent_ones_wait():
    hand = Hand(
        chain("c", step("a"), step("b"), step("c", "a", "b"), output=record(a=ref("a"), b=ref("b"), c=ref("c")))
    ).start()
    assert hand.news() == ["call a", "call b"]
    assert hand.ok("b", 2).news() == []
    assert hand.ok("a", 1).news() == ["call c"]
    assert hand.ok("c", 3).value == {"a": 1, "b": 2, "c": 3}


def test_arguments_leave_null_out_and_see_inputs():
    fields = {"q": ref("q"), "none": const(None)}
    hand = Hand(chain("c", step("a", arguments=fields), output=ref("a"), inputs=(given("q"),))).start(q="x")
    assert hand.starts["a#1"].arguments == {"q": "x"}


def test_a_default_sees_the_run_and_null_of_a_nullable_input_counts_as_left_out():
    inputs = (given("since", required=False, nullable=True, default=ex.Member(base=ref("run"), name="started_at")),)
    assert Hand(chain("c", output=ref("since"), inputs=inputs)).start().value == RUN["started_at"]
    assert Hand(chain("c", output=ref("since"), inputs=inputs)).start(since=None).value == RUN["started_at"]


def test_a_step_whose_when_is_false_is_skipped_and_its_value_is_null():
    hand = Hand(
        chain(
            "c",
            step("a", when=const(False)),
            step("b", "a", arguments={"x": ref("a")}),
            output=record(a=ref("a"), skipped=ex.Outcome(step="a", is_="skipped")),
        )
    ).start()
    assert hand.news() == ["call b"]
    assert hand.ok("b").value == {"a": None, "skipped": True}


def test_a_requirement_is_checked_before_the_steps_that_need_it():
    one = chain(
        "c",
        require("r", ref("ok"), "It must be ok."),
        step("w", "r", tool="write"),
        output=ref("w"),
        inputs=(given("ok"),),
    )
    fault = Hand(one).start(ok=False).fault
    assert (fault.fault_class, fault.message, fault.step) == ("precondition", "It must be ok.", None)
    assert Hand(one).start(ok=True).news() == ["call w"]


def test_a_failed_step_ends_the_run_cancels_reads_and_awaits_writes():
    hand = Hand(chain("c", step("r"), step("w", tool="write"), step("bad"), step("next", "r"), output=ref("r"))).start()
    hand.news()
    assert hand.fail("bad", message="no such thing").news() == ["cancel r"]
    assert hand.machine.ending is None
    hand.ok("w")
    assert (hand.fault.step, hand.fault.message, hand.fault.done) == ("bad", "no such thing", ("w",))
    assert not hand.fault.retryable


def test_a_write_that_fails_while_the_run_ends_is_reported_too():
    hand = Hand(chain("c", step("w", tool="write"), step("bad"), output=ref("w"))).start().fail("bad")
    hand.fail("w", "unknown_outcome", "lost")
    assert hand.fault.details["also"] == [{"step": "w", "class": "unknown_outcome", "message": "lost"}]


def test_a_run_that_may_have_done_something_is_not_to_be_repeated():
    ending = chain("c", step("w", tool="write"), step("bad"), output=ref("w"))
    hand = Hand(ending).start().fail("bad", "timeout").fail("w", "unknown_outcome")
    assert hand.fault.details["in_doubt"] == ["w"]
    assert hand.fault.retryable is False
    caught = chain("c", step("w", tool="write", on_error={"kind": "skip"}), step("bad", "w"), output=ref("w"))
    told = Hand(caught).start().fail("w", "unknown_outcome").fail("bad", "timeout").fault.to_json()
    assert (told["retryable"], told["details"]["in_doubt"]) == (False, ["w"])
    assert told["next"].endswith("What `details.in_doubt` names may have happened: find out before you repeat it.")
    unsent = Hand(ending).start().fail("bad", "timeout").fail("w", "unavailable", sent=False)
    assert unsent.fault.retryable is True


def test_a_write_whose_answer_cannot_be_used_has_happened():
    hand = Hand(chain("c", step("w", tool="write"), output=ref("w"))).start().fail("w", "shape_mismatch")
    assert hand.fault.done == ("w",)
    assert Hand(chain("c", step("w", tool="write"), output=ref("w"))).start().fail("w").fault.done == ()


def test_reactions_to_an_error():
    outputs = record(a=ref("a"), failed=ex.Outcome(step="a", is_="failed"))
    skip = Hand(chain("c", step("a", on_error={"kind": "skip"}), output=outputs)).start().fail("a")
    assert skip.value == {"a": None, "failed": True}
    use = Hand(chain("c", step("a", on_error={"kind": "use", "value": const(7)}), output=outputs)).start().fail("a")
    assert use.value == {"a": 7, "failed": True}
    words = {"kind": "fail", "message": const("Sorry.")}
    fail = Hand(chain("c", step("a", on_error=words), output=outputs)).start().fail("a", message="inner")
    assert (fail.fault.message, fail.fault.fault_class, fail.fault.details["cause"]) == (
        "Sorry.",
        "tool_error",
        "inner",
    )


def test_retry_waits_longer_each_time_up_to_the_cap_and_gives_up():
    retry = {"count": 3, "wait_ms": 100, "max_wait_ms": 150}
    hand = Hand(chain("c", step("a", retry=retry), output=ref("a"))).start()
    hand.news()
    assert hand.fail("a#1", "unavailable").news() == ["timer wait:a#1 100"]
    assert hand.fire("wait:a#1").news() == ["call a#2"]
    assert hand.fail("a#2", "timeout").news() == ["timer wait:a#2 150"]
    assert hand.fire("wait:a#2").fail("a#3", "timeout").news() == ["call a#3", "timer wait:a#3 150"]
    assert hand.fire("wait:a#3").ok("a#4", "late").value == "late"


def test_only_retryable_classes_that_the_filter_names_are_retried():
    retry = {"count": 3, "on": ("timeout",)}
    assert Hand(chain("c", step("a", retry=retry), output=ref("a"))).start().fail("a", "unavailable").fault
    assert Hand(chain("c", step("a", retry={"count": 3}), output=ref("a"))).start().fail("a", "tool_error").fault
    assert Hand(chain("c", step("a", retry={"count": 3}), output=ref("a"))).start().fail("a", "unknown_outcome").fault


def test_a_wait_is_given_up_when_another_step_fails():
    hand = Hand(chain("c", step("a", retry={"count": 1}), step("b"), output=ref("a"))).start()
    assert hand.fail("a", "timeout").fail("b").fault.step == "b"
    assert hand.fire("wait:a#1").news()[-1].startswith("timer"), "a timer that fires late starts nothing"


def test_a_loop_keeps_its_bound_and_the_order_of_items():
    hand = Hand(
        chain("c", loop("l", const([1, 2, 3, 4]), step("l", arguments={"n": ref("item")}), parallel=2), output=ref("l"))
    )
    assert hand.start().news() == ["call l[0]", "call l[1]"]
    assert hand.ok("l[1]", "b").news() == ["call l[2]"]
    assert hand.ok("l[2]", "c").news() == ["call l[3]"]
    hand.ok("l[3]", "d").ok("l[0]", "a")
    assert hand.value == ["a", "b", "c", "d"]
    assert [hand.starts[f"l[{n}]#1"].arguments["n"] for n in range(4)] == [1, 2, 3, 4]


def test_a_loop_drops_replaces_or_fails():
    body = step("l")
    skip = Hand(chain("c", loop("l", const([1, 2]), body, on_item_error={"kind": "skip"}), output=ref("l"))).start()
    assert skip.fail("l[0]").ok("l[1]", "b").value == ["b"]
    instead = {"kind": "use", "value": record(was=ref("item"))}
    use = Hand(chain("c", loop("l", const([1, 2]), body, on_item_error=instead), output=ref("l"))).start()
    assert use.fail("l[0]").ok("l[1]", "b").value == [{"was": 1}, "b"]
    fail = Hand(chain("c", loop("l", const([1, 2, 3]), body), output=ref("l"))).start()
    fail.news()
    assert fail.fail("l[1]").news() == ["cancel l[0]", "cancel l[2]"]
    assert fail.fault.step == "l[1]"
    caught = Hand(chain("c", loop("l", const([1, 2]), body, on_error={"kind": "skip"}), output=ref("l"))).start()
    assert caught.fail("l[1]").value is None


def test_a_loop_with_a_block_runs_blocks_inside_blocks():
    inner = loop("in", ref("item"), step("in", arguments={"n": ref("item")}))
    body = (inner, let("total", ex.Call(function="sum", arguments={"items": ref("in")}), "in"))
    hand = Hand(chain("c", loop("out", const([[1, 2], [], [3]]), *body, result=ref("in")), output=ref("out"))).start()
    assert hand.news() == ["call out[0].in[0]", "call out[0].in[1]", "call out[2].in[0]"]
    hand.ok("out[0].in[1]", 20).ok("out[2].in[0]", 30).ok("out[0].in[0]", 10)
    assert hand.value == [[10, 20], [], [30]]


def test_a_loop_over_too_many_items_is_refused_before_any_call():
    hand = Hand(chain("c", loop("l", const([1, 2, 3]), step("l"), max_items=2), output=ref("l"))).start()
    assert hand.news() == []
    assert hand.fault.fault_class == "budget_exceeded"


def test_a_loop_of_very_many_items_without_calls_needs_no_deep_stack():
    items = ex.Const(value=list(range(5000)))
    hand = Hand(chain("c", loop("l", items, let("x", ref("item")), parallel=1), output=ref("l"))).start()
    assert hand.value == list(range(5000))


def test_very_many_skipped_steps_need_no_deep_stack():
    steps = [step(f"s{n}", *([f"s{n - 1}"] if n else []), when=const(False)) for n in range(2000)]
    assert Hand(chain("c", *steps, output=const(1))).start().value == 1


def test_a_loop_that_takes_too_long_is_stopped():
    hand = Hand(chain("c", loop("l", const([1, 2]), step("l"), timeout_ms=500), output=ref("l"))).start()
    assert "timer timeout:l 500" in hand.news()
    assert hand.fire("timeout:l").news() == ["cancel l[0]", "cancel l[1]"]
    assert (hand.fault.fault_class, hand.fault.step) == ("timeout", "l")


def test_a_called_chain_is_a_frame_of_its_own():
    inner = chain("inner", step("get", arguments={"q": ref("q")}), output=ref("get"), inputs=(given("q"),))
    outer = chain("outer", step("a", chain="inner", arguments={"q": const("x")}), output=ref("a"))
    hand = Hand(outer, inner).start()
    assert hand.news() == ["call a.get"]
    assert hand.ok("a.get", 5).value == 5


def test_a_fault_in_a_called_chain_names_the_inner_step_and_can_be_caught():
    inner = chain("inner", step("get"), output=ref("get"))
    plain = Hand(chain("outer", step("a", chain="inner"), output=ref("a")), inner).start().fail("a.get")
    assert plain.fault.step == "a.get"
    caught = chain("outer", step("a", chain="inner", on_error={"kind": "use", "value": const(0)}), output=ref("a"))
    assert Hand(caught, inner).start().fail("a.get").value == 0


def test_a_called_chain_is_retried_and_timed_as_one_call():
    inner = chain("inner", step("get"), output=ref("get"))
    outer = chain("outer", step("a", chain="inner", retry={"count": 1}, timeout_ms=50), output=ref("a"))
    hand = Hand(outer, inner).start()
    assert hand.news() == ["timer timeout:a#1 50", "call a.get"]
    assert hand.fire("timeout:a#1").news() == ["cancel a.get", "timer wait:a#1 1000"]
    assert hand.fire("wait:a#1").news() == ["timer timeout:a#2 50", "call a~2.get"]
    assert hand.ok("a~2.get", "ok").value == "ok"


def test_stopping_a_called_chain_awaits_its_writes():
    inner = chain("inner", step("r"), step("w", tool="write"), output=ref("w"))
    hand = Hand(chain("outer", step("a", chain="inner"), step("bad"), output=ref("a")), inner).start()
    hand.news()
    assert hand.fail("bad").news() == ["cancel a.r"]
    assert hand.ok("a.w").fault.done == ("a.w",)


def test_a_chain_that_takes_too_long_is_stopped():
    hand = Hand(chain("c", step("a"), output=ref("a"), budget={"time_ms": 2000})).start()
    assert hand.news() == ["timer timeout::c 2000", "call a"]
    assert hand.fire("timeout::c").news() == ["cancel a"]
    assert hand.fault.message == "`c` did not finish within 2 s."


def test_the_budget_counts_calls_of_called_chains_and_retries():
    inner = chain("inner", step("x"), step("y", "x"), output=ref("y"))
    hand = Hand(chain("outer", step("a", chain="inner"), output=ref("a"), budget={"calls": 1}), inner).start()
    assert hand.ok("a.x").fault.fault_class == "budget_exceeded"
    again = Hand(chain("c", step("a", retry={"count": 5}), output=ref("a"), budget={"calls": 1})).start()
    assert again.fail("a", "timeout").fire("wait:a#1").fault.fault_class == "budget_exceeded"


def test_cancelling_stops_reads_and_awaits_writes():
    hand = Hand(chain("c", step("r"), step("w", tool="write"), step("n", "w"), output=ref("n"))).start()
    hand.news()
    assert hand.event(CancelRequested()).news() == ["cancel r"]
    assert hand.machine.ending is None
    assert hand.ok("w").fault.fault_class == "cancelled"
    assert hand.fault.done == ("w",)
    assert hand.news() == []


def test_late_events_change_nothing():
    hand = Hand(chain("c", step("a"), step("b"), output=ref("a"))).start().fail("a")
    ending = hand.machine.ending
    hand.ok("b").ok("a").fire("nothing").event(CancelRequested())
    assert hand.machine.ending is ending


def test_the_output_is_checked_against_its_type():
    hand = Hand(chain("c", step("a"), output=ref("a"), schema={"type": "integer"})).start().ok("a", "x")
    assert hand.fault.fault_class == "shape_mismatch"
    assert hand.fault.message == 'The output of `c` has another form: the whole of it is string, not integer: "x".'


def test_an_expression_that_fails_names_its_step():
    division = ex.Arithmetic(op="/", left=const(1), right=const(0))
    fault = Hand(chain("c", let("half", division), output=ref("half"))).start().fault
    assert fault.step == "half"
    assert fault.fault_class != "internal"


def test_a_mistake_of_ours_becomes_an_internal_fault_and_a_report():
    hand = Hand(chain("c", let("x", ex.Call(function="sum", arguments={"items": const("no list")})), output=ref("x")))
    assert hand.start().fault.fault_class == "internal"


def test_progress_counts_the_steps_of_the_called_chain():
    hand = Hand(chain("c", step("a"), step("b", "a", when=const(False)), output=ref("a"))).start().ok("a")
    told = [(c.message, c.finished, c.total) for c in hand.commands if isinstance(c, Progress)]
    assert told == [("a done", 1, 2), ("b skipped", 2, 2)]


def test_equal_events_give_equal_commands():
    loaded = load_plan(
        plan(chain("c", loop("l", const([1, 2, 3]), step("l"), parallel=2), step("z", "l"), output=ref("z")))
    )
    one, two = Hand(loaded=loaded), Hand(loaded=loaded)
    for hand in (one, two):
        hand.start().ok("l[0]", 1).fail("l[1]").ok("l[2]", 3)
    assert one.commands == two.commands
    assert one.machine.ending == two.machine.ending


def test_a_machine_is_not_shared_between_runs():
    loaded = load_plan(plan(chain("c", step("a"), output=ref("a"))))
    first, second = Machine(loaded, "c", RUN), Machine(loaded, "c", copy.copy(RUN))
    first.start({})
    assert second.ending is None
    assert not second.calls


def test_a_fault_names_no_require_and_a_guard_by_its_section():
    refusing = chain("inner", require("require#1", const(False), "Not today."), output=const(1))
    outer = chain("outer", step("called", chain="inner"), output=ref("called"))
    assert Hand(refusing).start().fault.to_json().get("step") is None
    assert Hand(outer, refusing).start().fault.step == "called"
    broken = ex.Member(base=const(None), name="x")
    assert Hand(chain("c", let("tell.when", broken), output=const(1))).start().fault.step == "tell"
