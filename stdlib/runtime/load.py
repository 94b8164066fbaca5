"""A plan made ready to run: expressions as closures, schemas as checks, needs as positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..plan import plan as p
from ..plan.expression import Expression
from ..plan.model import JsonSchema
from .evaluate import Evaluate, EvaluationFault, compile_expression
from .result import Reading
from .schema import Shape


@dataclass(frozen=True, slots=True)
class LoadedTool:
    """`key` is the tool's name in its source of the plan, `plan.name` the server's. `label`: how messages call it."""

    source: str
    key: str
    label: str
    plan: p.Tool
    input: Shape
    reading: Reading


@dataclass(frozen=True, slots=True)
class LoadedArgument:
    plan: p.Argument
    value: Evaluate


@dataclass(frozen=True, slots=True)
class LoadedCall:
    """Exactly one of `tool` and `chain` (an id) is set."""

    arguments: tuple[LoadedArgument, ...]
    tool: LoadedTool | None
    chain: str | None


@dataclass(frozen=True, slots=True)
class LoadedReaction:
    """`value`: of `use`, or the message of `fail`."""

    kind: str
    value: Evaluate | None


@dataclass(frozen=True, slots=True)
class LoadedLet:
    plan: p.Let
    value: Evaluate


@dataclass(frozen=True, slots=True)
class LoadedRequire:
    plan: p.Require
    condition: Evaluate
    message: Evaluate


@dataclass(frozen=True, slots=True)
class LoadedCallStep:
    plan: p.CallStep
    call: LoadedCall
    when: Evaluate | None
    on_error: LoadedReaction


@dataclass(frozen=True, slots=True)
class LoadedMapStep:
    """`single`: the body is one call that is named like the loop (`for each … do CALL`)."""

    plan: p.MapStep
    items: Evaluate
    block: LoadedBlock
    when: Evaluate | None
    on_error: LoadedReaction
    on_item_error: LoadedReaction
    single: bool


LoadedStep = LoadedCallStep | LoadedMapStep
LoadedBinding = LoadedLet | LoadedRequire | LoadedStep


@dataclass(frozen=True, slots=True)
class LoadedBlock:
    """Bindings and what comes out of them. `needs[i]`: how many bindings of this block the i-th waits for;
    `dependents[i]`: the positions of those that wait for it."""

    bindings: tuple[LoadedBinding, ...]
    needs: tuple[int, ...]
    dependents: tuple[tuple[int, ...], ...]
    result: Evaluate


@dataclass(frozen=True, slots=True)
class LoadedChain:
    """`inner_input`: what the arguments of a call by another chain must fit, without those of `handle_inputs`."""

    plan: p.Chain
    input: Shape
    inner_input: Shape
    handle_inputs: frozenset[str]
    defaults: Mapping[str, Evaluate]
    block: LoadedBlock
    output: Shape
    summary: Evaluate | None


@dataclass(frozen=True, slots=True)
class LoadedPlan:
    plan: p.Plan
    tools: Mapping[tuple[str, str], LoadedTool]
    chains: Mapping[str, LoadedChain]


def load_plan(plan: p.Plan) -> LoadedPlan:
    """Compiles every chain. Raises ValueError where a plan refers to something that it does not have, where a binding
    stands before one that it needs, or where an expression can never be evaluated."""
    tools = {
        (source_name, key): _tool(source_name, key, tool)
        for source_name, source in plan.sources.items()
        for key, tool in source.tools.items()
    }
    loader = _Loader(plan, tools)
    try:
        chains = {chain_id: loader.chain(chain) for chain_id, chain in plan.chains.items()}
    except EvaluationFault as found:
        raise ValueError(found.message) from found
    return LoadedPlan(plan, tools, chains)


def _tool(source: str, key: str, tool: p.Tool) -> LoadedTool:
    shape = Shape(tool.result_schema) if tool.result_schema is not None else None
    reading = Reading(shape, tool.parse)
    return LoadedTool(source, key, f"`{source}.{tool.name}`", tool, Shape(tool.input_schema), reading)


@dataclass(frozen=True, slots=True)
class _Loader:
    plan: p.Plan
    tools: Mapping[tuple[str, str], LoadedTool]

    def chain(self, chain: p.Chain) -> LoadedChain:
        output = chain.output
        handles = frozenset(each.name for each in chain.inputs if each.handle is not None)
        defaults = {each.name: compile_expression(each.default) for each in chain.inputs if each.default is not None}
        return LoadedChain(
            plan=chain,
            input=Shape(chain.input_schema),
            inner_input=Shape(_without(chain.input_schema, handles)),
            handle_inputs=handles,
            defaults=defaults,
            block=self.block(chain.bindings, output.value),
            output=Shape(output.json_schema),
            summary=compiled(output.summary),
        )

    def block(self, bindings: tuple[p.Binding, ...], result: Expression) -> LoadedBlock:
        places = {binding.name: place for place, binding in enumerate(bindings)}
        if len(places) != len(bindings):
            raise ValueError("two bindings of a block have one name")
        dependents: list[list[int]] = [[] for _ in bindings]
        needs: list[int] = []
        for place, binding in enumerate(bindings):
            inside = {places[name] for name in binding.needs if name in places}
            if any(needed >= place for needed in inside):
                raise ValueError(f"`{binding.name}` stands before something that it needs")
            needs.append(len(inside))
            for needed in inside:
                dependents[needed].append(place)
        return LoadedBlock(
            bindings=tuple(self.binding(each) for each in bindings),
            needs=tuple(needs),
            dependents=tuple(tuple(sorted(each)) for each in dependents),
            result=compile_expression(result),
        )

    def binding(self, binding: p.Binding) -> LoadedBinding:
        match binding:
            case p.Let():
                return LoadedLet(binding, compile_expression(binding.value))
            case p.Require():
                condition, message = compile_expression(binding.condition), compile_expression(binding.message)
                return LoadedRequire(binding, condition, message)
            case p.CallStep():
                on_error = reaction(binding.policy.on_error)
                return LoadedCallStep(binding, self.call(binding.call), compiled(binding.when), on_error)
            case p.MapStep():
                inner = binding.bindings
                return LoadedMapStep(
                    plan=binding,
                    items=compile_expression(binding.items),
                    block=self.block(inner, binding.result),
                    when=compiled(binding.when),
                    on_error=reaction(binding.policy.on_error),
                    on_item_error=reaction(binding.policy.on_item_error),
                    single=len(inner) == 1 and inner[0].name == binding.name,
                )

    def call(self, call: p.CallPlan) -> LoadedCall:
        arguments = tuple(LoadedArgument(each, compile_expression(each.value)) for each in call.arguments)
        if isinstance(call.target, p.ChainTarget):
            if call.target.id not in self.plan.chains:
                raise ValueError(f"the plan has no chain `{call.target.id}`")
            return LoadedCall(arguments, None, call.target.id)
        tool = self.tools.get((call.target.source, call.target.name))
        if tool is None:
            raise ValueError(f"the plan has no tool `{call.target.source}.{call.target.name}`")
        return LoadedCall(arguments, tool, None)


def _without(schema: JsonSchema, names: frozenset[str]) -> JsonSchema:
    properties = {name: each for name, each in schema.get("properties", {}).items() if name not in names}
    required = [name for name in schema.get("required", []) if name not in names]
    return {**schema, "properties": properties, "required": required}


def compiled(expression: Expression | None) -> Evaluate | None:
    return None if expression is None else compile_expression(expression)


def reaction(plan: p.Reaction) -> LoadedReaction:
    match plan:
        case p.Skip():
            return LoadedReaction("skip", None)
        case p.Use(value=value):
            return LoadedReaction("use", compile_expression(value))
        case p.Fail(message=message):
            return LoadedReaction("fail", compiled(message))
