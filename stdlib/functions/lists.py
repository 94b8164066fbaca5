"""Functions on lists. Positions count from 0; lists never change, functions give new ones."""

from __future__ import annotations

from typing import Any

from .entry import ITEMS_LIMIT, Family, FunctionFault, too_many

LISTS = Family("Lists")


@LISTS.function(
    "count(list<json> | map<json> | string) -> integer",
    "How many items a list has, entries a map, characters a text.",
    ("count([1, 2, 3])", 3),
    ("count({ a: 1 })", 1),
    ('count("né")', 2),
)
def count(of: list[Any] | dict[str, Any] | str) -> int:
    return len(of)


@LISTS.function(
    "first(list<T>) -> T?",
    "The first item, null where the list is empty.",
    ("first([3, 1, 2])", 3),
    ("first([])", None),
)
def first(items: list[Any]) -> Any:
    return items[0] if items else None


@LISTS.function(
    "last(list<T>) -> T?",
    "The last item, null where the list is empty.",
    ("last([3, 1, 2])", 2),
    ("last([])", None),
)
def last(items: list[Any]) -> Any:
    return items[-1] if items else None


@LISTS.function(
    "take(list<T>, integer) -> list<T>",
    "The first items, at most so many.",
    ("take([1, 2, 3], 2)", [1, 2]),
    ("take([1], 5)", [1]),
    ("take([1], -1)", []),
)
def take(items: list[Any], most: int) -> list[Any]:
    return items[: max(most, 0)]


@LISTS.function(
    "drop(list<T>, integer) -> list<T>",
    "The list without its first items, so many.",
    ("drop([1, 2, 3], 2)", [3]),
    ("drop([1], 5)", []),
)
def drop(items: list[Any], most: int) -> list[Any]:
    return items[max(most, 0) :]


@LISTS.function(
    "slice(list<T>, from: integer = 0, to: integer?) -> list<T>",
    "The items from one position up to, not including, another; negative positions count from the end.",
    ("slice([1, 2, 3, 4], from: 1, to: 3)", [2, 3]),
    ("slice([1, 2, 3, 4], from: -2)", [3, 4]),
)
def slice_(items: list[Any], start: int, end: int | None) -> list[Any]:
    return items[start:end]


@LISTS.function(
    "reverse(list<T>) -> list<T>",
    "The items in reverse order.",
    ("reverse([1, 2, 3])", [3, 2, 1]),
)
def reverse(items: list[Any]) -> list[Any]:
    return items[::-1]


@LISTS.function(
    "flatten(list<list<T>>) -> list<T>",
    "The items of all lists in one list.",
    ("flatten([[1, 2], [], [3]])", [1, 2, 3]),
)
def flatten(lists: list[list[Any]]) -> list[Any]:
    if sum(map(len, lists)) > ITEMS_LIMIT:
        raise too_many()
    return [item for items in lists for item in items]


@LISTS.function(
    "zip(list<A>, list<B>) -> list<{ left: A, right: B }>",
    "Pairs of the items that stand at the same position; the longer list is cut.",
    ('zip([1, 2], ["a", "b"])', [{"left": 1, "right": "a"}, {"left": 2, "right": "b"}]),
    ("zip([1, 2], [])", []),
)
def zip_(left: list[Any], right: list[Any]) -> list[Any]:
    return [{"left": a, "right": b} for a, b in zip(left, right, strict=False)]


@LISTS.function(
    "numbered(list<T>) -> list<{ position: integer, item: T }>",
    "The items with their positions.",
    ('numbered(["a", "b"])', [{"position": 0, "item": "a"}, {"position": 1, "item": "b"}]),
)
def numbered(items: list[Any]) -> list[Any]:
    return [{"position": position, "item": item} for position, item in enumerate(items)]


@LISTS.function(
    "chunk(list<T>, integer) -> list<list<T>>",
    "The items in lists of so many, the last one may be shorter; fails where the number is below 1.",
    ("chunk([1, 2, 3], 2)", [[1, 2], [3]]),
)
def chunk(items: list[Any], size: int) -> list[Any]:
    if size < 1:
        raise FunctionFault("A chunk must have at least 1 item.")
    return [items[start : start + size] for start in range(0, len(items), size)]


@LISTS.function(
    "range(integer, from: integer = 0, step: integer = 1) -> list<integer>",
    "So many integers in a row.",
    ("range(3)", [0, 1, 2]),
    ("range(3, from: 10, step: -5)", [10, 5, 0]),
    ("range(-1)", []),
)
def range_(length: int, start: int, step: int) -> list[int]:
    if length > ITEMS_LIMIT:
        raise too_many()
    return [start + step * position for position in range(length)]


@LISTS.function(
    "compact(list<T?>) -> list<T>",
    "The list without nulls.",
    ("compact([1, null, 2])", [1, 2]),
)
def compact(items: list[Any]) -> list[Any]:
    return [item for item in items if item is not None]


@LISTS.function(
    "any(list<boolean>) -> boolean",
    "Whether at least one item is true; false for an empty list.",
    ("any([false, true])", True),
    ("any([])", False),
)
def any_(items: list[bool]) -> bool:
    return True in items


@LISTS.function(
    "all(list<boolean>) -> boolean",
    "Whether every item is true; true for an empty list.",
    ("all([true, false])", False),
    ("all([])", True),
)
def all_(items: list[bool]) -> bool:
    return False not in items
