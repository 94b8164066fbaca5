"""Where an expression stands: what its names mean, and what is known to be there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from compiler.names.chain import ChainNames
from compiler.names.file import FileNames
from compiler.program import Unsaid
from compiler.project import Module
from compiler.types.declared import DeclaredTypes
from compiler.types.report import Report
from dsl import tree
from stdlib.values.types import Type

Path = tuple[str, ...]
"""A name and the fields behind it."""

Facts = frozenset[Path]
"""The paths that are not null here."""

NO_FACTS: Facts = frozenset()


def ruled_out(step: str, outcome: str) -> Path:
    """The fact that a step was not `skipped`, or has not `failed`. No name is empty, so it is no path to a value."""
    return ("", step, outcome)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all expressions of a file share.

    `infer` types an expression; `file_let` gives the type of a `let` at the top of a module.
    """

    module: Module
    names: FileNames
    files: Mapping[str, FileNames]
    report: Report
    declared: DeclaredTypes
    types: dict[int, Type] = field(repr=False)
    infer: Callable[[Scope, tree.Expr], Type] = field(repr=False)
    file_let: Callable[[str, tree.Let], Type] = field(repr=False)


@dataclass(slots=True)
class ChainValues:
    """What is known of a chain's names: `values` as the step gives them, `absent` the outcomes (`skipped`, `failed`)
    in which a step has none, `unsaid` of the steps whose tool's schema says more than its type, `blames` of those where
    a value that stands for the result has another form: called with a place that stumbles over it, it tells the mistake
    at that value, once."""

    names: ChainNames
    values: dict[str, Type] = field(default_factory=dict)
    absent: dict[str, set[str]] = field(default_factory=dict)
    unsaid: dict[str, tuple[Unsaid, ...]] = field(default_factory=dict)
    blames: dict[str, Callable[[tree.Node], bool]] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)  # values of `on … use` that are told to have another form
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Scope:
    """`chain` is None at the top of a file. `section` is the section around, `loops` the blocks around,
    `variables` the loop variables that can be seen, `facts` what is not null, `sources` the steps whose items a loop
    variable stands for."""

    file: Surroundings
    chain: ChainValues | None = None
    variables: Mapping[str, Type] = field(default_factory=dict)
    facts: Facts = NO_FACTS
    section: tree.Section | None = None
    loops: tuple[str, ...] = ()
    hidden: str | None = None  # a loop variable that `when` cannot see
    afterwards: tuple[str, str] | None = None  # the step and the word of the clause, such as `undo`, that runs after it
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def report(self) -> Report:
        return self.file.report

    def infer(self, node: tree.Expr) -> Type:
        """The type of an expression, kept in the program; mistakes in it are reported."""
        return self.file.infer(self, node)

    def knowing(self, facts: Facts) -> Scope:
        """The same place where more is known."""
        return replace(self, facts=self.facts | facts) if facts else self

    def binding(self, name: str, type: Type, source: str | None = None) -> Scope:
        """Inside a loop whose variable is `name`, where its items come from the step `source`."""
        known = frozenset(f for f in self.facts if f[0] != name) if self.facts else self.facts
        sources = {**self.sources, name: source} if source is not None else self.sources
        return replace(self, variables={**self.variables, name: type}, facts=known, sources=sources)
