"""Steps: what they give, and what their clauses make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from compiler.check.afterwards import afterwards, check_key, fills, key_of
from compiler.check.arguments import Signature, call, written_path
from compiler.check.asking import APPROVAL, form
from compiler.check.clauses import check_after, check_places, place_of
from compiler.check.fit import expect
from compiler.check.join import joined
from compiler.check.loops import items_of
from compiler.check.misfit import Slot
from compiler.check.narrowing import when_true
from compiler.check.operators import condition
from compiler.check.origin import source
from compiler.check.scope import ChainValues, Scope
from compiler.graph.references import calls, references
from compiler.program import ChainGraph, ToolSignature
from compiler.types.report import shown
from dsl import tree
from stdlib.values.subtype import fits
from stdlib.values.types import ERROR, ErrorType, ListType, Type, is_null, optional


@dataclass(frozen=True, slots=True)
class Steps:
    """What checking the steps of a chain needs. `targets` has what each call's path means, None where nothing."""

    values: ChainValues
    targets: Mapping[int, Signature | None] = field(repr=False)
    defaults: tuple[tree.Clause, ...] = ()

    def reads(self, step: tree.Step) -> bool:
        """Whether all calls of a step only read; what is unknown counts as a read, so that it says nothing more."""
        return all(target is None or target.effects.read_only for target in map(self.target, calls((step,))))

    def target(self, node: tree.Call) -> Signature | None:
        return self.targets.get(id(node))


def binding(steps: Steps, scope: Scope, member: tree.Let | tree.Step, graph: ChainGraph) -> None:
    """Type a `let` or a step and keep what it gives."""
    if isinstance(member, tree.Let):
        steps.values.values[member.name.text] = let_type(scope, member)
        origin, values = source(scope, member.value) or "", steps.values
        if origin in values.unsaid:
            values.unsaid[member.name.text] = values.unsaid[origin]
        if origin in values.blames:
            values.blames[member.name.text] = values.blames[origin]
    else:
        _step(steps, scope, member, graph)


def let_type(scope: Scope, let: tree.Let) -> Type:
    """The declared type, or the value's."""
    if let.type is None:
        return scope.infer(let.value)
    wanted = scope.file.declared.read(scope.file.module, let.type)
    name = let.name.text
    slot = Slot("E0404", f"`{name}` is declared {scope.report.text(let.type)}", f"`{name}` does not fit its type")
    expect(scope, let.value, wanted, slot)
    return wanted


def inherited_error(step: tree.Step, section: tree.Section | None, defaults: Sequence[tree.Clause]) -> tree.On | None:
    """The `on error` that holds for a step: its own, else the section's, the chain's, the file's."""
    own = [c for c in step.clauses if isinstance(c, tree.On) and c.event.text == "error"]
    around = [c for c in (section.clauses if section else ()) if isinstance(c, tree.On) and c.event.text == "error"]
    outer = [c for c in defaults if isinstance(c, tree.On) and c.event.text == "error"]
    found = own or around or outer
    return found[-1] if found else None


def _step(steps: Steps, scope: Scope, step: tree.Step, graph: ChainGraph) -> None:
    name = step.name.text
    place = place_of(step)
    check_places(scope, step.clauses, place)
    check_after(scope, step.clauses, scope.loops)
    variable = step.action.variable.text if isinstance(step.action, tree.EachCall | tree.EachBlock) else None
    inside = scope
    guarded = False
    for clause in step.clauses:
        if isinstance(clause, tree.When):
            condition(replace(scope, hidden=variable), clause.condition, "`when` needs a boolean")
            inside = scope.knowing(when_true(scope, clause.condition))
            guarded = variable not in references(clause)  # chosen by item (reported): then it never skips the step
    own, item = _action(steps, inside, step, graph)
    _retry(steps, scope, step)
    result = _reactions(steps, inside, step, own, item)
    steps.values.values[name] = result
    absent = {"skipped"} if guarded else set()
    if _may_be_let_go(steps, scope, step, place):
        absent.add("failed")
    steps.values.absent[name] = absent
    afterwards(item or inside, step, steps.targets, own, graph)


def _may_be_let_go(steps: Steps, scope: Scope, step: tree.Step, place: str) -> bool:
    """Whether the step may fail, or be refused by a person, and the run go on without its value."""
    if place in ("approve", "ask"):
        return any(isinstance(c, tree.On) and isinstance(c.reaction, tree.Skip) for c in step.clauses)
    reaction = inherited_error(step, scope.section, steps.defaults)
    return reaction is not None and isinstance(reaction.reaction, tree.Skip)


def _action(steps: Steps, scope: Scope, step: tree.Step, graph: ChainGraph) -> tuple[Type, Scope | None]:
    """What the action gives, and the scope that sees the loop variable."""
    match step.action:
        case tree.CallAction(call=node):
            return _called(steps, scope, step, node), None
        case tree.EachCall(variable=variable, items=items, call=node):
            item = _item(scope, variable, items)
            return _listed(steps, _called(steps, item, step, node), step, item), item
        case tree.EachBlock(variable=variable, items=items):
            item = _item(scope, variable, items)
            return _listed(steps, _block(steps, item, step, step.action, graph), step, item), item
        case tree.ApproveAction(question=question):
            scope.infer(question)
            return APPROVAL, None
        case tree.AskAction(question=question):
            scope.infer(question)
            return form(scope, step.action), None


