"""A row of the function table, and how families of functions are written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

from ..values.types import INTEGER, NULL, union
from .signature import Signature, parse_signature

TEXT_LIMIT: Final = 10_000_000
"""Most code points of a text that a function makes."""
ITEMS_LIMIT: Final = 1_000_000
"""Most items of a list that a function makes."""

Demand = Literal["order", "equality", "key", "quantity", "number"]
"""What a function needs of the values that it compares or adds up: an order (numbers, texts, truth values, times; null
counts as missing), equality (anything), a text, number or truth value that becomes the key of a map (never null), a
number or a duration, or a number (of both, null counts as missing)."""


Spend = Callable[[int], None]


def _for_free(steps: int) -> None:
    """Nobody counts."""


class FunctionFault(Exception):
    """A function that cannot give a result; `fault_class` is the class of the fault at run time."""

    def __init__(self, message: str, fault_class: str = "precondition") -> None:
        super().__init__(message)
        self.message = message
        self.fault_class = fault_class


@dataclass(frozen=True, slots=True)
class Example:
    """A call as the author writes it, and the JSON value that it gives. `on` as the plan's call would carry it."""

    call: str
    result: Any
    on: str | None = None


@dataclass(frozen=True)  # no slots: the signature is kept once it is read
class Entry:
    """A function of the language.

    `ordered` names the argument that decides how values are compared: the items of a list or the values of a map (or
    their field that `by` names, where that is given), else the argument's own value. `demands` says what these must
    allow. The body takes the arguments in the order of the signature and, where `ordered` is set, the keyword `on`;
    where `metered` is set also the keyword `spend`, which it tells the steps that the arguments' sizes do not show.
    """

    name: str
    text: str
    sentence: str
    body: Callable[..., Any]
    examples: tuple[Example, ...]
    ordered: str | None = None
    demands: Demand | None = None
    metered: bool = False

    @cached_property
    def signature(self) -> Signature:
        return parse_signature(self.text, self.body.__code__.co_varnames[: self.body.__code__.co_argcount])

    def call(self, arguments: Mapping[str, Any], on: str | None = None, spend: Spend = _for_free) -> Any:
        """Evaluates the function: `arguments` by parameter name, as values that fit the signature.

        `on` is a Comparable of the plan; None compares whole values. `spend` may raise to end the evaluation.
        Raises FunctionFault.
        """
        values = []
        for parameter in self.signature.parameters:
            value = arguments.get(parameter.name)
            if value is None:
                value = parameter.default
            elif isinstance(value, float) and parameter.type in _WHOLE and value.is_integer():
                value = int(value)  # JSON has one kind of number: 2.0 is an integer
            values.append(value)
        if self.metered:
            return self.body(*values, spend=spend)
        return self.body(*values) if self.ordered is None else self.body(*values, on=on or "json")


_WHOLE: Final = (INTEGER, union(INTEGER, NULL))
_Body = TypeVar("_Body", bound=Callable[..., Any])


class Family:
    """Functions of one kind, in the order in which the reference lists them."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.entries: list[Entry] = []

    def function(
        self,
        signature: str,
        sentence: str,
        *examples: tuple[Any, ...],
        ordered: str | None = None,
        demands: Demand | None = None,
        metered: bool = False,
    ) -> Callable[[_Body], _Body]:
        """Adds the decorated body to the family. An example is (call, result) or (call, result, on)."""

        def add(body: _Body) -> _Body:
            rows = tuple(Example(*example) for example in examples)
            name = signature.partition("(")[0]
            self.entries.append(Entry(name, signature, sentence, body, rows, ordered, demands, metered))
            return body

        return add


def bounded_text(text: str) -> str:
    """The text itself; raises FunctionFault where it is too long."""
    if len(text) > TEXT_LIMIT:
        raise too_long()
    return text


def too_long() -> FunctionFault:
    return FunctionFault(f"The text would have more than {TEXT_LIMIT:,} characters.", "result_too_large")


def too_many() -> FunctionFault:
    return FunctionFault(f"The list would have more than {ITEMS_LIMIT:,} items.", "result_too_large")
