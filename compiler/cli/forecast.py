"""A run foreseen: what is known of each binding, which steps wait for which, and which calls come first.

Bindings stand in an order that respects every edge, so one walk in that order says what the run does until it has to
wait: the same bindings settle, the same calls are begun, the same fault ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from compiler.cli.foreseen import Block, First, Step, Value, Will
from compiler.cli.guess import RUN, Fails, Guess, Known, Names, Unknown, View
from stdlib.plan import plan as p
from stdlib.runtime import loaded as run
from stdlib.runtime.fault import Fault, bounded
from stdlib.runtime.keys import fitted

MOST: Final = 50
"""Items of a loop whose calls are foreseen one by one."""
DEEPEST: Final = 8
"""Chains within chains that are looked into."""
BLOCKS: Final = 1000
"""Blocks that are gone through altogether; chains that are called beyond that are not looked into."""


def forecast(loaded: run.LoadedPlan, chain_id: str, arguments: Mapping[str, Any]) -> Block:
    """What a call of this chain does, with arguments that it accepted."""
    chain = loaded.chains[chain_id]
    kinds = {each.name for each in chain.plan.inputs if each.handle is not None}
    given: dict[str, Guess] = {
        name: Unknown((f"@{name}",)) if name in kinds and value is not None else Known(value)
        for name, value in arguments.items()
    }
    return _chain(_Around(loaded), chain, given, "", 0)


@dataclass(slots=True)
class _Around:
    """What all blocks of one forecast share."""

    loaded: run.LoadedPlan
    blocks: int = 0


def _chain(around: _Around, chain: run.LoadedChain, given: Mapping[str, Guess], path: str, depth: int) -> Block:
    values = Names()
    values.put(RUN, Unknown((RUN,)))
    view = View(values)
    inputs: dict[str, Guess] = {}
    for each in chain.plan.inputs:
        guess = given.get(each.name, Known(None))
        default = chain.defaults.get(each.name)
        left_out = each.name not in given or (guess == Known(None) and each.nullable)
        if default is not None and left_out:
            guess = view.guess(default, each.default, chain.plan.origin)
        settle = chain.settles.get(each.name)
        if settle is not None and isinstance(guess, Known) and guess.value is not None:
            guess = Known(settle(guess.value))
        inputs[each.name] = guess
        values.put(each.name, guess)
    block = _Walk(around, view, path, depth).block(chain.block, inputs, chain.plan.output.value)
    failed = next((guess.fault for guess in inputs.values() if isinstance(guess, Fails)), None)
    return block if failed is None else replace(block, first=(), fault=failed, done=False)


class _Walk:
    """One block, in the order of its bindings."""

    def __init__(self, around: _Around, view: View, path: str, depth: int, *, flat: bool = False) -> None:
        self._around = around
        around.blocks += 1
        self._view = view
        self._path = path
        self._depth = depth
        self._flat = flat
        self._settled: set[str] = set()
        self._settled_late: set[str] = set()
        self._behind: dict[str, tuple[str, ...]] = {}
        self._waves: dict[str, int] = {}
        self._first: list[First] = []
        self._inner_first: list[First] = []
        self._fault: Fault | None = None
        self._late: Fault | None = None

    def block(self, block: run.LoadedBlock, inputs: Mapping[str, Guess], result: Any) -> Block:
        values: list[Value] = []
        steps: list[Step] = []
        for binding in block.bindings:
            plan = binding.plan
            own = {name: None for need in plan.needs for name in self._behind.get(need, ())}
            if isinstance(binding, run.LoadedLet | run.LoadedRequire):
                guess = self._value(binding)
                values.append(Value(binding.plan, guess))
                self._behind[plan.name] = tuple(own)
                continue
            after = tuple(own)
            wave = 1 + max((self._waves[name] for name in after), default=0)
            steps.append(self._step(binding, after, wave))
            self._behind[plan.name], self._waves[plan.name] = (plan.name,), wave
        origin = block.bindings[0].plan.origin if block.bindings else None
        end = self._view.guess(block.result, result, origin)
        # Loops and called chains begin when their block has been gone through, and so does what waits for them.
        first = self._first if self._fault is not None else self._first + self._inner_first
        done = len(self._settled) == len(block.bindings)
        return Block(inputs, tuple(values), tuple(steps), tuple(first), end, self._fault or self._late, done)

    def _ready(self, needs: tuple[str, ...]) -> bool:
        return self._fault is None and all(need in self._settled for need in needs)

    def _is_late(self, needs: tuple[str, ...]) -> bool:
        return not self._settled_late.isdisjoint(needs)

    def _fail(self, fault: Fault, needs: tuple[str, ...]) -> None:
        """Certain: what needs these has been reached."""
        if self._is_late(needs):
            self._late = self._late or fault
        else:
            self._fault = fault

    def _begin(self, first: First, needs: tuple[str, ...]) -> None:
        (self._inner_first if self._is_late(needs) else self._first).append(first)

    def _done(self, name: str, needs: tuple[str, ...], *, late: bool = False) -> None:
        self._settled.add(name)
        if late or self._is_late(needs):
            self._settled_late.add(name)

    def _value(self, binding: run.LoadedLet | run.LoadedRequire) -> Guess:
        plan, ready = binding.plan, self._ready(binding.plan.needs)
        path = self._path or None  # a requirement has no name of its own
        if isinstance(binding, run.LoadedLet):
            assert isinstance(plan, p.Let)
            guess = self._view.guess(binding.value, plan.value, plan.origin, self._path_of(plan.name))
            self._view.values.put(plan.name, guess)
        else:
            assert isinstance(plan, p.Require)
            guess = self._view.guess(binding.condition, plan.condition, plan.origin, path)
            if isinstance(guess, Known) and guess.value is not True:
                said = self._view.guess(binding.message, plan.message, plan.origin, path)
                text = bounded(str(said.value)) if isinstance(said, Known) else "The requirement does not hold."
                guess = Fails(Fault("precondition", text, path, plan.origin))
        if isinstance(guess, Fails) and ready:
            self._fail(guess.fault, plan.needs)
        elif isinstance(guess, Known) and ready:
            self._done(plan.name, plan.needs)
        return guess

    def _path_of(self, name: str) -> str:
        if self._flat:
            return self._path
        return f"{self._path}.{name}" if self._path else name

    # ------------------------------------------------------------------ steps

    def _step(self, step: run.LoadedStep, after: tuple[str, ...], wave: int) -> Step:
        plan, path = step.plan, self._path_of(step.plan.name)
        ready = self._ready(plan.needs)
        when = None if step.when is None else self._view.guess(step.when, plan.when, plan.origin, path)
        will: Will = "may run"
        if self._fault is not None:
            will = "is not reached"
        elif isinstance(when, Known) and when.value is not True:
            will = "is skipped"
        elif ready and isinstance(when, Fails):
            self._fail(when.fault, plan.needs)
            will = "is not reached"
        elif ready and (when is None or isinstance(when, Known)):
            will = "runs"
        made = Step(plan, after, wave, will, when)
        begins = will == "runs"
        if will == "is skipped":
            self._settle(plan.name, Known(None), "skipped")
            if ready:
                self._done(plan.name, plan.needs)
            return self._shown(step, made, path, begins=False)
        self._view.values.put(plan.name, Unknown((plan.name,)))
        self._view.outcomes.put(plan.name, Unknown((plan.name,)))
        return self._shown(step, made, path, begins=begins)

    def _settle(self, name: str, guess: Guess, outcome: str) -> None:
        self._view.values.put(name, guess)
        self._view.outcomes.put(name, Known(outcome))

    def _shown(self, step: run.LoadedStep, made: Step, path: str, *, begins: bool) -> Step:
        if isinstance(step, run.LoadedCallStep):
            return self._call(step, made, path, begins)
        if isinstance(step, run.LoadedMapStep):
            return self._loop(step, made, path, begins)
        plan = step.plan
        text = self._view.guess(step.question, plan.question, plan.origin, path)
        if begins and isinstance(text, Fails):
            self._fail(text.fault, plan.needs)
        elif begins:
            self._begin(First(path, plan.kind, text), plan.needs)
        return replace(made, text=text)

    def _call(self, step: run.LoadedCallStep, made: Step, path: str, begins: bool) -> Step:
        plan, call = step.plan, step.call
        parts = self._view.arguments(call, plan.call, plan.origin, path)
        key = plan.key if call.tool is not None else None
        if call.chain is not None:
            inner = self._called(call.chain, parts, path)
            if begins and inner is not None:
                self._inner(step, inner)
            elif begins:
                exact = self._view.exact(call, {}, plan.origin, path)
                self._begin(First(path, f"chain {call.chain}", exact, parts), plan.needs)
            return replace(made, arguments=parts, chain=call.chain, inner=inner)
        assert call.tool is not None
        if begins:
            properties = call.tool.plan.input_schema.get("properties", {})
            fixed = {} if key is None else {key: fitted("0" * 64, properties.get(key, {}))}
            exact = self._view.exact(call, fixed, plan.origin, path)
            if isinstance(exact, Known) and key is not None:
                exact = Known({name: value for name, value in exact.value.items() if name != key})
            if not isinstance(exact, Fails):
                self._begin(First(path, call.tool.label.strip("`"), exact, parts, key), plan.needs)
            elif step.on_error.kind == "fail":
                self._fail(exact.fault, plan.needs)
        return replace(made, arguments=parts, tool=call.tool)

    def _inner(self, step: run.LoadedCallStep, inner: Block) -> None:
        """What follows from the chain that a step calls, where the step runs."""
        self._inner_first += inner.first
        if inner.fault is not None and step.on_error.kind == "fail":
            self._late = self._late or inner.fault
        elif inner.done and isinstance(inner.result, Known):
            self._settle(step.plan.name, inner.result, "succeeded")
            self._done(step.plan.name, step.plan.needs, late=True)

    def _called(self, chain_id: str, parts: tuple[tuple[str, Guess], ...], path: str) -> Block | None:
        if self._depth >= DEEPEST or self._around.blocks >= BLOCKS:
            return None
        given = {name: guess for name, guess in parts if name != run.REQUEST_KEY}
        return _chain(self._around, self._around.loaded.chains[chain_id], given, path, self._depth + 1)

    def _loop(self, step: run.LoadedMapStep, made: Step, path: str, begins: bool) -> Step:
        plan = step.plan
        items = self._view.guess(step.items, plan.items, plan.origin, path)
        most = plan.policy.max_items
        if isinstance(items, Known) and isinstance(items.value, list) and len(items.value) > most:
            said = f"`{plan.name}` has {len(items.value)} items to do; at most {most} may be."
            items = Fails(Fault("budget_exceeded", said, path, plan.origin))
        if begins and isinstance(items, Fails) and step.on_error.kind == "fail":
            self._fail(items.fault, plan.needs)
        elif begins and isinstance(items, Known) and isinstance(items.value, list):
            self._items(step, items.value, path)
        inner = self._item(step, Unknown((f"{plan.name}[]",)), f"{path}[]")
        return replace(made, items=items, inner=inner)

    def _items(self, step: run.LoadedMapStep, items: list[Any], path: str) -> None:
        """The first ones, until so many wait for an answer as may run at once. Those that end without a call make room
        for others, and where all do, the loop ends."""
        plan, waiting, results = step.plan, 0, []
        for place, item in enumerate(items[:MOST]):
            inner = self._item(step, Known(item), f"{path}[{place}]")
            self._inner_first += inner.first
            if inner.fault is not None and step.on_item_error.kind == step.on_error.kind == "fail":
                self._late = self._late or inner.fault
            if inner.done and isinstance(inner.result, Known):
                results.append(inner.result.value)
            elif inner.fault is None or step.on_item_error.kind != "skip":
                waiting += 1
            if waiting >= plan.policy.parallel:
                return
        if not waiting and len(items) <= MOST:
            self._settle(plan.name, Known(results), "succeeded")
            self._done(plan.name, plan.needs, late=True)

    def _item(self, step: run.LoadedMapStep, item: Guess, path: str) -> Block:
        values = Names()
        values.put(step.plan.variable, item)
        inner = _Walk(self._around, View(values, self._view), path, self._depth, flat=step.single)
        return inner.block(step.block, {}, step.plan.result)
