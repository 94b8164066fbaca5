"""Whatever the shape of the graph and the order of answers: edges, bounds, results and ends are right."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stdlib.plan import plan as p
from stdlib.runtime.events import CallFailed, CallSucceeded, CancelCall, StartCall
from stdlib.runtime.fault import Fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.machine import Machine

from .plans import RUN, chain, const, let, loop, plan, record, ref, step


@st.composite
def graphs(draw: st.DrawFn) -> tuple[p.Binding, ...]:
    """Bindings that need some of those before them: lets, steps, loops with one or two steps an item."""
    bindings: list[Any] = []
    for number in range(draw(st.integers(1, 7))):
        name = f"b{number}"
        before = [each.name for each in bindings]
        needs = tuple(draw(st.lists(st.sampled_from(before), unique=True, max_size=3))) if before else ()
        inputs = {need: ref(need) for need in needs}
        kind = draw(st.sampled_from(["let", "step", "step", "write", "loop", "loop2"]))
        if kind == "let":
            bindings.append(let(name, record(name=const(name), **inputs), *needs))
        elif kind in ("step", "write"):
            skipped = draw(st.integers(0, 4)) == 0
            on_error = draw(st.sampled_from([{"kind": "fail"}, {"kind": "skip"}]))
            tool = "read" if kind == "step" else "write"
            when = const(False) if skipped else None
            bindings.append(step(name, *needs, tool=tool, when=when, arguments=inputs, on_error=on_error))
        else:
            body: list[Any] = [step("x", arguments={"item": ref("item")})]
            if kind == "loop2":
                body.append(step("y", "x", tool="write", arguments={"x": ref("x")}))
            count, parallel = draw(st.integers(0, 4)), draw(st.integers(1, 3))
            on_item = draw(st.sampled_from([{"kind": "fail"}, {"kind": "skip"}]))
            items = const(list(range(count)))
            bindings.append(loop(name, items, *body, needs=needs, parallel=parallel, on_item_error=on_item))
    return tuple(bindings)


class Simulation:
    """Answers calls in an order and with outcomes that are drawn, and watches what the machine does."""

    def __init__(self, bindings: tuple[p.Binding, ...], data: st.DataObject, failing: bool) -> None:
        output = record(**{each.name: ref(each.name) for each in bindings})
        self.machine = Machine(load_plan(plan(chain("c", *bindings, output=output))), "c", RUN)
        self.bindings = {each.name: each for each in bindings}
        self.data = data
        self.failing = failing
        self.flying: dict[str, StartCall] = {}
        self.started: list[str] = []
        self.answered: set[str] = set()

    def run(self) -> None:
        self.note(self.machine.start({}))
        for _ in range(500):
            if self.machine.ending is not None:
                break
            assert self.flying, "the machine waits for nothing"
            call = self.data.draw(st.sampled_from(sorted(self.flying)))
            self.flying.pop(call)
            self.answered.add(call)
            fails = self.failing and self.data.draw(st.integers(0, 5)) == 0
            event = CallFailed(call, Fault("tool_error", "no")) if fails else CallSucceeded(call, f"value of {call}")
            self.note(self.machine.handle(event))
        assert self.machine.ending is not None
        assert not self.flying, "a run ends when nothing is under way"

    def note(self, commands: list[Any]) -> None:
        for command in commands:
            match command:
                case StartCall(call=call):
                    assert call not in self.started, "a call is started once"
                    self.started.append(call)
                    self.flying[call] = command
                    self.check_edges(call)
                case CancelCall(call=call):
                    assert self.flying[call].tool.key == "read", "a write is never cancelled"
                    self.flying.pop(call)
        self.check_bounds()

    def check_edges(self, call: str) -> None:
        """No call of a binding starts while one that it needs has calls to come or under way."""
        top = self.bindings[call.split("#")[0].split("[")[0].split(".")[0]]
        for need in top.needs:
            assert not any(self.belongs(flying, need) for flying in self.flying if flying != call)
        later = {each.name for each in self.bindings.values() if top.name in each.needs}
        assert not any(self.belongs(earlier, name) for name in later for earlier in self.started[:-1])

    def check_bounds(self) -> None:
        for binding in self.bindings.values():
            if isinstance(binding, p.MapStep):
                items = {call.split("]")[0] for call in self.flying if self.belongs(call, binding.name)}
                assert len(items) <= binding.policy.parallel

    @staticmethod
    def belongs(call: str, name: str) -> bool:
        return call.split("#")[0].split("[")[0] == name


@settings(max_examples=150)
@given(graphs(), st.data())
def test_edges_and_bounds_hold_and_results_keep_their_order(bindings: tuple[p.Binding, ...], data: st.DataObject):
    simulation = Simulation(bindings, data, failing=False)
    simulation.run()
    ending = simulation.machine.ending
    assert not isinstance(ending, Fault)
    assert ending is not None
    for name, binding in simulation.bindings.items():
        value = ending.value[name]
        if isinstance(binding, p.MapStep):
            assert isinstance(binding.items, type(const(0)))
            last = binding.bindings[-1].name
            assert value == [f"value of {name}[{n}].{last}#1" for n in range(len(binding.items.value))]
        elif isinstance(binding, p.CallStep):
            assert value == (None if binding.when is not None else f"value of {name}#1")


@settings(max_examples=150)
@given(graphs(), st.data())
def test_whatever_fails_the_run_ends_with_nothing_under_way(bindings: tuple[p.Binding, ...], data: st.DataObject):
    simulation = Simulation(bindings, data, failing=True)
    simulation.run()
    ending = simulation.machine.ending
    if isinstance(ending, Fault):
        writes = {call.split("#")[0] for call in simulation.answered}
        assert set(ending.done) <= writes
        assert ending.step is not None
