"""Where names get their values: cells that are filled when they are first needed, in frames around one another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dsl import tree
from tests.mutation.reference.faults import DesignFault, ShapeFault, TooLong
from tests.mutation.reference.generate import Generator
from tests.mutation.reference.observed import Observed
from tests.mutation.reference.program import Module
from tests.mutation.reference.values import Record, Text

Outcome = Literal["succeeded", "skipped", "failed"]
MOST_STEPS = 60_000
"""Expressions that one run may evaluate."""


class Cell:
    """A let or a step: computed once, and never in terms of itself."""

    __slots__ = ("_arguments", "_compute", "_failure", "_state", "of_step", "outcome", "value")

    def __init__(self, compute: Callable[..., tuple[Any, Outcome]], *arguments: Any, of_step: bool = False) -> None:
        self.of_step = of_step
        self._compute = compute
        self._arguments = arguments
        self._state = "waiting"
        self._failure: DesignFault | None = None
        self.value: Any = None
        self.outcome: Outcome = "succeeded"

    @property
    def waiting(self) -> bool:
        return self._state == "waiting"

    def force(self, node: tree.Node) -> Any:
        if self._state == "running":
            raise ShapeFault(node, "this waits for itself")
        if self._state == "waiting":
            self._state = "running"
            try:
                self.value, self.outcome = self._compute(*self._arguments)
                self._state = "done"
            except DesignFault as fault:
                self._failure = fault
                self._state = "failed"
        if self._failure is not None:
            raise self._failure
        return self.value


@dataclass(slots=True)
class Run:
    """What one run of a program shares."""

    generator: Generator
    observed: Observed
    late: bool
    """Whether requires and writes come after everything that does not wait for them, or in the order of the text."""
    ambient: Any = field(init=False)
    steps: int = 0
    undoing: bool = False
    """Whether something is undone: then steps that have not run will not run either."""
    caught: int = 0
    """How many steps and loops around answer a failure."""

    def __post_init__(self) -> None:
        started = self.generator.text({"format": "date-time"})
        self.ambient = Record({"id": Text("r-1"), "started_at": started}, frozenset(("id", "started_at")))

    def count(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLong


class Frame:
    """Names with values, inside another frame; the outermost one belongs to a file."""

    __slots__ = ("cells", "module", "parent", "run", "variables")

    def __init__(
        self, run: Run, module: Module, parent: Frame | None = None, variables: Mapping[str, Any] | None = None
    ) -> None:
        self.run = run
        self.module = module
        self.parent = parent
        self.variables: Mapping[str, Any] = {} if variables is None else variables
        self.cells: dict[str, Cell] = {}

    def inside(self, **variables: Any) -> Frame:
        return Frame(self.run, self.module, self, variables)

    def value(self, name: str, node: tree.Node) -> Any:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.variables:
                return frame.variables[name]
            if name in frame.cells:
                cell = frame.cells[name]
                if cell.of_step and cell.waiting and self.run.undoing:
                    raise ShapeFault(node, f"{name} may not have run")
                return cell.force(node)
            frame = frame.parent
        raise ShapeFault(node, f"{name} has no value here")

    def cell(self, name: str) -> Cell | None:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.cells:
                return frame.cells[name]
            frame = frame.parent
        return None
