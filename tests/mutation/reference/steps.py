"""Steps: guards, loops, reactions, people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dsl import tree
from tests.mutation.reference.calls import fail_by_chance, perform
from tests.mutation.reference.effects import is_write
from tests.mutation.reference.expressions import condition, evaluate, items_of, let_outcome, text
from tests.mutation.reference.faults import DesignFault
from tests.mutation.reference.program import Module
from tests.mutation.reference.scope import Cell, Frame, Outcome
from tests.mutation.reference.types import schema_of
from tests.mutation.reference.values import Record, Text


@dataclass(frozen=True, slots=True)
class Defaults:
    """The clauses that steps inherit, the nearest first."""

    clauses: tuple[tree.Clause, ...]

    @staticmethod
    def of(module: Module, chain: tree.Chain) -> Defaults:
        nearest = [each for each in chain.members if isinstance(each, tree.Defaults)]
        return Defaults(tuple(clause for each in (*nearest, *module.defaults) for clause in each.clauses))

    def within(self, section: tree.Section | None) -> Defaults:
        return self if section is None else Defaults((*section.clauses, *self.clauses))


def perform_step(step: tree.Step, frame: Frame, defaults: Defaults) -> tuple[Any, Outcome]:
    """The result of a step and how it went. Raises DesignFault where nothing answers a failure."""
    for clause in step.clauses:
        if isinstance(clause, tree.When) and not condition(clause.condition, frame):
            return None, "skipped"
    reaction = reaction_to(step, defaults, "error")
    if reaction is None:
        return act(step, frame, defaults), "succeeded"
    try:
        with caught(frame):
            return act(step, frame, defaults), "succeeded"
    except DesignFault as fault:
        return react(reaction, frame, fault), "failed"


@contextmanager
def caught(frame: Frame) -> Iterator[None]:
    """Inside, failures are answered: so they may happen often."""
    frame.run.caught += 1
    try:
        yield
    finally:
        frame.run.caught -= 1


def reaction_to(step: tree.Step, defaults: Defaults, event: str) -> tree.On | None:
    inherited = defaults.clauses if event == "error" else ()
    found = (each for each in (*step.clauses, *inherited) if isinstance(each, tree.On) and each.event.text == event)
    return next(found, None)


def react(on: tree.On, frame: Frame, fault: DesignFault) -> Any:
    match on.reaction:
        case tree.Skip():
            return None
        case tree.Use(value=value):
            return evaluate(value, frame)
        case tree.Fail(message=message):
            if message is not None:
                text(message, frame)
    raise DesignFault(on, fault.message)


def act(step: tree.Step, frame: Frame, defaults: Defaults) -> Any:
    match step.action:
        case tree.CallAction(call=call):
            return once(step, call, frame)
        case tree.EachCall(variable=variable, items=items, call=call):
            return each(step, variable, items, frame, lambda inner: once(step, call, inner))
        case tree.EachBlock() as block:
            return each(step, block.variable, block.items, frame, lambda inner: run_block(block, inner, defaults))
        case tree.ApproveAction(question=question):
            text(question, frame)
            return people(step, frame, lambda: approval(frame), ("reject", "expiry"))
        case tree.AskAction(question=question, form=form):
            text(question, frame)
            schema = schema_of(form, frame.module)
            return people(step, frame, lambda: frame.run.generator.value(schema), ("decline", "expiry"))


def once(step: tree.Step, call: tree.Call, frame: Frame) -> Any:
    """One call with what belongs to it: key, receipt, verify, undo."""
    keys = frozenset(each.parameter.text for each in step.clauses if isinstance(each, tree.Key))
    fail_by_chance(call, frame)
    result = perform(call, frame, keys)
    for clause in step.clauses:
        if isinstance(clause, tree.Reconcile) and frame.run.generator.happens(0.4):
            # Nobody knows whether the call happened; what is found then stands for its result.
            known = {step.name.text: Record({"key": Text("key")}, frozenset(("key",)))} if keys else {}
            found = perform(clause.call, frame.inside(**known))
            result = result if found is None else found
    seen = result
    if keys and isinstance(result, Record) and result.fields is not None:
        seen = Record({"key": Text("key"), **result}, result.fields | {"key"})
    inner = frame.inside(**{step.name.text: seen})
    for clause in step.clauses:
        match clause:
            case tree.Receipt(value=value):
                evaluate(value, inner)
            case tree.Undo(call=undo):
                frame.run.undoing = True
                perform(undo, inner)
                frame.run.undoing = False
            case tree.Verify(call=verify, condition=wanted):
                if not condition(wanted, inner.inside(result=perform(verify, inner))):
                    raise DesignFault(clause, "not verified")
    return result


def each(
    step: tree.Step, variable: tree.Name, items: tree.Expr, frame: Frame, body: Callable[[Frame], Any]
) -> list[Any]:
    on = next((c for c in step.clauses if isinstance(c, tree.On) and c.event.text == "item_error"), None)
    results = []
    for item in items_of(items, frame):
        inner = frame.inside(**{variable.text: item})
        if on is None:
            results.append(body(inner))
            continue
        try:
            with caught(frame):
                results.append(body(inner))
        except DesignFault as fault:
            if not isinstance(on.reaction, tree.Skip):
                results.append(react(on, inner, fault))
    return results


def run_block(block: tree.EachBlock, outer: Frame, defaults: Defaults) -> Any:
    frame = outer.inside()
    last_write: Cell | None = None
    for member in block.members:
        if member.name.text in frame.cells:
            continue  # reported by the look at names
        if isinstance(member, tree.Let):
            frame.cells[member.name.text] = Cell(let_outcome, member, frame)
            continue
        writes = is_write(member, frame.module)
        before = last_write if writes else None
        cell = Cell(_inner_step, member, frame, defaults, before, of_step=True)
        frame.cells[member.name.text] = cell
        last_write = cell if writes else last_write
    for member in block.members:
        frame.value(member.name.text, member.name)
    return evaluate(block.result, frame)


def _inner_step(step: tree.Step, frame: Frame, defaults: Defaults, before: Cell | None) -> tuple[Any, Outcome]:
    if before is not None:
        before.force(step.name)
    for clause in step.clauses:
        for name in clause.names if isinstance(clause, tree.After) else ():
            frame.value(name.text, name)
    return perform_step(step, frame, defaults)


def approval(frame: Frame) -> Record:
    make = frame.run.generator
    at = make.text({"format": "date-time"})
    made: dict[str, Any] = {"approved": True, "at": at}
    for name in ("by", "comment"):
        made[name] = None if make.happens(0.3) else make.text({})
    return Record(made, frozenset(("approved", "at", "by", "comment")))


def people(step: tree.Step, frame: Frame, answer: Callable[[], Any], events: tuple[str, ...]) -> Any:
    """What a person answers, or the reaction to none."""
    for clause in step.clauses:
        if isinstance(clause, tree.Show):
            evaluate(clause.value, frame)
    event = frame.run.generator.chance.choice((None, None, *events))
    if event is None:
        return answer()
    fault = DesignFault(step, event)
    on = next((c for c in step.clauses if isinstance(c, tree.On) and c.event.text == event), None)
    if on is None:
        raise fault
    return react(on, frame, fault)
