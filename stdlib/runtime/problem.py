"""What is wrong with a value that does not fit its schema, in the words of the language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .clean import excerpt

_SETTINGS: Final = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_items",
    "maxItems": "max_items",
    "multipleOf": "multiple_of",
}
"""Keyword → the setting of a type that it is written as in a workflow."""

_TYPES: Final = {"array": "list", "object": "record"}
_FORMATS: Final = {"date-time": "timestamp (RFC 3339 with offset)", "uri": "URL", "byte": "base64 text"}
_OTHERS: Final = {
    "uniqueItems": "has an item twice",
    "contains": "lacks an item that must be there",
    "minContains": "lacks an item that must be there",
    "maxContains": "has too many items of a kind",
    "anyOf": "fits none of the forms that it may have",
    "propertyNames": "has a field whose name is not allowed",
    "dependentRequired": "lacks a field that another field needs",
    "dependentSchemas": "lacks what another field needs",
    "dependencies": "lacks what another field needs",
    "unevaluatedProperties": "has a field that is not allowed",
    "additionalProperties": "has a field that is not allowed",
    "unevaluatedItems": "has an item that is not allowed",
    "additionalItems": "has an item that is not allowed",
}


def problem_of(keyword: str, wanted: Any, value: Any, schema: Any) -> str:
    """A phrase that goes on after a subject: `is null, not string`. `wanted` is the keyword's value in `schema`."""
    match keyword:
        case "type" if value is None:
            return f"is null, not {_listed(wanted)}"
        case "type":
            return f"is {_listed(kind_of(value))}, not {_listed(wanted)}: {excerpt(value)}"
        case "required":
            missing = next((name for name in wanted if isinstance(value, dict) and name not in value), "")
            return f"has no field `{missing}`"
        case "additionalProperties" if isinstance(value, dict):
            known = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
            extra = [name for name in value if name not in known]
            if wanted is False and extra:
                return f"has no place for the field `{extra[0]}`"
        case "enum":
            return f"is {excerpt(value)}, not one of {excerpt(wanted, 200)}"
        case "const":
            return f"is {excerpt(value)}, not {excerpt(wanted)}"
        case "format":
            return f"is no {_FORMATS.get(wanted, wanted)}: {excerpt(value)}"
        case "pattern":
            return f"does not match the pattern {wanted}: {excerpt(value)}"
        case "minimum":
            return f"is {excerpt(value)}, less than allowed (min: {wanted})"
        case "maximum":
            return f"is {excerpt(value)}, more than allowed (max: {wanted})"
        case "exclusiveMinimum":
            return f"is {excerpt(value)}, not above {wanted}"
        case "exclusiveMaximum":
            return f"is {excerpt(value)}, not below {wanted}"
        case "multipleOf":
            return f"is {excerpt(value)}, no multiple of {wanted}"
        case "minLength" | "minItems":
            return f"is too short ({_SETTINGS[keyword]}: {wanted}): {excerpt(value)}"
        case "maxLength" | "maxItems":
            return f"is too long ({_SETTINGS[keyword]}: {wanted}): {excerpt(value)}"
        case "minProperties":
            return f"has fewer than {wanted} fields: {excerpt(value)}"
        case "maxProperties":
            return f"has more than {wanted} fields: {excerpt(value)}"
        case "oneOf":
            return f"does not fit exactly one of the forms that it may have: {excerpt(value)}"
    return f"{_OTHERS.get(keyword, 'is not allowed by its schema')}: {excerpt(value)}"


def _listed(types: Any) -> str:
    names = types if isinstance(types, list) else [types]
    return " or ".join(_TYPES.get(name, str(name)) for name in names)


def kind_of(value: Any) -> str:
    """The name of a JSON value's type, as JSON Schema says it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
