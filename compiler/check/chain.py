"""One chain: names, calls, graph, then types in the order of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compiler.check.adapters import adapters
from compiler.check.approvals import unapproved
from compiler.check.arguments import Signature
from compiler.check.circles import circle
from compiler.check.clauses import check_after, check_places
from compiler.check.effects import chain_effects, chain_scopes
from compiler.check.first_page import first_page_only
from compiler.check.fit import expect
from compiler.check.header import header
from compiler.check.least import minimal_calls, retry_safe, within_budget
from compiler.check.misfit import Slot
from compiler.check.money import money_as_number
from compiler.check.narrowing import told, when_true
from compiler.check.operators import condition
from compiler.check.output import output
from compiler.check.scope import NO_FACTS, ChainValues, Facts, Scope, Surroundings
from compiler.check.steps import Steps, binding
from compiler.check.unused import unused
from compiler.graph import build_graph
from compiler.graph.references import all_calls, all_steps, references
from compiler.names.chain import chain_names
from compiler.program import ChainGraph, ChainSignature, CheckedChain
from compiler.types.constants import shown_default
from compiler.types.inside import inside, opened
from dsl import tree
from stdlib.values.types import ERROR, JSON, Field, Record, Scalar, Type, may_be_null, optional


def check_chain(
    file: Surroundings, chain: tree.Chain, id: str, targets: Mapping[int, Signature | None], kinds: Mapping[str, Type]
) -> CheckedChain:
    """Type everything in a chain. `targets`: what the path of each of its calls means, by `id(call)`."""
    names = chain_names(file.names, chain)
    values = ChainValues(names)
    scope = Scope(file, values)
    defaults = [*_defaults(scope, file.module.file.items), *_defaults(scope, chain.members)]
    steps = Steps(values, targets, tuple(defaults))
    graph, circles = build_graph(chain, steps.reads)
    for found in circles:
        circle(names, found)
    keys = [c for step in all_steps(chain.members) for c in step.clauses if isinstance(c, tree.Key)]
    keyed = bool(keys) or any(isinstance(t, ChainSignature) and t.keyed for t in targets.values())
    parameters = _inputs(scope, chain, kinds)
    if keyed:
        parameters = _with_request_key(scope, chain, parameters, keys)
    proven = _bindings(steps, scope, chain, graph)
    result = output(scope.knowing(proven), chain, kinds)
    header(scope, chain, parameters)
    money_as_number(file.report, chain, parameters)
    called = [(call, target) for call in all_calls(chain.members) if (target := steps.target(call)) is not None]
    effects = chain_effects(file.report, chain, called)
    least = minimal_calls(chain.members, steps.target)
    within_budget(file.report, chain, least)
    signature = ChainSignature(
        id=id,
        parameters=parameters,
        result=result,
        effects=effects,
        scopes=chain_scopes(file.report, chain, called),
        minimal_calls=sum(least.values()),
        retry_safe=effects.read_only or effects.idempotent or retry_safe(chain.members, steps.target),
        unapproved=unapproved(names, steps.target, graph),
        keyed=keyed,
    )
    unused(file.report, steps)
    first_page_only(names, steps.target, file.types)
    return CheckedChain(
        id=id,
        module=file.module,
        node=chain,
        signature=signature,
        graph=graph,
        calls={id_: target for id_, target in targets.items() if target is not None},
        adapters=adapters(file, chain, signature),
    )


def _defaults(scope: Scope, nodes: Sequence[tree.Node]) -> list[tree.Clause]:
    """The clauses of `defaults`. They hold for many steps, so values in them see only what the file declares."""
    found: list[tree.Clause] = []
    outside = Scope(scope.file)
    for node in nodes:
        if not isinstance(node, tree.Defaults):
            continue
        check_places(scope, node.clauses, "defaults")
        found += node.clauses
        for clause in node.clauses:
            if isinstance(clause, tree.On) and isinstance(clause.reaction, tree.Use):
                outside.infer(clause.reaction.value)
            elif isinstance(clause, tree.On) and isinstance(clause.reaction, tree.Fail) and clause.reaction.message:
                outside.infer(clause.reaction.message)
    return found


def _inputs(scope: Scope, chain: tree.Chain, kinds: Mapping[str, Type]) -> Record:
    """The parameters; a default may use the inputs above it."""
    chain_values = scope.chain
    assert chain_values is not None, "inputs belong to a chain"
    fields: dict[str, Field] = {}
    for member in chain.members:
        if not isinstance(member, tree.Input):
            continue
        name = member.name.text
        wanted = scope.file.declared.border(scope.file.module, member.type)
        if member.default is not None:
            _above(scope, member.default, name)
            slot = Slot(
                "E0406",
                f"The default of `{name}` does not fit",
                f"The default of `{name}` does not fit",
                joint=": ",
                also=(scope.report.place(member.type, "the type it needs"),),
            )
            null = isinstance(member.default, tree.Constant) and member.default.value is None
            if null and not may_be_null(wanted) and wanted not in (JSON, ERROR):
                written = scope.report.text(member.type)
                hint = f"Write `{name}: {written}?`: then it may be left out, and is null."
                scope.report("E0406", member.default, f"`{name}` is {written}, which is never null.", helps=hint)
            else:
                expect(scope, member.default, opened(wanted, kinds), slot)
        if name in fields:
            continue
        required = member.default is None and not scope.file.declared.may_be_left_out(scope.file.module, member.type)
        fields[name] = Field(name, wanted, required, member.doc, shown_default(member.default))
        chain_values.values[name] = inside(wanted, kinds)
    return Record(tuple(fields.values()), open=False)


_REQUEST_KEY = Field(
    "request_key",
    optional(Scalar("string", (("minLength", 1), ("maxLength", 200)))),
    required=False,
    doc="Names the request: the same key gets the recorded result, a new one does it again on purpose.",
)


def _with_request_key(scope: Scope, chain: tree.Chain, parameters: Record, keys: Sequence[tree.Key]) -> Record:
    """A chain with a keyed step, or that calls one, can be told which request it serves. `keys`: those of its own."""
    own = next((m for m in chain.members if isinstance(m, tree.Input) and m.name.text == _REQUEST_KEY.name), None)
    if own is None:
        return Record((*parameters.fields, _REQUEST_KEY), open=False)
    if not keys:
        return parameters  # it passes on its own one as it likes
    scope.report(
        "E0306",
        own.name,
        "`request_key` is already an input of every chain that has a step with a `key`.",
        helps="Pick another name: callers give `request_key` without your saying so.",
        also=(scope.report.place(keys[0], "because of this key"),),
    )
    return parameters


def _above(scope: Scope, default: tree.Expr, name: str) -> None:
    """A default is worked out before anything runs, so it sees the inputs above it and nothing else."""
    chain = scope.chain
    assert chain is not None, "inputs belong to a chain"
    for other, ref in references(default).items():
        symbol = chain.names.symbols.get(other)
        if symbol is not None and other not in chain.values:
            scope.report(
                "E0300",
                ref,
                f"The default of `{name}` cannot see `{other}`.",
                helps="A default may use the inputs above it.",
            )
            scope.file.types[id(ref)] = ERROR


def _bindings(steps: Steps, scope: Scope, chain: tree.Chain, graph: ChainGraph) -> Facts:
    """Type every binding; what the requires that the output waits for have proven."""
    places: dict[str, tuple[tree.Node, tree.Section | None]] = {}
    requires = 0
    for member in chain.members:
        if isinstance(member, tree.Require):
            requires += 1
            places[f"require#{requires}"] = (member, None)
        elif isinstance(member, tree.Let | tree.Step):
            places.setdefault(member.name.text, (member, None))
        elif isinstance(member, tree.Section):
            places[f"{member.name.text}.when"] = (member, None)
            for inner in member.members:
                places.setdefault(inner.name.text, (inner, member))
            check_places(scope, member.clauses, "section")
            check_after(scope, member.clauses)
    guards: dict[str, Scope] = {}
    proven: dict[str, Facts] = {}  # what the requires that a binding waits for have proven
    for name in graph.order:
        node, section = places[name]
        known = proven[name] = _proven(graph, name, proven)
        where = scope
        if section is not None:
            where = guards.get(section.name.text) or replace(scope, section=section)
        where = where.knowing(known)
        if isinstance(node, tree.Section):
            guards[node.name.text] = _guard(where, node)
        elif isinstance(node, tree.Require):
            condition(where, node.condition, "`require` needs a boolean")
            holds, fails = told(where, node.condition)
            where.knowing(fails).infer(node.message)
            proven[name] = known | holds
        elif isinstance(node, tree.Let | tree.Step):
            binding(steps, where, node, graph)
    return _proven(graph, "output", proven)


def _proven(graph: ChainGraph, name: str, proven: Mapping[str, Facts]) -> Facts:
    return NO_FACTS.union(*(proven.get(need, NO_FACTS) for need in graph.needs.get(name, ())))


def _guard(scope: Scope, section: tree.Section) -> Scope:
    """Check a section's `when`; the scope of its members."""
    inside = replace(scope, section=section)
    for clause in section.clauses:
        if isinstance(clause, tree.When):
            condition(scope, clause.condition, "`when` needs a boolean")
            inside = inside.knowing(when_true(scope, clause.condition))
    return inside
