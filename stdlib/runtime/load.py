"""Reads a plan into what runs: see `loaded`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ..plan import plan as p
from ..plan.expression import Expression
from ..plan.model import JsonSchema
from ..plan.reach import called, chains_with, every, is_keyed, is_wait, is_write
from .evaluate import Evaluate, EvaluationFault, compile_expression
from .gates.places import places
from .holding import Spot, looked_into
from .loaded import (
    LoadedAdapter,
    LoadedArgument,
    LoadedBinding,
    LoadedBlock,
    LoadedCall,
    LoadedCallStep,
    LoadedChain,
    LoadedLet,
    LoadedMapStep,
    LoadedPlan,
    LoadedReaction,
    LoadedRequire,
    LoadedTool,
    LoadedVerify,
    LoadedWaitStep,
)
from .result import Reading
from .schema import Shape, without
from .sending import takes_parts
from .settled import Settle, settling

__all__ = ["LoadedChain", "LoadedPlan", "load_plan"]


def load_plan(plan: p.Plan, text: str | None = None) -> LoadedPlan:
    """Compiles every chain. `text`: the plan as its bundle has it, where it is another one here.

    Raises ValueError where a plan refers to something that it does not have, where a binding stands before one that it
    needs, or where an expression can never be evaluated.
    """
    tools = {
        (source_name, key): _tool(source_name, source.alias or source_name, key, tool)
        for source_name, source in plan.sources.items()
        for key, tool in source.tools.items()
    }
    keyed, waiting = chains_with(plan.chains, is_keyed), chains_with(plan.chains, is_wait)
    looked = looked_into(plan, partial(takes_parts, plan))
    loader = _Loader(plan, tools, keyed, waiting, waiting | chains_with(plan.chains, is_write), looked)
    try:
        chains = {chain_id: loader.chain(chain) for chain_id, chain in plan.chains.items()}
    except EvaluationFault as found:
        raise ValueError(found.message) from found
    text = plan.model_dump_json(by_alias=True) if text is None else text
    return LoadedPlan(plan, text, hashlib.sha256(text.encode()).hexdigest(), tools, chains)


def _tool(source: str, alias: str, key: str, tool: p.Tool) -> LoadedTool:
    shape = Shape(tool.result_schema) if tool.result_schema is not None else None
    reading = Reading(shape, tool.parse)
    label, found = f"`{alias}.{tool.name}`", places(tool.input_schema)
    return LoadedTool(source, key, label, tool, Shape(tool.input_schema), reading, found)


@dataclass(frozen=True, slots=True)
class _Loader:
    plan: p.Plan
    tools: Mapping[tuple[str, str], LoadedTool]
    keyed: frozenset[str]
    waiting: frozenset[str]
    lasting: frozenset[str]
    looked: frozenset[Spot]

    def chain(self, chain: p.Chain) -> LoadedChain:
        output = chain.output
        handles = frozenset(each.name for each in chain.inputs if each.handle is not None)
        defaults = {each.name: compile_expression(each.default) for each in chain.inputs if each.default is not None}
        return LoadedChain(
            plan=chain,
            input=Shape(chain.input_schema),
            inner_input=Shape(without(chain.input_schema, handles)),
            handle_inputs=handles,
            held_inputs=frozenset(name for name in handles if (chain.id, name) not in self.looked),
            defaults=defaults,
            settles=_settles(chain.input_schema, handles),
            block=self.block(chain.id, chain.bindings, output.value),
            output=Shape(output.json_schema),
            summary=compiled(output.summary),
            adapters=tuple(_adapter(each) for each in chain.adapters),
            keyed=chain.id in self.keyed,
            waits=chain.id in self.waiting,
            lasts=chain.id in self.lasting,
            places=places(chain.input_schema),
        )

    def block(self, chain: str, bindings: tuple[p.Binding, ...], result: Expression) -> LoadedBlock:
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
            bindings=tuple(self.binding(chain, each) for each in bindings),
            needs=tuple(needs),
            dependents=tuple(tuple(sorted(each)) for each in dependents),
            steps=sum(not isinstance(each, p.Let | p.Require) for each in bindings),
            result=compile_expression(result),
        )

    def binding(self, chain: str, binding: p.Binding) -> LoadedBinding:
        match binding:
            case p.Let():
                return LoadedLet(binding, compile_expression(binding.value))
            case p.Require():
                condition, message = compile_expression(binding.condition), compile_expression(binding.message)
                return LoadedRequire(binding, condition, message)
            case p.CallStep():
                return self.call_step(chain, binding)
            case p.MapStep():
                inner = binding.bindings
                return LoadedMapStep(
                    plan=binding,
                    items=compile_expression(binding.items),
                    block=self.block(chain, inner, binding.result),
                    when=compiled(binding.when),
                    on_error=reaction(binding.policy.on_error),
                    on_item_error=reaction(binding.policy.on_item_error),
                    single=len(inner) == 1 and inner[0].name == binding.name,
                    keyed=any(map(is_keyed, every(inner))) or not self.keyed.isdisjoint(called(inner)),
                )
            case p.ApproveStep() | p.AskStep():
                return LoadedWaitStep(
                    plan=binding,
                    question=compile_expression(binding.question),
                    show=compiled(binding.show) if isinstance(binding, p.ApproveStep) else None,
                    when=compiled(binding.when),
                    on_refusal=reaction(binding.on_decline if isinstance(binding, p.AskStep) else binding.on_reject),
                    on_expiry=reaction(binding.on_expiry),
                    form=Shape(binding.form) if isinstance(binding, p.AskStep) else None,
                )

    def call_step(self, chain: str, step: p.CallStep) -> LoadedCallStep:
        verify = step.verify
        return LoadedCallStep(
            plan=step,
            call=self.call(step.call),
            when=compiled(step.when),
            on_error=reaction(step.policy.on_error),
            receipt=compiled(step.receipt),
            reconcile=None if step.reconcile is None else self.call(step.reconcile),
            verify=None
            if verify is None
            else LoadedVerify(self.call(verify.call), compile_expression(verify.condition), verify.text),
            undo=None if step.undo is None else self.call(step.undo),
            held=(chain, step.name) not in self.looked,
        )

    def call(self, call: p.CallPlan) -> LoadedCall:
        arguments = loaded_arguments(call.arguments)
        if isinstance(call.target, p.ChainTarget):
            if call.target.id not in self.plan.chains:
                raise ValueError(f"the plan has no chain `{call.target.id}`")
            return LoadedCall(arguments, None, call.target.id)
        tool = self.tools.get((call.target.source, call.target.name))
        if tool is None:
            raise ValueError(f"the plan has no tool `{call.target.source}.{call.target.name}`")
        return LoadedCall(arguments, tool, None)


def _adapter(adapter: p.Adapter) -> LoadedAdapter:
    return LoadedAdapter(
        plan=adapter,
        input=Shape(adapter.input_schema),
        defaults={each.name: compile_expression(each.default) for each in adapter.inputs if each.default is not None},
        settles=_settles(adapter.input_schema, frozenset()),
        lets=tuple(LoadedLet(each, compile_expression(each.value)) for each in adapter.lets),
        arguments=loaded_arguments(adapter.arguments),
        output=compiled(adapter.output),
        result=None if adapter.output_schema is None else Shape(adapter.output_schema),
    )


def loaded_arguments(arguments: tuple[p.Argument, ...]) -> tuple[LoadedArgument, ...]:
    return tuple(LoadedArgument(each, compile_expression(each.value)) for each in arguments)


def _settles(schema: JsonSchema, handles: frozenset[str]) -> dict[str, Settle]:
    inputs = {name: each for name, each in schema.get("properties", {}).items() if name not in handles}
    found = {name: settling(each, defaults=True) for name, each in inputs.items()}
    return {name: settle for name, settle in found.items() if settle is not None}


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
