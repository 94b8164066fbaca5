"""Making values: texts, lists, records, comprehensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..values.numbers import NumberError, is_number, number_text
from .evaluate_fault import ITEMS_LIMIT, TEXT_LIMIT, Evaluate, EvaluationFault, Work, not_a
from .evaluate_operators import truth
from .scope import Scope


def text(parts: list[str | Evaluate]) -> Evaluate:
    def evaluate(scope: Scope) -> str:
        pieces = [part if isinstance(part, str) else shown(part(scope)) for part in parts]
        if sum(map(len, pieces)) > TEXT_LIMIT:
            raise EvaluationFault("result_too_large", f"A text would have more than {TEXT_LIMIT:,} characters.")
        return "".join(pieces)

    return evaluate


def shown(value: object) -> str:
    """A value inside a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not (isinstance(value, int | float) and is_number(value)):
        raise not_a("a text, number or truth value inside a text", value)
    try:
        return number_text(value)
    except NumberError as error:
        raise EvaluationFault("precondition", str(error)) from None


def list_of(items: list[tuple[bool, Evaluate]], work: Work) -> Evaluate:
    """Items with whether they are spread."""

    def evaluate(scope: Scope) -> list[Any]:
        made: list[Any] = []
        for spread, item in items:
            value = item(scope)
            if not spread:
                made.append(value)
            elif isinstance(value, list):
                work.spend(len(value))
                made.extend(value)
                _bound(made)
            else:
                raise not_a("a list after `...`", value)
        return made

    return evaluate


def record_of(fields: list[tuple[str | Evaluate | tuple[str, ...] | None, Evaluate]], work: Work) -> Evaluate:
    """Fields with their names, computed names, or for what is spread the names of the fields to take (None: all)."""

    def evaluate(scope: Scope) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, field in fields:
            if isinstance(name, str):
                made[name] = field(scope)
                continue
            if callable(name):
                key = _key(name(scope))
                made[key] = field(scope)
                continue
            value = field(scope)
            if isinstance(value, dict):
                work.spend(len(value) if name is None else len(name))
                made.update(value if name is None else {key: value[key] for key in name if key in value})
                _bound(made)
            elif value is not None:
                raise not_a("a record after `...`", value)
        return made

    return evaluate


Each = Callable[[Scope], Iterator[Scope]]


def list_comprehension(each: Each, value: Evaluate) -> Evaluate:
    return lambda scope: [value(inner) for inner in each(scope)]


def map_comprehension(each: Each, key: Evaluate, value: Evaluate) -> Evaluate:
    return lambda scope: {_key(key(inner)): value(inner) for inner in each(scope)}


def each_item(variable: str, items: Evaluate, condition: Evaluate | None, work: Work) -> Each:
    """`for variable in items if condition`: the scopes in which it holds."""

    def scopes(scope: Scope) -> Iterator[Scope]:
        found = items(scope)
        if not isinstance(found, list):
            raise not_a("a list after `in`", found)
        _bound(found)
        # One scope for all items in turn: nothing keeps it, so nothing sees it change.
        values: dict[str, Any] = {}
        inner = scope.inner(values)
        for item in found:
            work.spend(1)
            values[variable] = item
            if condition is None or truth(condition(inner)):
                yield inner

    return scopes


def _key(value: object) -> str:
    if isinstance(value, str):
        return value
    raise not_a("a text as key", value)


def _bound(made: list[Any] | dict[str, Any]) -> None:
    if len(made) > ITEMS_LIMIT:
        raise EvaluationFault("result_too_large", f"A list or map would have more than {ITEMS_LIMIT:,} items.")
