"""How expressions fail, and the bounds of what they may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..plan.model import Origin
from .scope import Scope

WORK_LIMIT: Final = 5_000_000
"""Most items that one evaluation may go through: some seconds at worst."""
TEXT_LIMIT: Final = 10_000_000
"""Most code points of a text that an expression makes."""
ITEMS_LIMIT: Final = 1_000_000
"""Most items of a list or a map that an expression makes."""


class EvaluationFault(Exception):
    """An expression that has no value. `fault_class` is a class of `stdlib.runtime.fault`; `message` is a sentence."""

    def __init__(self, fault_class: str, message: str, origin: Origin | None = None) -> None:
        super().__init__(f"{fault_class}: {message}")
        self.fault_class = fault_class
        self.message = message
        self.origin = origin


class Work:
    """How many items an evaluation has gone through; every compiled expression counts its own."""

    __slots__ = ("done",)

    def __init__(self) -> None:
        self.done = 0

    def spend(self, items: int) -> None:
        """Raises the fault `budget_exceeded` where it becomes too much."""
        self.done += items
        if self.done > WORK_LIMIT:
            raise EvaluationFault("budget_exceeded", f"One expression goes through more than {WORK_LIMIT:,} items.")


Evaluate = Callable[[Scope], Any]
"""A compiled expression."""


def kind_of(value: object) -> str:
    """The kind of a value, as messages say it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list) else "a record"


def not_a(wanted: str, value: object) -> EvaluationFault:
    """What the checker proves has turned out otherwise: our mistake, or a value that nobody checked."""
    return EvaluationFault("internal", f"An expression needs {wanted}, but got {kind_of(value)}.")
