"""Functions that compare, group or add up items, whole or by one of their fields.

`by` names the field. Where it is left out the items themselves count. Times compare as what they mean (`on`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ..values.equal import identity, order_key
from ..values.numbers import NumberError, checked, is_number, number_text
from ..values.time import TimeError, read_duration, write_duration
from .entry import Family, FunctionFault

KEYED = Family("Order and groups")


def _keys(items: list[Any], by: str | None) -> list[Any]:
    return items if by is None else [None if item is None else item.get(by) for item in items]


def _read(reader: Callable[[Any, str], Any], key: Any, on: str) -> Any:
    try:
        return reader(key, on)
    except TimeError as error:
        raise FunctionFault(str(error), "shape_mismatch") from None


@KEYED.function(
    'sort(list<T>, by: field of T?, order: "asc" | "desc" = "asc") -> list<T>',
    "The items in order; equal ones stay as they stood, those whose key is null come last.",
    ("sort([3, 1, 2])", [1, 2, 3], "number"),
    ('sort(["b", "a"], order: "desc")', ["b", "a"], "text"),
    ('sort([{ n: 1 }, { n: null }, { n: 2 }], by: "n", order: "desc")', [{"n": 2}, {"n": 1}, {"n": None}], "number"),
    (
        'sort(["2026-06-01T09:00:00+02:00", "2026-06-01T06:00:00Z"])',
        ["2026-06-01T06:00:00Z", "2026-06-01T09:00:00+02:00"],
        "timestamp",
    ),
    ordered="items",
    demands="order",
)
def sort(items: list[Any], by: str | None, order: str, *, on: str) -> list[Any]:
    pairs = [(key, item) for key, item in zip(_keys(items, by), items, strict=True) if key is not None]
    rest = [item for key, item in zip(_keys(items, by), items, strict=True) if key is None]
    keyed = sorted(((_read(order_key, key, on), item) for key, item in pairs), key=_first, reverse=order == "desc")
    return [item for _, item in keyed] + rest


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


@KEYED.function(
    "min(list<T>, by: field of T?) -> T?",
    "The smallest item, the first of equal ones; null where the list is empty. Items whose key is null do not count.",
    ("min([3, 1, 2])", 1, "number"),
    ('min([{ n: 2 }, { n: 1 }], by: "n")', {"n": 1}, "number"),
    ("min([])", None),
    ordered="items",
    demands="order",
)
def min_(items: list[Any], by: str | None, *, on: str) -> Any:
    smallest = sort(items, by, "asc", on=on)[:1]
    return smallest[0] if smallest and _keys(smallest, by)[0] is not None else None


@KEYED.function(
    "max(list<T>, by: field of T?) -> T?",
    "The largest item, the first of equal ones; null where the list is empty. Items whose key is null do not count.",
    ("max([3, 1, 2])", 3, "number"),
    ('max(["PT1H", "PT90M"])', "PT90M", "duration"),
    ordered="items",
    demands="order",
)
def max_(items: list[Any], by: str | None, *, on: str) -> Any:
    largest = sort(items, by, "desc", on=on)[:1]
    return largest[0] if largest and _keys(largest, by)[0] is not None else None


@KEYED.function(
    "least(T, T) -> T",
    "The smaller of two values.",
    ("least(3, 2)", 2, "number"),
    ("least(30m, 2h)", "PT30M", "duration"),
    ordered="left",
    demands="order",
)
def least(left: Any, right: Any, *, on: str) -> Any:
    return right if _read(order_key, right, on) < _read(order_key, left, on) else left


@KEYED.function(
    "greatest(T, T) -> T",
    "The larger of two values.",
    ("greatest(3, 2)", 3, "number"),
    ordered="left",
    demands="order",
)
def greatest(left: Any, right: Any, *, on: str) -> Any:
    return right if _read(order_key, right, on) > _read(order_key, left, on) else left


@KEYED.function(
    "unique(list<T>, by: field of T?) -> list<T>",
    "The items without those that are equal to an earlier one.",
    ("unique([1, 2, 1.0])", [1, 2], "number"),
    ('unique([{ k: "a", n: 1 }, { k: "a", n: 2 }], by: "k")', [{"k": "a", "n": 1}], "text"),
    ordered="items",
    demands="equality",
)
def unique(items: list[Any], by: str | None, *, on: str) -> list[Any]:
    seen: dict[Hashable, Any] = {}
    for key, item in zip(_keys(items, by), items, strict=True):
        seen.setdefault(_read(identity, key, on), item)
    return list(seen.values())


@KEYED.function(
    "index_of(list<T>, T) -> integer?",
    "The position of the first item that is equal to the value, null where there is none.",
    ('index_of(["a", "b"], "b")', 1, "text"),
    ("index_of([1, 2], 3)", None, "number"),
    ordered="items",
    demands="equality",
)
def index_of(items: list[Any], value: Any, *, on: str) -> int | None:
    wanted = _read(identity, value, on)
    return next((at for at, item in enumerate(items) if _read(identity, item, on) == wanted), None)


@KEYED.function(
    "group(list<T>, by: field of T) -> map<list<T>>",
    "The items by the text of a field; numbers and truth values become texts. Fails where the field is null.",
    (
        'group([{ k: "a", n: 1 }, { k: "b", n: 2 }, { k: "a", n: 3 }], by: "k")',
        {"a": [{"k": "a", "n": 1}, {"k": "a", "n": 3}], "b": [{"k": "b", "n": 2}]},
        "text",
    ),
    ('group([{ n: 1 }], by: "n")', {"1": [{"n": 1}]}, "number"),
    ordered="items",
    demands="key",
)
def group(items: list[Any], by: str, *, on: str) -> dict[str, list[Any]]:
    return _grouped(items, by, on)


def _grouped(items: list[Any], by: str | None, on: str) -> dict[str, list[Any]]:
    texts: dict[Hashable, str] = {}
    groups: dict[str, list[Any]] = {}
    for key, item in zip(_keys(items, by), items, strict=True):
        # Equal keys may be written in two ways (1 and 1.0, two offsets of one instant): the first one names the group.
        text = texts.setdefault(_read(identity, key, on), key_text(key, by))
        groups.setdefault(text, []).append(item)
    return groups


def key_text(key: Any, by: str | None) -> str:
    """The key of a map for a value; raises FunctionFault for null, lists and records."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if is_number(key):
        return number_text(key)
    if by is None:
        raise FunctionFault("An item is no text, number or truth value, so it fits no key.")
    raise FunctionFault(f"An item has {'no' if key is None else 'no text or number as'} `{by}`, so it fits no key.")


