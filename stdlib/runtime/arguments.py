"""Arguments: what a client sends becomes a chain's inputs; what a step computes becomes a call's arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .clean import clean
from .evaluate import Evaluate, Scope
from .fault import RunFault, fault
from .held import Held, load
from .loaded import LoadedAdapter, LoadedArgument, LoadedCall, LoadedChain, LoadedPlan
from .principal import Owner
from .schema import Shape, without
from .store.content import check_kind
from .store.handles import Handles
from .written import written

Evaluator = Callable[[Evaluate, Scope], Any]
"""Evaluates in a scope; raises `RunFault`."""


def record_of(arguments: Any) -> dict[str, Any]:
    """What a client sent, made safe. Raises the fault `invalid_input` where it is no record."""
    try:
        given = clean(arguments)
    except RunFault as found:
        raise fault("invalid_input", found.fault.message) from None
    if not isinstance(given, dict):
        raise fault("invalid_input", "The arguments are no record of names and values.")
    return given


def check_arguments(
    target: LoadedChain | LoadedAdapter, given: dict[str, Any], *, strict_nulls: bool
) -> dict[str, Any]:
    """The arguments that a chain takes, or an adapter of it.

    `strict_nulls`: the client writes null for what it leaves out (strict schemas make it); such a null of an input that
    may be left out but has no null is dropped. Without it that null is `invalid_input`, like everything else that does
    not fit.
    """
    inputs = target.plan.inputs
    if strict_nulls:
        dropped = {each.name for each in inputs if not each.required and not each.nullable}
        given = {name: value for name, value in given.items() if value is not None or name not in dropped}
    label = f"`{target.plan.id}`" if isinstance(target, LoadedChain) else f"Version {target.plan.version}"
    known = [each.name for each in inputs]
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise fault("invalid_input", f"{label} has no input `{unknown}`. It has: {', '.join(known) or 'none'}.")
    missing = next((each.name for each in inputs if each.required and each.name not in given), None)
    if missing is not None:
        raise fault("invalid_input", f"{label} needs the input `{missing}`.")
    mismatch = target.input.mismatch(given)
    if mismatch is not None:
        raise fault("invalid_input", mismatch.sentence("The whole of the arguments"), details={"path": mismatch.path})
    return given


async def resolve_handles(
    loaded: LoadedPlan, chain: LoadedChain, given: dict[str, Any], handles: Handles, owner: Owner
) -> dict[str, Any]:
    """The arguments with values in place of handle ids; what nobody looks into stays where it is. Faults:
    `handle_denied`, `handle_expired`, `result_too_large`, `shape_mismatch`."""
    kinds = {each.name: each.handle for each in chain.plan.inputs if each.handle is not None}
    resolved = dict(given)
    for name in [each for each in kinds if given.get(each) is not None]:
        if name in chain.held_inputs:
            handle = await handles.describe(owner, given[name])
            check_kind(handle, kinds[name])
            resolved[name] = Held.of(handle)
        else:
            kind = loaded.plan.kinds.get(kinds[name])
            schema, most = None if kind is None else kind.json_schema, loaded.plan.limits.result_bytes
            resolved[name] = await load(handles, owner, given[name], kinds[name], schema, most)
    return resolved


def bind_inputs(
    chain: LoadedChain | LoadedAdapter,
    given: Mapping[str, Any],
    values: dict[str, Any],
    scope: Scope,
    evaluate: Evaluator,
) -> None:
    """Binds every input in the values of a scope: what was given, else its default, else null. Null of a nullable
    input counts as left out. Fields of records that are left out have their defaults."""
    for each in chain.plan.inputs:
        value = given.get(each.name)
        default = chain.defaults.get(each.name)
        if default is not None and (each.name not in given or (value is None and each.nullable)):
            value = evaluate(default, scope)
        settle = chain.settles.get(each.name)
        if settle is not None and value is not None:
            value = settle(value)
        values[each.name] = value


def check_inner(chain: LoadedChain, given: Mapping[str, Any]) -> None:
    """Checks the arguments of a call by another chain; there a handle is already the value that it stands for."""
    mismatch = chain.inner_input.mismatch({name: given[name] for name in given if name not in chain.handle_inputs})
    if mismatch is not None:
        problem = mismatch.sentence("The whole of it")
        raise fault("invalid_input", f"The arguments of `{chain.plan.id}` do not fit: {problem}")


def call_arguments(
    call: LoadedCall, scope: Scope, evaluate: Evaluator, fixed: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The arguments of a call, `fixed` ones (a key) included. Checked against the tool's schema, where it is a tool:
    the fault `invalid_input`."""
    built = {**build_arguments(call.arguments, scope, evaluate), **(fixed or {})}
    if call.tool is not None:
        held = {name: value for name, value in built.items() if isinstance(value, Held)}
        shape = call.tool.input if not held else Shape(without(call.tool.input.schema, held))
        given = {name: value for name, value in built.items() if name not in held}
        mismatch = shape.mismatch(given)
        if mismatch is not None:
            given = written(given, shape.schema)
            mismatch = shape.mismatch(given)
        built = given | held
        if mismatch is not None:
            problem = mismatch.sentence("The whole of it")
            raise fault("invalid_input", f"The arguments of {call.tool.label} do not fit: {problem}")
    return built


def build_arguments(arguments: tuple[LoadedArgument, ...], scope: Scope, evaluate: Evaluator) -> dict[str, Any]:
    """Null is left out where the parameter takes none; a later argument wins."""
    built: dict[str, Any] = {}
    for argument in arguments:
        value = evaluate(argument.value, scope)
        name = argument.plan.name
        if name is not None:
            _put(built, name, value, argument.plan.nullable)
        elif value is not None:
            for field in argument.plan.fields:
                if field in value:
                    _put(built, field, value[field], field in argument.plan.nullable_fields)
    return built


def _put(built: dict[str, Any], name: str, value: Any, nullable: bool) -> None:
    if value is None and not nullable:
        built.pop(name, None)
    else:
        built[name] = value
