"""A plan made ready to run: expressions as closures, schemas as checks, needs as positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..plan import plan as p
from .evaluate import Evaluate
from .gates.places import Place
from .result import Reading
from .schema import Shape
from .settled import Settle


@dataclass(frozen=True, slots=True)
class LoadedTool:
    """`key` is the tool's name in its source of the plan, `plan.name` the server's. `label`: how messages call it.
    `places`: where addresses and paths stand in its arguments."""

    source: str
    key: str
    label: str
    plan: p.Tool
    input: Shape
    reading: Reading
    places: tuple[Place, ...] = ()


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
class LoadedVerify:
    """`text`: the condition as its author wrote it."""

    call: LoadedCall
    condition: Evaluate
    text: str


@dataclass(frozen=True, slots=True)
class LoadedCallStep:
    """`held`: nobody looks into its value."""

    plan: p.CallStep
    call: LoadedCall
    when: Evaluate | None
    on_error: LoadedReaction
    receipt: Evaluate | None = None
    reconcile: LoadedCall | None = None
    verify: LoadedVerify | None = None
    undo: LoadedCall | None = None
    held: bool = False


@dataclass(frozen=True, slots=True)
class LoadedMapStep:
    """`single`: the body is one call that is named like the loop (`for each … do CALL`). `keyed`: a call in it has a
    key, so items need one, too."""

    plan: p.MapStep
    items: Evaluate
    block: LoadedBlock
    when: Evaluate | None
    on_error: LoadedReaction
    on_item_error: LoadedReaction
    single: bool
    keyed: bool


@dataclass(frozen=True, slots=True)
class LoadedWaitStep:
    """A step that waits for a person. `on_refusal`: what `on reject` or `on decline` say. `form`: what an answer to a
    question must fit."""

    plan: p.ApproveStep | p.AskStep
    question: Evaluate
    show: Evaluate | None
    when: Evaluate | None
    on_refusal: LoadedReaction
    on_expiry: LoadedReaction
    form: Shape | None


LoadedStep = LoadedCallStep | LoadedMapStep | LoadedWaitStep
LoadedBinding = LoadedLet | LoadedRequire | LoadedStep


@dataclass(frozen=True, slots=True)
class LoadedBlock:
    """Bindings and what comes out of them. `needs[i]`: how many bindings of this block the i-th waits for;
    `dependents[i]`: the positions of those that wait for it. `steps`: how many of them are steps."""

    bindings: tuple[LoadedBinding, ...]
    needs: tuple[int, ...]
    dependents: tuple[tuple[int, ...], ...]
    steps: int
    result: Evaluate


@dataclass(frozen=True, slots=True)
class LoadedAdapter:
    plan: p.Adapter
    input: Shape
    defaults: Mapping[str, Evaluate]
    settles: Mapping[str, Settle]
    lets: tuple[LoadedLet, ...]
    arguments: tuple[LoadedArgument, ...]
    output: Evaluate | None
    result: Shape | None


@dataclass(frozen=True, slots=True)
class LoadedChain:
    """`inner_input`: what the arguments of a call by another chain must fit, without those of `handle_inputs`.
    `held_inputs`: those of them that nobody looks into. `settles`: what makes of the value of an input what is meant.

    `keyed`: a step of it, or of a chain that it calls, has a key. `waits`: … may wait for a person. `lasts`: … waits or
    has side effects, so that a run must not be lost. `places`: where addresses and paths stand in its arguments.
    """

    plan: p.Chain
    input: Shape
    inner_input: Shape
    handle_inputs: frozenset[str]
    held_inputs: frozenset[str]
    defaults: Mapping[str, Evaluate]
    settles: Mapping[str, Settle]
    block: LoadedBlock
    output: Shape
    summary: Evaluate | None
    adapters: tuple[LoadedAdapter, ...]
    keyed: bool
    waits: bool
    lasts: bool
    places: tuple[Place, ...] = ()

    @property
    def takes_request_key(self) -> bool:
        """Whether `request_key` is an input that the chain has without naming it."""
        return self.keyed and all(each.name != REQUEST_KEY for each in self.plan.inputs)


@dataclass(frozen=True, slots=True)
class LoadedPlan:
    """`text`: the plan as JSON, `digest` its SHA-256: what runs are pinned to. `stand_ins`: tools that are called in
    place of chains (by id): what a test puts there."""

    plan: p.Plan
    text: str
    digest: str
    tools: Mapping[tuple[str, str], LoadedTool]
    chains: Mapping[str, LoadedChain]
    stand_ins: Mapping[str, LoadedTool] = field(default_factory=dict)


REQUEST_KEY = "request_key"
"""The optional input of chains with keyed steps: a new value does it again on purpose."""
