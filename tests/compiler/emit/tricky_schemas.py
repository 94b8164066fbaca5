"""Hand-written schemas that are hard to say in strict mode, with values that fit them and the losses we expect."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """`fits`: values of the original that the strict schema must be able to say."""

    name: str
    schema: dict[str, Any]
    fits: tuple[Any, ...]
    losses: frozenset[str] = frozenset()


def record(properties: dict[str, Any], required: list[str] | None = None, **more: Any) -> dict[str, Any]:
    needed = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False} | more


TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
ENCODED = frozenset({"encoded"})
PROSE = frozenset({"prose"})
NARROWED = frozenset({"narrowed"})
A, B = record({"a": TEXT}), record({"b": TEXT})

CASES = (
    Case("no arguments", {"type": "object"}, ({},)),
    Case("no arguments, closed", record({}), ({},)),
    Case("optional", record({"a": TEXT, "b": NUMBER}, ["a"]), ({"a": "x"}, {"a": "x", "b": 1})),
    Case("optional enum", record({"a": {"enum": ["x", "y"]}}, []), ({}, {"a": "y"})),
    Case("optional const", record({"a": {"const": "x"}}, []), ({}, {"a": "x"})),
    Case("mixed enum", record({"a": {"enum": ["x", 1, True, None]}}), ({"a": "x"}, {"a": 1}, {"a": True}, {"a": None})),
    Case("enum with a bound", record({"a": {"type": "integer", "enum": [1, 2, 9], "maximum": 5}}), ({"a": 2},)),
    Case("enum twice", record({"a": {"enum": [1, 1.0, "1"]}}), ({"a": 1}, {"a": "1"})),
    Case("compound enum", record({"a": {"enum": [[1], {"b": 2}]}}), ({"a": [1]}, {"a": {"b": 2}}), ENCODED),
    Case("nullable", record({"a": {"type": ["string", "null"]}}), ({"a": None}, {"a": "x"})),
    Case("nullable record", record({"a": {**A, "type": ["object", "null"]}}), ({"a": None}, {"a": {"a": "x"}})),
    Case("optional and nullable", record({"a": {"type": ["string", "null"]}}, []), ({}, {"a": "x"}), NARROWED),
    Case("default null", record({"a": {"type": ["string", "null"], "default": None}}, []), ({}, {"a": "x"})),
    Case("null enum", record({"a": {"enum": ["x", None]}}), ({"a": None}, {"a": "x"})),
    Case("several types", record({"a": {"type": ["string", "integer"]}}), ({"a": "x"}, {"a": 1})),
    Case("types with bounds", record({"a": {"type": ["string", "number"], "minLength": 2}}), ({"a": "xy"}, {"a": 0})),
    Case("free value", record({"a": {}}), ({"a": 1}, {"a": None}, {"a": {"b": [1]}}), ENCODED),
    Case("free optional", record({"a": True}, []), ({}, {"a": {"b": 1}}, {"a": None}), ENCODED),
    Case("free object", record({"a": {"type": "object"}}), ({"a": {}}, {"a": {"b": 1}}), ENCODED),
    Case("free list", record({"a": {"type": "array"}}), ({"a": []}, {"a": [1, "x", {}]}), ENCODED),
    Case(
        "map", record({"a": {"type": "object", "additionalProperties": NUMBER}}), ({"a": {}}, {"a": {"x": 1}}), ENCODED
    ),
    Case(
        "optional map of maps",
        record({"a": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": TEXT}}}, []),
        ({}, {"a": {"x": {}, "y": {"z": "t"}}}),
        ENCODED,
    ),
    Case(
        "map with names",
        record({"a": {"type": "object", "propertyNames": {"enum": ["x", "y"]}, "additionalProperties": NUMBER}}),
        ({"a": {"x": 1, "y": 2}},),
        ENCODED,
    ),
    Case(
        "map by pattern",
        record({"a": {"type": "object", "patternProperties": {"^x": NUMBER}, "additionalProperties": False}}),
        ({"a": {"x1": 1}},),
        ENCODED,
    ),
    Case(
        "record with further fields",
        record({"a": {"type": "object", "properties": {"b": TEXT}, "required": ["b"], "additionalProperties": NUMBER}}),
        ({"a": {"b": "x"}}, {"a": {"b": "x", "c": 1}}),
        ENCODED,
    ),
    Case(
        "further fields, one of them never",
        record({"a": {"type": "object", "properties": {"b": False}, "additionalProperties": NUMBER}}),
        ({"a": {}}, {"a": {"c": 1}}),
        ENCODED,
    ),
    Case(
        "alternative that nothing fits",
        record({"a": {"anyOf": [{"allOf": [TEXT, NUMBER]}, record({"b": {"enum": [1], "type": "string"}}), TEXT]}}),
        ({"a": "x"},),
    ),
    Case(
        "field that cannot fit both parts",
        record({"a": {"allOf": [record({"b": TEXT}, []), {"properties": {"b": NUMBER}}]}}),
        ({"a": {}},),
    ),
    Case(
        "open record",
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": True},
        ({"a": "x"},),
        NARROWED,
    ),
    Case("required unnamed", {"type": "object", "required": ["a"]}, ({"a": 1}, {"a": [2]}), ENCODED),
    Case("arguments are a map", {"type": "object", "additionalProperties": NUMBER}, ({}, {"x": 1}), ENCODED),
    Case("free arguments", {"type": "object", "additionalProperties": True}, ({}, {"x": [1]}), ENCODED),
    Case("alternative arguments", {"type": "object", "anyOf": [A, B]}, ({"a": "x"}, {"b": "x"}), ENCODED),
    Case(
        "one of two fields",
        record({"a": TEXT, "b": TEXT}, [], anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
        ({"a": "x"}, {"a": "x", "b": "y"}),
        PROSE,
    ),
    Case("anyOf of records", record({"a": {"anyOf": [A, B]}}), ({"a": {"a": "x"}}, {"a": {"b": "y"}})),
    Case(
        "records with one first key",
        record({"a": {"anyOf": [record({"k": TEXT, "x": NUMBER}), record({"k": TEXT, "y": NUMBER})]}}),
        ({"a": {"k": "t", "x": 1}}, {"a": {"k": "t", "y": 1}}),
    ),
    Case(
        "records with the same keys",
        record({"a": {"anyOf": [record({"k": TEXT}), record({"k": NUMBER})]}}),
        ({"a": {"k": "t"}}, {"a": {"k": 1}}),
        ENCODED,
    ),
    Case(
        "records by kind",
        record({"a": {"oneOf": [record({"n": TEXT, "t": {"const": "x"}}), record({"n": TEXT, "t": {"const": "y"}})]}}),
        ({"a": {"n": "1", "t": "x"}}, {"a": {"n": "1", "t": "y"}}),
    ),
    Case("oneOf of types", record({"a": {"oneOf": [TEXT, NUMBER]}}), ({"a": "x"}, {"a": 1})),
    Case(
        "oneOf that overlaps",
        record({"a": {"oneOf": [TEXT, {"type": "string", "maxLength": 2}]}}),
        ({"a": "xyz"},),
        PROSE,
    ),
    Case(
        "list or map",
        record(
            {"a": {"anyOf": [{"type": "array", "items": NUMBER}, {"type": "object", "additionalProperties": NUMBER}]}}
        ),
        ({"a": []}, {"a": {}}, {"a": [1]}, {"a": {"x": 1}}),
        ENCODED,
    ),
    Case(
        "text or anything",
        record({"a": {"anyOf": [TEXT, {"type": "object"}]}}),
        ({"a": "{}"}, {"a": {}}, {"a": "x"}),
        ENCODED,
    ),
    Case(
        "base with alternatives",
        record(
            {
                "a": {
                    "type": "object",
                    "properties": {"k": TEXT},
                    "required": ["k"],
                    "anyOf": [
                        {"properties": {"x": NUMBER}, "required": ["x"]},
                        {"properties": {"y": NUMBER}, "required": ["y"]},
                    ],
                }
            }
        ),
        ({"a": {"k": "t", "x": 1}}, {"a": {"k": "t", "y": 1}}),
    ),
    Case(
        "allOf",
        record(
            {
                "a": {
                    "allOf": [
                        {"type": "object", "properties": {"x": TEXT}, "required": ["x"]},
                        {"properties": {"y": NUMBER}},
                    ]
                }
            }
        ),
        ({"a": {"x": "t"}}, {"a": {"x": "t", "y": 1}}),
    ),
    Case(
        "allOf of bounds",
        record({"a": {"type": "integer", "allOf": [{"minimum": 1}, {"minimum": 2, "maximum": 4}]}}),
        ({"a": 2}, {"a": 4}),
    ),
    Case(
        "reference with siblings",
        {**record({"a": {"$ref": "#/$defs/A", "description": "The a."}}), "$defs": {"A": A}},
        ({"a": {"a": "x"}},),
    ),
    Case(
        "optional reference",
        {**record({"a": {"$ref": "#/definitions/A"}}, []), "definitions": {"A": A}},
        ({}, {"a": {"a": "x"}}),
    ),
    Case(
        "reference to a field", record({"a": A, "b": {"$ref": "#/properties/a"}}), ({"a": {"a": "x"}, "b": {"a": "y"}},)
    ),
    Case(
        "odd definition name",
        {**record({"a": {"$ref": "#/$defs/A~1b%20c"}}), "$defs": {"A/b c": A}},
        ({"a": {"a": "x"}},),
    ),
    Case(
        "recursion",
        {
            **record({"t": {"$ref": "#/$defs/T"}}),
            "$defs": {
                "T": record(
                    {"n": TEXT, "l": {"type": "array", "items": {"$ref": "#/$defs/T"}}, "o": {"$ref": "#/$defs/T"}},
                    ["n"],
                )
            },
        },
        ({"t": {"n": "a"}}, {"t": {"n": "a", "l": [{"n": "b", "o": {"n": "c"}}]}}),
    ),
    Case(
        "recursion to the root",
        record({"n": TEXT, "up": {"$ref": "#"}}, ["n"]),
        ({"n": "a"}, {"n": "a", "up": {"n": "b"}}),
    ),
    Case(
        "recursive value",
        {
            **record({"v": {"$ref": "#/$defs/V"}}),
            "$defs": {
                "V": {
                    "anyOf": [
                        TEXT,
                        {"type": "array", "items": {"$ref": "#/$defs/V"}},
                        {"type": "object", "additionalProperties": {"$ref": "#/$defs/V"}},
                    ]
                }
            },
        },
        ({"v": "x"}, {"v": ["x", ["y"]]}, {"v": {"k": ["x"]}}, {"v": []}, {"v": {}}),
        ENCODED,
    ),
    Case(
        "two numbers",
        record({"p": {"type": "array", "prefixItems": [NUMBER, NUMBER], "minItems": 2, "maxItems": 2}}),
        ({"p": [1, 2]},),
        ENCODED,
    ),
    Case(
        "draft 7 tuple",
        record({"p": {"type": "array", "items": [TEXT, NUMBER], "additionalItems": False, "minItems": 2}}),
        ({"p": ["x", 2]},),
        ENCODED,
    ),
    Case("open tuple", record({"p": {"type": "array", "prefixItems": [TEXT]}}), ({"p": ["x"]},), ENCODED | NARROWED),
    Case(
        "unique items", record({"a": {"type": "array", "items": NUMBER, "uniqueItems": True}}), ({"a": [1, 2]},), PROSE
    ),
    Case("format", record({"a": {"type": "string", "format": "uri"}}), ({"a": "https://x.example"},), PROSE),
    Case("date", record({"a": {"type": "string", "format": "date"}}), ({"a": "2026-01-02"},)),
    Case("pattern", record({"a": {"type": "string", "pattern": "^[a-c]{2}$"}}), ({"a": "ab"},)),
    Case("look-ahead", record({"a": {"type": "string", "pattern": "^(?=a)ab$"}}), ({"a": "ab"},), PROSE),
    Case("back reference", record({"a": {"type": "string", "pattern": r"^(a|b)\1$"}}), ({"a": "bb"},), PROSE),
    Case(
        "bracket that looks like look-ahead", record({"a": {"type": "string", "pattern": r"^[(?=]x$"}}), ({"a": "(x"},)
    ),
    Case("not", record({"a": {"type": "string", "not": {"const": "x"}}}), ({"a": "y"},), PROSE),
    Case(
        "if then",
        record(
            {"a": TEXT, "b": TEXT}, ["a"], **{"if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["b"]}}
        ),
        ({"a": "x", "b": "y"},),
        PROSE,
    ),
    Case(
        "dependent fields",
        record({"a": TEXT, "b": TEXT}, [], dependentRequired={"a": ["b"]}),
        ({}, {"a": "x", "b": "y"}),
        PROSE,
    ),
    Case("draft 4 bound", record({"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}}), ({"a": 2},)),
    Case(
        "draft 4 open bound", record({"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": False}}), ({"a": 1},)
    ),
    Case("type missing", record({"a": {"properties": {"b": TEXT}, "required": ["b"]}}), ({"a": {"b": "x"}},), NARROWED),
    Case("field nobody may give", record({"a": TEXT, "b": False}, ["a"]), ({"a": "x"},)),
    Case(
        "minimum of entries",
        record({"a": {"type": "object", "additionalProperties": TEXT, "minProperties": 1}}),
        ({"a": {"x": "y"}},),
        ENCODED | PROSE,
    ),
    Case(
        "annotations",
        {
            **record({"a": {**TEXT, "examples": ["x"], "x-y": 1, "readOnly": False, "$comment": "c", "title": "T"}}),
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$id": "urn:x",
        },
        ({"a": "x"},),
    ),
    Case(
        "field named like a keyword",
        record({"type": TEXT, "properties": A, "$ref": TEXT, "enum": NUMBER}),
        ({"type": "x", "properties": {"a": "x"}, "$ref": "x", "enum": 1},),
    ),
    Case("default", record({"a": {**NUMBER, "default": 5}}, []), ({}, {"a": 1})),
)


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = record({"x": TEXT})
    for _ in range(levels - 1):
        schema = record({"x": schema})
    return schema