def _called(steps: Steps, scope: Scope, step: tree.Step, node: tree.Call) -> Type:
    target, key = steps.target(node), key_of(step)
    if key is None or target is None:
        given = call(scope, node, target)
    else:
        given = call(scope, node, target, key.parameter.text, complete=fills(key, target))
        check_key(scope, key, node, target)
    if isinstance(target, ToolSignature) and target.unsaid:
        steps.values.unsaid[step.name.text] = target.unsaid
    return given


def _item(scope: Scope, variable: tree.Name, items: tree.Expr) -> Scope:
    """The scope that sees the loop variable; one whose name is taken (reported with the names) has no type."""
    found = items_of(scope, items, "`for each`")
    chain = scope.chain
    taken = chain is not None and chain.names.taken(variable.text) is not None
    return scope.binding(variable.text, ERROR if taken else found, source(scope, items))


def _listed(steps: Steps, result: Type, step: tree.Step, item: Scope) -> Type:
    """The results of all items; `on item_error use` may stand for some of them."""
    for clause in step.clauses:
        if isinstance(clause, tree.On) and clause.event.text == "item_error" and isinstance(clause.reaction, tree.Use):
            result = _or(steps, item, step, clause, result)
    return ErrorList if isinstance(result, ErrorType) else ListType(result)


ErrorList: Type = ListType(ERROR)


def _or(steps: Steps, scope: Scope, step: tree.Step, clause: tree.On, result: Type) -> Type:
    """A step's own result, or what `on … use` puts in its place: one type where they fit, else either.

    The other form is no mistake as long as nothing stumbles over it; what does so is to blame the clause.
    """
    assert isinstance(clause.reaction, tree.Use), "only `use` gives a value"
    value = clause.reaction.value
    instead = scope.infer(value)
    if isinstance(result, ErrorType) or is_null(instead) or fits(instead, optional(result)) is None:
        return joined(result, instead)
    report, event = scope.report, f"on {clause.event.text}"
    told = steps.values.told

    def blame(at: tree.Node) -> bool:
        if id(value) in told:
            return True
        before = len(report.sink)
        whole = f"`{step.name.text}` is {shown(result)} where it succeeds"
        part = f"What `{event}` uses does not fit `{step.name.text}`"
        expect(scope, value, optional(result), Slot("E0404", whole, part, also=(report.place(at, "read here"),)))
        if len(report.sink) == before:
            return False
        told.add(id(value))
        return True

    steps.values.blames.setdefault(step.name.text, blame)
    return joined(result, instead)


def _block(steps: Steps, item: Scope, step: tree.Step, action: tree.EachBlock, graph: ChainGraph) -> Type:
    inner = replace(item, loops=(*item.loops, step.name.text))
    body = graph.bodies[step.name.text]
    members = {m.name.text: m for m in reversed(action.members)}
    for name in body.order:
        binding(steps, inner, members[name], body)
    return inner.infer(action.result)


def _reactions(steps: Steps, scope: Scope, step: tree.Step, result: Type, item: Scope | None) -> Type:
    """What `on … use` adds to the result; texts of `fail` are looked at."""
    for clause in step.clauses:
        if not isinstance(clause, tree.On):
            continue
        where = item if item is not None and clause.event.text == "item_error" else scope
        if isinstance(clause.reaction, tree.Fail) and clause.reaction.message is not None:
            where.infer(clause.reaction.message)
        elif isinstance(clause.reaction, tree.Use):
            if clause.event.text in ("item_error", "error"):
                where.infer(clause.reaction.value)
            else:
                result = _or(steps, where, step, clause, result)
    reaction = inherited_error(step, scope.section, steps.defaults)
    if reaction is not None and isinstance(reaction.reaction, tree.Use):
        result = _or(steps, scope, step, reaction, result)
    elif reaction is not None and isinstance(reaction.reaction, tree.Fail) and reaction.reaction.message is not None:
        scope.infer(reaction.reaction.message)
    return result


def _retry(steps: Steps, scope: Scope, step: tree.Step) -> None:
    """`retry` on a step needs calls that can be repeated without harm."""
    for clause in step.clauses:
        if not isinstance(clause, tree.Retry):
            continue
        if declared_safe(step):
            continue
        for node in calls((step,)):
            target = steps.target(node)
            if target is not None and not target.retry_safe:
                name = written_path(node.path)
                scope.report(
                    "E0603",
                    tree.Node(clause.start, clause.start + len("retry")),
                    f"`{name}` is not declared idempotent, so a retry may do it twice.",
                    helps=f"Remove it, or, if a second call does no harm, write `retry {clause.count} (safe: true)`.",
                    also=(scope.report.place(node.path[-1], "called here"),),
                )
                break


def declared_safe(step: tree.Step) -> bool:
    """Whether the step itself says that a second call does no harm, by a key or by `safe: true`."""
    settings = [s for c in step.clauses if isinstance(c, tree.Retry) for s in c.settings]
    return key_of(step) is not None or any(s.name.text == "safe" and _is_true(s.value) for s in settings)


def _is_true(node: tree.Expr) -> bool:
    return isinstance(node, tree.Constant) and node.value is True
