"""Functions on maps; a record counts as a map of its fields. Maps have no order: keys are given by code point."""

from __future__ import annotations

from typing import Any

from .entry import Family

MAPS = Family("Maps")


@MAPS.function(
    "keys(map<json>) -> list<string>",
    "The keys, in order.",
    ("keys({ b: 1, a: 2 })", ["a", "b"]),
)
def keys(of: dict[str, Any]) -> list[str]:
    return sorted(of)


@MAPS.function(
    "values(map<T>) -> list<T>",
    "The values, in the order of their keys.",
    ("values({ b: 1, a: 2 })", [2, 1]),
)
def values(of: dict[str, Any]) -> list[Any]:
    return [of[key] for key in sorted(of)]


@MAPS.function(
    "entries(map<T>) -> list<{ key: string, value: T }>",
    "Keys with their values, in the order of the keys.",
    ("entries({ b: 1, a: 2 })", [{"key": "a", "value": 2}, {"key": "b", "value": 1}]),
)
def entries(of: dict[str, Any]) -> list[Any]:
    return [{"key": key, "value": of[key]} for key in sorted(of)]


@MAPS.function(
    "merge(map<A>, map<B>) -> map<A | B>",
    "Both maps in one; where both have a key the second one counts.",
    ("merge({ a: 1, b: 1 }, { b: 2 })", {"a": 1, "b": 2}),
)
def merge(of: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    return {**of, **over}


@MAPS.function(
    "pick(map<T>, list<string>) -> map<T>",
    "The map with these keys only; keys that it does not have are left out.",
    ('pick({ a: 1, b: 2 }, ["b", "c"])', {"b": 2}),
)
def pick(of: dict[str, Any], wanted: list[str]) -> dict[str, Any]:
    return {key: of[key] for key in wanted if key in of}


@MAPS.function(
    "omit(map<T>, list<string>) -> map<T>",
    "The map without these keys.",
    ('omit({ a: 1, b: 2 }, ["b", "c"])', {"a": 1}),
)
def omit(of: dict[str, Any], unwanted: list[str]) -> dict[str, Any]:
    without = set(unwanted)
    return {key: value for key, value in of.items() if key not in without}