@KEYED.function(
    "index(list<T>, by: field of T) -> map<T>",
    "The items by the text of a field; of items with the same one the last stays. Fails where the field is null.",
    ('index([{ id: "a", n: 1 }, { id: "b", n: 2 }], by: "id")', {"a": {"id": "a", "n": 1}, "b": {"id": "b", "n": 2}}),
    ordered="items",
    demands="key",
)
def index(items: list[Any], by: str, *, on: str) -> dict[str, Any]:
    return {key: found[-1] for key, found in group(items, by, on=on).items()}


@KEYED.function(
    "tally(list<T>, by: field of T?) -> map<integer>",
    "How many items there are for each text of a field, or of the items themselves. Fails where it is null.",
    ('tally([{ k: "a" }, { k: "b" }, { k: "a" }], by: "k")', {"a": 2, "b": 1}, "text"),
    ('tally(["a", "b", "a"])', {"a": 2, "b": 1}, "text"),
    ("tally([true, false, true])", {"false": 1, "true": 2}),
    ordered="items",
    demands="key",
)
def tally(items: list[Any], by: str | None, *, on: str) -> dict[str, int]:
    return {key: len(found) for key, found in _grouped(items, by, on).items()}


@KEYED.function(
    "sum(list<T>, by: field of T?) -> T.by",
    "All numbers (or durations) added up, 0 where there are none; nulls do not count.",
    ("sum([1, 2, 3])", 6, "number"),
    ("sum([])", 0),
    ("sum([30m, 1h])", "PT1H30M", "duration"),
    ('sum([{ n: 0.5 }, { n: null }, { n: 2 }], by: "n")', 2.5, "number"),
    ordered="items",
    demands="quantity",
)
def sum_(items: list[Any], by: str | None, *, on: str) -> Any:
    keys = [key for key in _keys(items, by) if key is not None]
    try:
        if on == "duration":
            return write_duration(sum(map(read_duration, keys)))
        total: int | float = 0
        for key in keys:
            total = checked(total + key)
        return total
    except OverflowError:
        raise FunctionFault("The sum is too large for a number.") from None
    except NumberError as error:
        raise FunctionFault(str(error)) from None
    except TimeError as error:
        raise FunctionFault(str(error), "shape_mismatch") from None


@KEYED.function(
    "avg(list<T>, by: field of T?) -> number?",
    "The mean of the numbers, null where there are none; nulls do not count.",
    ("avg([1, 2])", 1.5, "number"),
    ("avg([])", None),
    ordered="items",
    demands="number",
)
def avg(items: list[Any], by: str | None, *, on: str) -> float | None:
    keys = [key for key in _keys(items, by) if key is not None]
    if not keys:
        return None
    try:
        return float(sum_(keys, None, on="number") / len(keys))
    except OverflowError:
        raise FunctionFault("The mean is too large for a number.") from None
