"""What is said of a run before it begins is what the run then does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as given_values
from hypothesis import settings
from hypothesis import strategies as st

from compiler.cli.forecast import forecast
from compiler.cli.foreseen import Block, Step
from compiler.cli.guess import Fails, Guess, Known, Unknown, names_in
from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.runtime.events import AskPerson, StartCall
from stdlib.runtime.fault import Fault
from stdlib.runtime.load import load_plan
from tests.stdlib.runtime.plans import (
    Hand,
    approve,
    ask,
    chain,
    const,
    given,
    let,
    loop,
    plan,
    record,
    ref,
    require,
    step,
    write,
)

N = given("n")


def of(one: p.Chain, *more: p.Chain, **arguments: Any) -> Block:
    return forecast(load_plan(plan(one, *more)), one.id, arguments)


def member(base: str, name: str) -> ex.Member:
    return ex.Member(base=ref(base), name=name)


def over(left: Any, right: int) -> ex.Compare:
    return ex.Compare(op=">", left=left, right=const(right), on="number")


def outcome(step: str, wanted: Any) -> ex.Outcome:
    return ex.Outcome.model_validate({"step": step, "is": wanted})


INNER = chain(
    "inner",
    let("twice", ex.Arithmetic(op="*", left=ref("m"), right=const(2))),
    step("x", "twice", arguments={"m": ref("twice")}),
    inputs=(given("m"), given("k", required=False, default=const(9))),
    output=record(x=ref("x"), k=ref("k")),
)
PURE = chain("pure", inputs=(given("m"),), output=record(m=ref("m")))
STRICT = chain(
    "strict", require("r", over(ref("m"), 5), "too small"), step("x", "r"), inputs=(given("m"),), output=ref("x")
)


def c(*bindings: Any, output: Any, **more: Any) -> p.Chain:
    return chain("c", *bindings, output=output, inputs=[N], **more)


TWO, THREE = const([1, 2]), const([1, 2, 3])
CASES: dict[str, tuple[p.Chain, ...]] = {
    "steps at once": (c(step("a", arguments={"n": ref("n")}), write("b"), step("d", "a"), output=ref("d")),),
    "a let between": (c(let("v", ref("n")), step("a", "v", arguments={"v": ref("v")}), output=ref("a")),),
    "a let behind a step": (c(step("a"), let("v", ref("a"), "a"), step("b", "v"), output=ref("b")),),
    "a guard that holds": (c(step("a", when=over(ref("n"), 1)), step("b", "a"), output=ref("b")),),
    "a guard that does not": (
        c(
            step("a", when=over(ref("n"), 100)),
            step("b", "a", when=outcome("a", "skipped"), arguments={"a": ref("a")}),
            output=ref("b"),
        ),
    ),
    "a requirement that holds": (c(require("r", over(ref("n"), 1), "no"), step("a", "r"), output=ref("a")),),
    "one that does not": (c(require("r", over(ref("n"), 100), "no"), step("a", "r"), output=ref("a")),),
    "a loop": (c(loop("l", THREE, step("l", arguments={"i": ref("item")}), parallel=2), output=ref("l")),),
    "a loop over a block": (
        c(
            loop("l", TWO, let("v", ref("item")), step("x", "v", arguments={"i": ref("v")}), step("y", "x")),
            output=ref("l"),
        ),
    ),
    "an empty loop": (c(loop("l", const([]), step("x")), step("a", "l", arguments={"l": ref("l")}), output=ref("a")),),
    "a called chain": (c(step("s", chain="inner", arguments={"m": ref("n")}), step("a"), output=ref("s")), INNER),
    "a called chain without calls": (
        c(
            step("s", chain="pure", arguments={"m": ref("n")}),
            step("a", "s", arguments={"s": ref("s")}),
            output=ref("a"),
        ),
        PURE,
    ),
    "a called chain that fails": (c(step("s", chain="strict", arguments={"m": const(1)}), output=ref("s")), STRICT),
    "questions": (c(approve("go"), ask("which"), step("a", "go"), output=ref("a")),),
    "a loop that is too long": (c(loop("l", THREE, step("x"), max_items=2), output=ref("l")),),
    "nothing to call": (c(let("v", ref("n")), output=ref("v")),),
}


@pytest.mark.parametrize("case", CASES)
def test_the_first_calls_are_those_that_the_run_makes(case: str):
    hand = Hand(*CASES[case]).start(n=7)
    block = of(*CASES[case], n=7)
    assert [(each.path, known(each.arguments)) for each in block.first] == begun(hand)
    ending = hand.machine.ending
    if isinstance(ending, Fault):
        assert block.fault is not None
        assert block.fault == ending
    else:
        assert block.fault is None
        assert block.done == (ending is not None)
        if ending is not None:
            assert known(block.result) == ending.value


def begun(hand: Hand) -> list[tuple[str, Any]]:
    """The calls and questions that a machine began with."""
    return [
        (each.step, each.arguments) if isinstance(each, StartCall) else (each.question.step, each.question.text)
        for each in hand.commands
        if isinstance(each, StartCall | AskPerson)
    ]


@st.composite
def bindings(draw: st.DrawFn, depth: int = 0) -> list[Any]:
    """Some bindings that need earlier ones, look at them, and are guarded by them."""
    made: list[Any] = []
    for number in range(draw(st.integers(1, 6))):
        name = f"{'xyz'[depth]}{number}"
        needed = draw(st.lists(st.sampled_from(made), unique_by=lambda each: each.name, max_size=2)) if made else []
        needs = [each.name for each in needed]
        seen = record(**{each.name: ref(each.name) for each in needed if each.kind != "require"}, n=ref("n"))
        guards = [outcome(each.name, "skipped") for each in needed if each.kind not in ("let", "require")]
        guard = draw(st.sampled_from([None, None, over(ref("n"), 5), over(ref("n"), 50), *guards]))
        match draw(st.sampled_from(["step", "step", "write", "let", "require", "ask", "loop", "chain", "pure"])):
            case "step":
                made.append(step(name, *needs, when=guard, arguments={"v": seen}))
            case "write":
                made.append(write(name, *needs, when=guard, arguments={"v": seen}))
            case "let":
                made.append(let(name, seen, *needs))
            case "require":
                holds = draw(st.sampled_from([True, True, True, False]))
                made.append(require(name, over(ref("n"), 5 if holds else 50), f"{name} fails", *needs))
            case "ask":
                made.append(approve(name, *needs, when=guard))
            case "loop" if depth < 2:
                items = const(draw(st.lists(st.integers(0, 3), max_size=3)))
                body = draw(bindings(depth=depth + 1))
                made.append(loop(name, items, *body, result=const(1), needs=tuple(needs), when=guard, parallel=2))
            case "chain":
                arguments = {"m": draw(st.sampled_from([ref("n"), const(1)]))}
                to = draw(st.sampled_from(["inner", "strict"]))
                made.append(step(name, *needs, when=guard, chain=to, arguments=arguments))
            case "pure":
                made.append(step(name, *needs, when=guard, chain="pure", arguments={"m": seen}))
    return made


@given_values(bindings())
@settings(max_examples=150, deadline=None)
def test_any_run_begins_as_foreseen(made: list[Any]):
    one = c(*made, output=const(1))
    hand, block = Hand(one, INNER, PURE, STRICT).start(n=7), of(one, INNER, PURE, STRICT, n=7)
    told = sorted((each.path, repr(known(each.arguments))) for each in block.first)
    did = sorted((path, repr(arguments)) for path, arguments in begun(hand))
    if block.fault is None:
        assert told == did
        assert not isinstance(hand.machine.ending, Fault)
        assert block.done == (hand.machine.ending is not None)
    else:
        # Which loops and called chains have begun when another one fails depends on how deep each of them lies.
        assert {path for path, _ in did} <= {path for path, _ in told}
        if isinstance(hand.machine.ending, Fault) and len(faults_of(one)) == 1:
            assert block.fault == hand.machine.ending


def faults_of(one: p.Chain) -> list[str]:
    """The places where a run may fail before anything has answered."""
    text = one.model_dump_json()
    return ["fails"] * text.count(" fails") + ["strict"] * text.count('"strict"')


def known(guess: Guess) -> Any:
    assert isinstance(guess, Known), guess
    return guess.value


def steps(block: Block) -> dict[str, Step]:
    return {each.plan.name: each for each in block.steps}


def test_steps_know_what_they_wait_for():
    block = of(
        chain(
            "c",
            step("a"),
            step("b"),
            let("v", record(a=ref("a"), b=ref("b")), "a", "b"),
            step("d", "v", arguments={"v": ref("v"), "n": ref("n")}),
            step("e", "d", "a"),
            inputs=[N],
            output=record(e=ref("e"), v=ref("v")),
        ),
        n=1,
    )
    made = steps(block)
    assert [(each.wave, each.after, each.will) for each in made.values()] == [
        (1, (), "runs"),
        (1, (), "runs"),
        (2, ("a", "b"), "may run"),
        (3, ("d", "a"), "may run"),
    ]
    assert made["d"].arguments == (("v", Unknown(("a", "b"))), ("n", Known(1)))
    assert block.values[0].guess == Unknown(("a", "b"))
    assert block.result == Unknown(("e", "a", "b"))


def test_what_the_run_would_not_look_at_need_not_be_known():
    either = ex.If(condition=over(ref("n"), 1), then=ref("n"), otherwise=ref("a"))
    one = chain("c", step("a"), let("v", either, "a"), inputs=[N], output=ref("v"))
    assert of(one, n=7).values[0].guess == Known(7)
    assert of(one, n=0).values[0].guess == Unknown(("a",))


def test_a_guard_behind_a_step_may_go_either_way():
    one = chain("c", step("a"), step("b", "a", when=over(member("a", "x"), 1)), output=ref("b"))
    made = steps(of(one))
    assert (made["b"].will, made["b"].when) == ("may run", Unknown(("a",)))


def test_the_run_itself_is_not_known_yet():
    block = of(chain("c", step("a", arguments={"id": member("run", "id"), "n": const(1)}), output=ref("a")))
    assert block.first[0].arguments == Unknown(("run",))
    assert block.first[0].parts == (("id", Unknown(("run",))), ("n", Known(1)))


def test_what_lies_under_a_handle_is_not_known_yet():
    one = chain("c", step("a", arguments={"h": ref("h")}), inputs=[given("h", handle="rows")], output=ref("a"))
    assert of(one, h="h-1").first[0].arguments == Unknown(("@h",))


def test_an_item_of_a_loop_is_not_known():
    block = of(
        chain("c", loop("l", ref("n"), step("l", arguments={"i": ref("item")})), inputs=[N], output=ref("l")), n=[1]
    )
    inner = steps(block)["l"].inner
    assert inner is not None
    assert inner.steps[0].arguments == (("i", Unknown(("l[]",))),)
    assert [each.path for each in block.first] == ["l[0]"]


def test_defaults_are_inputs_like_others():
    one = chain("c", inputs=(N, given("k", required=False, default=ref("n"))), output=ref("k"))
    block = of(one, n=3)
    assert block.inputs == {"n": Known(3), "k": Known(3)}
    assert (block.done, block.result) == (True, Known(3))


def test_a_key_is_not_among_the_exact_arguments():
    block = of(
        chain("c", step("a", tool="write", key="token", arguments={"n": ref("n")}), inputs=[N], output=ref("a")), n=1
    )
    assert (block.first[0].arguments, block.first[0].key) == (Known({"n": 1}), "token")


def test_behind_a_certain_fault_nothing_is_reached():
    divided = ex.Arithmetic(op="/", left=const(1), right=ref("n"))
    block = of(chain("c", step("a"), let("v", divided), step("b", "v"), inputs=[N], output=ref("b")), n=0)
    assert block.fault is not None
    assert isinstance(block.values[0].guess, Fails)
    assert [each.path for each in block.first] == ["a"]
    assert steps(block)["b"].will == "is not reached"


def test_chains_within_chains_are_looked_into_so_deep():
    links = [chain(f"c{n}", step("s", chain=f"c{n + 1}"), output=ref("s")) for n in range(12)]
    block = of(*links, chain("c12", step("x"), output=ref("x")))
    assert [(each.path, each.tool) for each in block.first] == [(".".join("s" * 9), "chain c9")]
    depth, inner = 0, block.steps[0].inner
    while inner is not None:
        inner, depth = inner.steps[0].inner, depth + 1
    assert depth == 8


def test_a_project_of_many_chains_ends():
    fan = [step(f"s{n}", chain="c1") for n in range(8)]
    links = [chain(f"c{n}", *(step(each.name, chain=f"c{n + 1}") for each in fan), output=const(1)) for n in range(7)]
    block = of(*links, chain("c7", step("x"), output=ref("x")))
    assert {each.tool for each in block.first} > {"test.read"}


def test_a_default_that_cannot_be_worked_out_is_a_fault():
    divided = ex.Arithmetic(op="/", left=const(1), right=ref("n"))
    one = chain("c", step("a"), inputs=(N, given("k", required=False, default=divided)), output=ref("a"))
    hand, block = Hand(one).start(n=0), of(one, n=0)
    assert isinstance(hand.machine.ending, Fault)
    assert block.fault is not None
    assert block.fault.message == hand.machine.ending.message
    assert block.first == ()


def test_the_names_of_an_expression():
    expression = ex.If(
        condition=outcome("s", "failed"), then=member("a", "x"), otherwise=ex.Text(parts=("y", ref("b")))
    )
    assert sorted(names_in(expression)) == ["a", "b", "s"]
