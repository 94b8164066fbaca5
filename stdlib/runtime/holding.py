"""Which values may stay in the store while a plan runs: those that its expressions pass on and never look into.

A step whose tool gives a handle, an input that is a handle, and what a chain puts under a handle are *looked into*
where an expression reads them, takes a part of them, compares them (but with null), or puts them into another value.
They are *passed on* where the whole of them is a `let`, an argument of a chain that is a handle there, an argument
that a tool takes from the store in parts, or the output of a chain that gives a handle; in branches of `if` and `??`,
too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from ..plan import expression as ex
from ..plan import plan as p
from ..plan.reach import every

OUTPUT: Final = ""
Spot = tuple[str, str]
"""A chain's id and a name in it; `OUTPUT`: what the chain gives."""
_ANYWHERE: Final = ("", "")
"""Where everything may go as it is."""

Takes = Callable[[p.ToolTarget, str], bool]
"""Whether a tool takes this argument from the store in parts."""


def looked_into(plan: p.Plan, takes: Takes) -> frozenset[Spot]:
    """The spots whose values must be in memory; at all others a value may stand that is not."""
    walk = _Walk(plan, takes)
    for chain in plan.chains.values():
        walk.chain(chain)
    todo = list(walk.looked)
    while todo:
        for source in walk.flows.get(todo.pop(), ()):
            if source not in walk.looked:
                walk.looked.add(source)
                todo.append(source)
    return frozenset(walk.looked)


@dataclass(slots=True)
class _Walk:
    """`flows`: by where values go, where they come from."""

    plan: p.Plan
    takes: Takes
    looked: set[Spot] = field(default_factory=set)
    flows: dict[Spot, list[Spot]] = field(default_factory=dict)
    _chain: str = ""

    def chain(self, chain: p.Chain) -> None:
        self._chain = chain.id
        for each in chain.inputs:
            self._look(each.default, self._spot(each.name) if each.handle is not None else None)
        for binding in every(chain.bindings):
            self._binding(binding)
        self._look(chain.output.value, self._spot(OUTPUT) if chain.output.mode == "handle" else None)
        self._look(chain.output.summary, None)

    def _spot(self, name: str) -> Spot:
        return self._chain, name

    def _binding(self, binding: p.Binding) -> None:
        match binding:
            case p.Let():
                self._look(binding.value, self._spot(binding.name))
            case p.CallStep():
                self._step(binding)
            case p.MapStep():
                self._look(binding.items, None)
                self._look(binding.result, None)
                self._look(binding.when, None)
                self._reaction(binding.policy.on_error, None)
                self._reaction(binding.policy.on_item_error, None)
            case _:
                self._rest(binding)

    def _step(self, step: p.CallStep) -> None:
        own = self._spot(step.name)
        self._look(step.when, None)
        self._look(step.receipt, None, step.name)
        self._reaction(step.policy.on_error, own)
        self._call(step.call, step.name)
        if step.key is not None:
            self.looked.add(own)  # what a key stands for is recorded as a value
        if isinstance(step.call.target, p.ChainTarget):
            self._flow((step.call.target.id, OUTPUT), own)
        if step.reconcile is not None:
            self._call(step.reconcile, None)
        if step.verify is not None:
            self._call(step.verify.call, step.name)
            self._look(step.verify.condition, None)
            self._inside(step.verify.call)
        if step.undo is not None:
            self._call(step.undo, step.name)
        for call in (step.reconcile, step.undo):
            if call is not None:
                self._inside(call)

    def _inside(self, call: p.CallPlan) -> None:
        """Calls beside the step's own: what they give is looked into."""
        if isinstance(call.target, p.ChainTarget):
            self.looked.add((call.target.id, OUTPUT))

    def _call(self, call: p.CallPlan, result: str | None) -> None:
        for argument in call.arguments:
            self._look(argument.value, self._taken(call, argument.name), result)

    def _taken(self, call: p.CallPlan, name: str | None) -> Spot | None:
        if name is None:
            return None
        if isinstance(call.target, p.ToolTarget):
            return _ANYWHERE if self.takes(call.target, name) else None
        inputs = self.plan.chains[call.target.id].inputs if call.target.id in self.plan.chains else ()
        handle = any(each.name == name and each.handle is not None for each in inputs)
        return (call.target.id, name) if handle else None

    def _reaction(self, reaction: p.Reaction, into: Spot | None) -> None:
        if isinstance(reaction, p.Use):
            self._look(reaction.value, into)
        elif isinstance(reaction, p.Fail):
            self._look(reaction.message, None)

    def _rest(self, model: BaseModel) -> None:
        for each in _expressions(model):
            self._look(each, None)

    def _flow(self, source: Spot, into: Spot | None) -> None:
        if into is None:
            self.looked.add(source)
        elif into != _ANYWHERE:
            self.flows.setdefault(into, []).append(source)

    def _look(self, expression: Any, into: Spot | None, result: str | None = None) -> None:
        """`result`: the name of the step that `result` stands for there."""
        match expression:
            case None:
                return
            case ex.Ref(name=name):
                self._flow(self._spot(result if name == "result" and result is not None else name), into)
            case ex.If(condition=condition, then=then, otherwise=otherwise):
                self._look(condition, None, result)
                self._look(then, into, result)
                self._look(otherwise, into, result)
            case ex.Logic(op="else", left=left, right=right):
                self._look(left, into, result)
                self._look(right, into, result)
            case ex.Compare(op="==" | "!=", left=left, right=right) if _null(left) or _null(right):
                self._look(left, _ANYWHERE, result)
                self._look(right, _ANYWHERE, result)
            case _:
                for each in _expressions(expression):
                    self._look(each, None, result)


def referred(expression: Any) -> Iterator[str]:
    """The names that an expression refers to."""
    if isinstance(expression, ex.Ref):
        yield expression.name
    for each in _expressions(expression):
        yield from referred(each)


def _null(expression: ex.Expression) -> bool:
    return isinstance(expression, ex.Const) and expression.value is None


_KINDS: Final = (
    *(ex.Const, ex.Ref, ex.Member, ex.Index, ex.Present, ex.Not, ex.Negate, ex.Logic, ex.Compare, ex.Contains),
    *(ex.Arithmetic, ex.Cast, ex.If, ex.Call, ex.Text, ex.ListOf, ex.RecordOf, ex.ListComprehension),
    *(ex.MapComprehension, ex.Outcome, ex.Spread, ex.FieldOf),
)


def _expressions(value: Any) -> Iterator[Any]:
    """The expressions right below a part of a plan."""
    fields = value.__dict__.values() if isinstance(value, BaseModel) else value
    for each in fields:
        if isinstance(each, _KINDS):
            yield each
        elif isinstance(each, BaseModel | tuple):
            yield from _expressions(each)
        elif isinstance(each, dict):
            yield from _expressions(tuple(each.values()))
