"""What chains reach, themselves or in chains that they call: bindings of a kind, sources of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .plan import ApproveStep, AskStep, Binding, CallPlan, CallStep, Chain, ChainTarget, MapStep, ToolTarget


def chains_with(chains: Mapping[str, Chain], holds: Callable[[Binding], bool]) -> frozenset[str]:
    """The ids of the chains with such a binding: in their own body, in their loops, or in a chain that they call."""
    found = {id for id, chain in chains.items() if any(map(holds, every(chain.bindings)))}
    calls = {id: frozenset(called(chain.bindings)) for id, chain in chains.items()}
    while True:
        more = {id for id, callees in calls.items() if id not in found and callees & found}
        if not more:
            return frozenset(found)
        found |= more


def sources_of(chains: Mapping[str, Chain], chain_id: str) -> frozenset[str]:
    """The names of the sources whose tools a run of the chain may call, whatever for."""
    sources: set[str] = set()
    reached, todo = {chain_id}, [chain_id]
    while todo:
        for binding in every(chains[todo.pop()].bindings):
            for call in calls_of(binding) if isinstance(binding, CallStep) else ():
                if isinstance(call.target, ToolTarget):
                    sources.add(call.target.source)
                elif call.target.id not in reached:
                    reached.add(call.target.id)
                    todo.append(call.target.id)
    return frozenset(sources)


def every(bindings: tuple[Binding, ...]) -> Iterator[Binding]:
    """The bindings and those of their loops."""
    for binding in bindings:
        yield binding
        if isinstance(binding, MapStep):
            yield from every(binding.bindings)


def called(bindings: tuple[Binding, ...]) -> Iterator[str]:
    """The ids of the chains that these bindings call, also to reconcile, to verify and to undo."""
    for binding in every(bindings):
        if isinstance(binding, CallStep):
            for call in calls_of(binding):
                if isinstance(call.target, ChainTarget):
                    yield call.target.id


def calls_of(step: CallStep) -> Iterator[CallPlan]:
    """Every call that a step may make: its own, to reconcile, to verify, to undo."""
    yield step.call
    if step.reconcile is not None:
        yield step.reconcile
    if step.verify is not None:
        yield step.verify.call
    if step.undo is not None:
        yield step.undo


def is_keyed(binding: Binding) -> bool:
    return isinstance(binding, CallStep) and binding.key is not None


def is_wait(binding: Binding) -> bool:
    return isinstance(binding, ApproveStep | AskStep)


def is_write(binding: Binding) -> bool:
    """Whether it calls a tool that does not only read; what a called chain does, its own bindings tell."""
    return isinstance(binding, CallStep) and not binding.read_only and not isinstance(binding.call.target, ChainTarget)
