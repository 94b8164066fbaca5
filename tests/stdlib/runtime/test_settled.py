"""Values as their schema means them."""

from stdlib.runtime.schema import Shape
from stdlib.runtime.settled import settling

INTEGER = {"type": "integer"}


def test_integers_are_integers_wherever_they_stand():
    schema = {
        "$defs": {
            "n": {"anyOf": [INTEGER, {"type": "string"}]},
            "tree": {"type": "object", "properties": {"n": INTEGER, "below": {"$ref": "#/$defs/tree"}}},
        },
        "properties": {
            "a": {"type": ["integer", "null"]},
            "b": {"items": {"$ref": "#/$defs/n"}},
            "c": {"type": ["integer", "number"]},
            "tree": {"$ref": "#/$defs/tree"},
        },
        "additionalProperties": INTEGER,
    }
    given = {"a": 1.0, "b": [2.0, "x"], "c": 3.0, "d": 1e20, "tree": {"n": 4.0, "below": {"n": 5.0}}}
    found = Shape(schema).settled(given)
    # What a schema has of itself inside is left as it is.
    assert repr(found) == repr({"a": 1, "b": [2, "x"], "c": 3.0, "d": 10**20, "tree": {"n": 4, "below": {"n": 5.0}}})
    assert repr(given["a"]) == "1.0"
    assert repr(Shape(schema).settled([1.0, None, {"a": 1.5}])) == repr([1.0, None, {"a": 1.5}])


def test_defaults_are_filled_in_and_are_not_shared():
    record = {"type": "object", "properties": {"a": {"type": "array", "default": []}, "b": INTEGER}}
    settle = settling({"anyOf": [{"type": "null"}, {"items": record, "type": "array"}]}, defaults=True)
    assert settle is not None
    one, two = settle([{}, {"a": [1], "b": 2.0}])
    assert (one, repr(two)) == ({"a": []}, "{'a': [1], 'b': 2}")
    one["a"].append(1)
    assert settle([{}]) == [{"a": []}]
    assert settle(None) is None


def test_most_schemas_mean_what_they_say():
    schemas: list[dict] = [
        {},
        {"type": "string"},
        {"type": "number"},
        {"properties": {"a": {"default": 1}}},
        {"anyOf": [{}]},
    ]
    for schema in schemas:
        assert settling(schema, defaults=False) is None
