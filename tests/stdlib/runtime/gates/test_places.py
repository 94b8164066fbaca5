"""Where addresses and paths stand in arguments."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.runtime.gates.places import EACH, Place, places

URL: dict[str, Any] = {"type": "string", "format": "uri"}
PATH: dict[str, Any] = {"type": "string", "format": "path"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_they_are_found_by_format_wherever_they_stand():
    schema = of(
        a=URL,
        b={"type": "array", "items": PATH},
        c=of(d={"anyOf": [URL, {"type": "null"}]}),
        e={"additionalProperties": URL},
        f={"type": "string"},
        g={"$ref": "#/$defs/there"},
    ) | {"$defs": {"there": of(h=URL)}}
    assert set(places(schema)) == {
        Place(("a",), "url"),
        Place(("b", EACH), "path"),
        Place(("c", "d"), "url"),
        Place(("e", EACH), "url"),
        Place(("g", "h"), "url"),
    }


@pytest.mark.parametrize("name", ["uri", "url", "iri"])
def test_every_name_of_an_address_counts(name: str):
    assert places(of(a={"format": name})) == (Place(("a",), "url"),)


def test_texts_are_those_that_are_there():
    given = {"b": ["x", 1, "y"], "c": {"d": "z"}, "a": None}
    assert list(Place(("b", EACH), "url").texts(given)) == ["x", "y"]
    assert list(Place(("c", EACH), "url").texts(given)) == ["z"]
    assert [list(Place(way, "url").texts(given)) for way in (("a",), ("q", "r"), ("b", "d"))] == [[], [], []]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/properties/a", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"properties": 7, "items": [1], "anyOf": {"a": 1}, "format": ["uri"]},
        {"properties": {str(n): {"$ref": "#/properties/0"} for n in range(50)}},
    ],
)
def test_circles_and_nonsense_end(schema: dict[str, Any]):
    assert places(schema) == ()


def test_a_schema_that_branches_without_end_is_given_up():
    grow: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/a"}] * 40}
    found = places({"$ref": "#/$defs/a", "$defs": {"a": grow}, "properties": {"u": URL}})
    assert isinstance(found, tuple)
