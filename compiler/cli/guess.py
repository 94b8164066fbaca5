"""What can be said of a run before anything is called: by the runtime's own evaluation, over values that may not be
there yet.

A name whose value is not known raises `NotYet` when it is read, so an expression is known exactly where the run would
not look at what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from stdlib.plan import expression as ex
from stdlib.plan.model import Model
from stdlib.plan.plan import Argument, CallPlan
from stdlib.runtime.arguments import call_arguments
from stdlib.runtime.evaluate import Evaluate, EvaluationFault, Scope
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.loaded import LoadedCall

RUN: Final = "run"
"""Stands among the reasons for what is known only when the run begins: its id and start."""


class NotYet(Exception):
    """A value was read that is not there yet."""


@dataclass(frozen=True, slots=True)
class Known:
    value: Any


@dataclass(frozen=True, slots=True)
class Unknown:
    """`before`: the steps that must end first, in the order of the text; `RUN`, `NAME[]` for an item of the loop
    `NAME`, `@NAME` for what lies under the handle in the input `NAME`."""

    before: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fails:
    fault: Fault


Guess = Known | Unknown | Fails


class Names(Mapping[str, Any]):
    """The values of a scope; reading one that is not known raises `NotYet`."""

    def __init__(self, known: Mapping[str, Any] | None = None) -> None:
        self.known = dict(known or {})
        self.missing: dict[str, tuple[str, ...]] = {}

    def put(self, name: str, guess: Guess) -> None:
        if isinstance(guess, Known):
            self.missing.pop(name, None)
            self.known[name] = guess.value
        else:
            self.missing[name] = guess.before if isinstance(guess, Unknown) else (name,)

    def __contains__(self, name: object) -> bool:
        return name in self.known or name in self.missing

    def __getitem__(self, name: str) -> Any:
        if name in self.missing:
            raise NotYet
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.known
        yield from self.missing

    def __len__(self) -> int:
        return len(self.known) + len(self.missing)


@dataclass(slots=True)
class View:
    """What an expression can see: a scope over `values` and `outcomes`, inside `outer`."""

    values: Names
    outer: View | None = None
    outcomes: Names = field(default_factory=Names)

    @property
    def scope(self) -> Scope:
        if self.outer is None:
            return Scope(self.values, self.outcomes)
        return self.outer.scope.inner(self.values, self.outcomes)

    def guess(self, evaluate: Evaluate, expression: Any, place: Any, step: str | None = None) -> Guess:
        """The value of an expression, or why there is none yet. `place`: the origin that a fault gets."""
        try:
            return Known(evaluate(self.scope))
        except NotYet:
            return Unknown(self.reasons(expression))
        except EvaluationFault as found:
            return Fails(Fault(found.fault_class, found.message, step, found.origin or place))

    def reasons(self, *expressions: Any) -> tuple[str, ...]:
        """What the names in these expressions wait for."""
        found: dict[str, None] = {}
        for expression in expressions:
            for name in names_in(expression):
                found |= dict.fromkeys(self._missing(name))
        return tuple(found)

    def _missing(self, name: str) -> tuple[str, ...]:
        view: View | None = self
        while view is not None:
            if name in view.values:
                return view.values.missing.get(name, ())
            view = view.outer
        return ()

    def arguments(self, call: LoadedCall, plan: CallPlan, place: Any, step: str) -> tuple[tuple[str, Guess], ...]:
        """Each argument by itself, in the order of the text; a null that is left out has no row."""
        rows: list[tuple[str, Guess]] = []
        for each in call.arguments:
            guess = self.guess(each.value, each.plan.value, place, step)
            rows += _rows(each.plan, guess)
        return tuple(dict(rows).items())

    def exact(self, call: LoadedCall, fixed: Mapping[str, Any], place: Any, step: str) -> Guess:
        """The arguments as they would be sent, checked as the run checks them."""

        def evaluate(expression: Evaluate, scope: Scope) -> Any:
            try:
                return expression(scope)
            except EvaluationFault as found:
                raise RunFault(Fault(found.fault_class, found.message)) from None

        try:
            return Known(call_arguments(call, self.scope, evaluate, fixed))
        except NotYet:
            return Unknown(self.reasons(*(each.plan.value for each in call.arguments)))
        except RunFault as found:
            return Fails(found.fault.at(step, place))


def _rows(argument: Argument, guess: Guess) -> list[tuple[str, Guess]]:
    if argument.name is not None:
        left_out = isinstance(guess, Known) and guess.value is None and not argument.nullable
        return [] if left_out else [(argument.name, guess)]
    if not isinstance(guess, Known):
        return [(name, guess) for name in argument.fields]
    given = guess.value or {}
    shown = [name for name in argument.fields if name in given]
    return [(name, Known(given[name])) for name in shown if given[name] is not None or name in argument.nullable_fields]


def names_in(expression: Any) -> Iterator[str]:
    """Every name that an expression of a plan reads; those of its own loops among them."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ex.Ref):
            yield node.name
        elif isinstance(node, ex.Outcome):
            yield node.step
        elif isinstance(node, Model):
            waiting += reversed([getattr(node, name) for name in type(node).model_fields])
        elif isinstance(node, list | tuple):
            waiting += reversed(node)
        elif isinstance(node, dict):
            waiting += reversed(node.values())
