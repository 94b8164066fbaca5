"""The checked program: what names mean and which type every expression has. Lowering reads it, never checks again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from compiler.project import Annotations, JsonSchema, LockedTool, Module, Project
from dsl import tree
from stdlib.values.types import Record, Type

Proof = Literal["declared", "claimed", "untyped"]


@dataclass(frozen=True, slots=True)
class ParseClaim:
    mode: Literal["text", "json", "jsonl", "lines", "csv", "match"]
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Unsaid:
    """A place of a tool's schema (JSON pointer, empty for the whole) that its type says less about, and why."""

    pointer: str
    why: str


@dataclass(frozen=True, slots=True)
class DeclaredCommand:
    """A tool of a command: its declaration, and the module in which that stands."""

    module: Module
    node: tree.ToolDecl


@dataclass(frozen=True, slots=True)
class ToolSignature:
    """A primitive tool as one import sees it. `parameters` is a closed record; `result` what a call gives.

    `claim` is the declaration in the import block where there is one; `proof` tells what `result` rests on;
    `result_schema` is what results are checked against at run time (None: untyped). `cost` is that of one call.
    `unsaid` and `unsaid_parameters` tell where the types are weaker than the schemas. `handle`: the kind of handle
    under which results are kept; `result` is then what is stored.
    """

    source: str
    tool: LockedTool
    parameters: Record
    result: Type
    proof: Proof
    effects: Annotations
    scopes: tuple[str, ...] = ()
    result_schema: JsonSchema | None = field(default=None, repr=False)
    parse: ParseClaim | None = None
    cost: float = 0.0
    unsaid: tuple[Unsaid, ...] = ()
    unsaid_parameters: tuple[Unsaid, ...] = ()
    command: DeclaredCommand | None = field(default=None, repr=False)
    handle: str | None = None

    @property
    def retry_safe(self) -> bool:
        """Whether a second call does no harm."""
        return self.effects.read_only or self.effects.idempotent


@dataclass(frozen=True, slots=True)
class ChainSignature:
    """A chain as its callers see it. `parameters` is a closed record; inputs with a default or `?` are not required.

    `minimal_calls`: so many calls of tools are made when all goes well, whatever the conditions say. `retry_safe`: a
    second call does no harm, because each step reads, is idempotent or has a key. `unapproved`: something destructive
    is done that nobody approves. `keyed`: a step of it, or of a chain that it calls, has a key.
    """

    id: str
    parameters: Record
    result: Type
    effects: Annotations
    scopes: tuple[str, ...] = ()
    minimal_calls: int = 0
    retry_safe: bool = False
    unapproved: bool = False
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class ChainGraph:
    """`order`: names of bindings (lets, steps; requires as `require#1`… in textual order; guards as `SECTION.when`)
    so that everything a binding needs stands before it; `needs` its direct predecessors, in that order.
    Bodies of `for each` blocks have graphs of their own in `bodies` by step name."""

    order: tuple[str, ...]
    needs: Mapping[str, tuple[str, ...]]
    bodies: Mapping[str, ChainGraph] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckedAdapter:
    """An adapter: `parameters` is the closed record of the old arguments, `result` the old result (None: the new)."""

    node: tree.Adapter
    parameters: Record
    result: Type | None


@dataclass(frozen=True, slots=True)
class CheckedChain:
    """One chain, checked. `calls` maps `id(tree.Call)` to what the call's path means; the calls of `undo`,
    `reconcile` and `verify` are there, too."""

    id: str
    module: Module
    node: tree.Chain
    signature: ChainSignature
    graph: ChainGraph
    calls: Mapping[int, ToolSignature | ChainSignature] = field(repr=False)
    adapters: tuple[CheckedAdapter, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedTest:
    """A `test`, checked. `chain` is the id of the chain that it calls. `targets` maps `id(tree.Given)` to what its
    path means: a tool, a chain, or the name of an `approve` or `ask` step of the called chain."""

    module: Module
    node: tree.Test
    chain: ChainSignature
    targets: Mapping[int, ToolSignature | ChainSignature | str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Program:
    """`chains` by id, callees first. `kinds` by name with the type of the stored value.

    `types` has the type of every checked expression and every written type by `id(node)`: a node stands in one
    place, so it has one type (after narrowing).
    """

    project: Project
    chains: Mapping[str, CheckedChain]
    kinds: Mapping[str, Type]
    types: Mapping[int, Type] = field(repr=False)
    tests: tuple[CheckedTest, ...] = ()

    def type_of(self, node: tree.Node) -> Type:
        return self.types[id(node)]
