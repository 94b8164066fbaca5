"""Whatever fails, whenever it is answered: the order of undoing, and that nothing is undone twice."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stdlib.plan import plan as p
from stdlib.runtime.events import CallFailed, CallSucceeded, CancelCall, CancelRequested, StartCall
from stdlib.runtime.fault import Fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.machine import Machine

from .plans import RUN, chain, const, loop, plan, record, ref, step, write

INNER = chain("inner", write("x"), step("m", "x"), write("y", "m"), output=ref("y"))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[p.Binding, ...]:
    """Writes that can be undone, alone, in loops and in called chains; some failures are caught."""
    bindings: list[Any] = []
    for number in range(draw(st.integers(1, 7))):
        name = f"b{number}"
        before = [each.name for each in bindings]
        needs = tuple(draw(st.lists(st.sampled_from(before), unique=True, max_size=2))) if before else ()
        caught = draw(st.sampled_from([{"kind": "fail"}, {"kind": "fail"}, {"kind": "skip"}]))
        match draw(st.sampled_from(["write", "write", "read", "loop", "chain"])):
            case "write":
                bindings.append(write(name, *needs, on_error=caught))
            case "read":
                bindings.append(step(name, *needs, on_error=caught))
            case "loop":
                body = (write("x"), step("y", "x"), write("z", "y"))
                items = const(list(range(draw(st.integers(0, 3)))))
                bindings.append(loop(name, items, *body, needs=needs, parallel=2, on_item_error=caught))
            case "chain":
                bindings.append(step(name, *needs, chain="inner", on_error=caught))
    return tuple(bindings)


class Simulation:
    """Answers calls in an order and with outcomes that are drawn; `done` has writes by completion."""

    def __init__(self, bindings: tuple[p.Binding, ...], data: st.DataObject) -> None:
        output = record(**{each.name: ref(each.name) for each in bindings})
        self.machine = Machine(load_plan(plan(chain("c", *bindings, output=output), INNER)), "c", RUN)
        self.data = data
        self.flying: dict[str, StartCall] = {}
        self.done: list[str] = []
        self.begun: list[str] = []
        self.ended: list[tuple[str, bool]] = []
        self.cancelled = False

    def run(self) -> None:
        self.note(self.machine.start({}))
        for _ in range(500):
            if self.machine.ending is not None:
                break
            if not self.cancelled and self.data.draw(st.integers(0, 20)) == 20:
                self.cancelled = True
                self.note(self.machine.handle(CancelRequested()))
                continue
            assert self.flying, "the machine waits for nothing"
            self.answer(self.data.draw(st.sampled_from(sorted(self.flying))))
        assert self.machine.ending is not None
        assert not self.flying

    def answer(self, call: str) -> None:
        command = self.flying.pop(call)
        fails = self.data.draw(st.integers(0, 7)) == 7
        if command.purpose == "undo":
            self.ended.append((command.step, not fails))
        elif command.tool.key == "write" and not fails:
            self.done.append(command.step)
        event = CallFailed(call, Fault("tool_error", "no")) if fails else CallSucceeded(call, call)
        self.note(self.machine.handle(event))

    def note(self, commands: list[Any]) -> None:
        for command in commands:
            match command:
                case StartCall(call=call, purpose="undo", step=name):
                    assert name in self.done, "only what was done is undone"
                    assert name not in self.begun, "nothing is undone twice"
                    self.begun.append(name)
                    self.flying[call] = command
                case StartCall(call=call):
                    self.flying[call] = command
                case CancelCall(call=call):
                    assert self.flying.pop(call).tool.key == "read"


@settings(max_examples=200)
@given(graphs(), st.data())
def test_undoing_goes_from_the_last_to_the_first(bindings: tuple[p.Binding, ...], data: st.DataObject):
    simulation = Simulation(bindings, data)
    simulation.run()
    ending, begun, done = simulation.machine.ending, simulation.begun, simulation.done
    if not isinstance(ending, Fault):
        assert ending is not None
        assert all(ending.value[name] is None for name in begun if name in ending.value), "what succeeded stays"
        return
    assert sorted(begun) == sorted(done), "a run that fails takes everything back"
    assert ending.undone == tuple(name for name, ok in simulation.ended if ok)
    assert [each["step"] for each in ending.not_undone] == [name for name, ok in simulation.ended if not ok]
    assert set(ending.done) == set(done) - set(ending.undone)


@settings(max_examples=100)
@given(graphs(), st.data())
def test_without_caught_failures_the_order_is_that_of_completion_reversed(
    bindings: tuple[p.Binding, ...], data: st.DataObject
):
    plain = tuple(each.model_copy(update={"policy": p.Policy(parallel=2)}) for each in bindings)
    simulation = Simulation(plain, data)
    simulation.run()
    if isinstance(simulation.machine.ending, Fault):
        assert simulation.begun == list(reversed(simulation.done))
    else:
        assert simulation.begun == []
