"""Lets, requires, steps and section guards: tree → bindings, in the order of the graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiler.check.steps import declared_safe
from compiler.graph.references import calls
from compiler.lower.calls import lower_call
from compiler.lower.effects import side_effects
from compiler.lower.expressions import lower_expression
from compiler.lower.policy import inherited, policy
from compiler.lower.scope import Scope
from compiler.lower.waits import lower_wait
from compiler.program import ChainGraph, CheckedChain
from dsl import tree
from stdlib.plan import expression as ex
from stdlib.plan import plan

Block = tuple[tree.Let | tree.Step, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """`guard` is the name of the section's guard where the members stand in a guarded section."""

    scope: Scope
    chain: CheckedChain
    graph: ChainGraph
    defaults: tuple[tree.Clause, ...]
    guard: str | None = None

    def needs(self, name: str) -> tuple[str, ...]:
        return self.graph.needs.get(name, ())


def chain_bindings(scope: Scope, chain: CheckedChain) -> tuple[plan.Binding, ...]:
    """The chain's own bindings, ordered so that everything a binding needs stands before it."""
    file_defaults = [c for i in scope.module.file.items if isinstance(i, tree.Defaults) for c in i.clauses]
    own = [c for m in chain.node.members if isinstance(m, tree.Defaults) for c in m.clauses]
    context = Context(scope, chain, chain.graph, inherited(file_defaults, own))
    made: dict[str, plan.Binding] = {}
    requires = 0
    for member in chain.node.members:
        match member:
            case tree.Require():
                requires += 1
                name = f"require#{requires}"
                made[name] = plan.Require(
                    name=name,
                    condition=lower_expression(scope, member.condition),
                    message=lower_expression(scope, member.message),
                    needs=context.needs(name),
                    origin=scope.origin(member),
                )
            case tree.Let() | tree.Step():
                made[member.name.text] = _binding(context, member)
            case tree.Section():
                made.update(_section(context, member))
    return tuple(made[name] for name in chain.graph.order)


def _section(context: Context, section: tree.Section) -> dict[str, plan.Binding]:
    made: dict[str, plan.Binding] = {}
    inner = replace(context, defaults=inherited(context.defaults, section.clauses))
    for clause in section.clauses:
        if isinstance(clause, tree.When):
            name = f"{section.name.text}.when"
            made[name] = plan.Let(
                name=name,
                value=lower_expression(context.scope, clause.condition),
                needs=context.needs(name),
                origin=context.scope.origin(clause),
            )
            inner = replace(inner, guard=name)
    for member in section.members:
        made[member.name.text] = _binding(inner, member)
    return made


def _binding(context: Context, member: tree.Let | tree.Step) -> plan.Binding:
    return _let(context, member) if isinstance(member, tree.Let) else _step(context, member)


def _let(context: Context, let: tree.Let) -> plan.Let:
    value = lower_expression(context.scope, let.value)
    if context.guard:
        value = ex.If(condition=ex.Ref(name=context.guard), then=value, otherwise=ex.Const(value=None))
    name = let.name.text
    return plan.Let(name=name, value=value, needs=context.needs(name), origin=context.scope.origin(let))


def _when(context: Context, step: tree.Step) -> ex.Expression | None:
    own = next((c.condition for c in step.clauses if isinstance(c, tree.When)), None)
    condition = lower_expression(context.scope, own) if own is not None else None
    if context.guard is None:
        return condition
    guard = ex.Ref(name=context.guard)
    return ex.Logic(op="and", left=guard, right=condition) if condition is not None else guard


def _step(context: Context, step: tree.Step) -> plan.Binding:
    scope, chain, name = context.scope, context.chain, step.name.text
    called = [chain.calls[id(call)] for call in calls((step,))]
    reads = all(each.effects.read_only for each in called)
    action = step.action
    variable = action.variable.text if isinstance(action, tree.EachCall | tree.EachBlock) else None
    item = scope.bind(variable) if variable else scope
    defaults = context.defaults
    if isinstance(action, tree.EachBlock):
        # A timeout or retry of the surroundings is meant for single calls: the calls inside inherit it.
        defaults = tuple(c for c in defaults if not isinstance(c, tree.Timeout | tree.Retry))
    rules = policy(
        scope,
        step.clauses,
        defaults,
        read_only=reads,
        retry_safe=declared_safe(step) or all(each.retry_safe for each in called),
        item=item,
    )
    match action:
        case tree.CallAction(call=call):
            return plan.CallStep(
                name=name,
                call=lower_call(scope, chain, call),
                when=_when(context, step),
                needs=context.needs(name),
                policy=rules,
                read_only=reads,
                **side_effects(scope, chain, step),
                origin=scope.origin(step),
            )
        case tree.ApproveAction() | tree.AskAction():
            return lower_wait(scope, step, action, _when(context, step), context.needs(name))
        case tree.EachCall(call=call):
            bindings, result = _each_call(item, context, step, call, rules, reads)
            rules = rules.model_copy(update={"timeout_ms": None, "retry": None})
        case tree.EachBlock():
            bindings, result = _each_block(item, context, step, action)
    return plan.MapStep(
        name=name,
        variable=action.variable.text,
        items=lower_expression(scope, action.items),
        bindings=bindings,
        result=result,
        when=_when(context, step),
        needs=context.needs(name),
        policy=rules,
        read_only=reads,
        origin=scope.origin(step),
    )


def _each_call(
    item: Scope, context: Context, step: tree.Step, call: tree.Call, rules: plan.Policy, reads: bool
) -> tuple[tuple[plan.Binding, ...], ex.Expression]:
    """`do CALL`: one call step named like the loop; timeout and retry are those of each call."""
    name = step.name.text
    body = plan.CallStep(
        name=name,
        call=lower_call(item, context.chain, call),
        policy=plan.Policy(timeout_ms=rules.timeout_ms, retry=rules.retry),
        read_only=reads,
        **side_effects(item, context.chain, step),
        origin=item.origin(call),
    )
    return (body,), ex.Ref(name=name)


def _each_block(
    item: Scope, context: Context, step: tree.Step, action: tree.EachBlock
) -> tuple[tuple[plan.Binding, ...], ex.Expression]:
    names = [m.name.text for m in action.members]
    inner = Context(
        scope=item.bind(*names),
        chain=context.chain,
        graph=context.graph.bodies[step.name.text],
        defaults=context.defaults,
    )
    made = {m.name.text: _binding(inner, m) for m in action.members}
    return tuple(made[name] for name in inner.graph.order), lower_expression(inner.scope, action.result)
