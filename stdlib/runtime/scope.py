"""The names that an expression can see while a chain runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Scope:
    """Names and their values. `values` is read when an expression needs it, so it may grow while a run goes on.

    `outcomes` has `succeeded`, `skipped` or `failed` for every settled step; `run` is the record { id, started_at }.
    What a scope lacks is looked up in the outer one.
    """

    __slots__ = ("outcomes", "outer", "run", "values")

    def __init__(
        self,
        values: Mapping[str, Any],
        outcomes: Mapping[str, str] | None = None,
        run: Mapping[str, Any] | None = None,
        outer: Scope | None = None,
    ) -> None:
        self.values = values
        self.outcomes: Mapping[str, str] = {} if outcomes is None else outcomes
        self.run = run
        self.outer = outer

    def inner(self, values: Mapping[str, Any], outcomes: Mapping[str, str] | None = None) -> Scope:
        """A scope inside this one with further names: a loop variable, the bindings of a block."""
        return Scope(values, outcomes, None, self)

    def value(self, name: str) -> Any:
        """The value of a name; KeyError where it has none: a plan that refers to nothing is a mistake of ours."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            if name == "run" and scope.run is not None:
                return scope.run
            scope = scope.outer
        raise KeyError(name)

    def outcome(self, step: str) -> str:
        """How a step ended; KeyError where it has not."""
        scope: Scope | None = self
        while scope is not None:
            if step in scope.outcomes:
                return scope.outcomes[step]
            scope = scope.outer
        raise KeyError(step)
