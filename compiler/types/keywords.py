"""The keywords of JSON Schema that need no look around: their forms, their limits, what the language cannot say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from compiler.types.refs import below
from stdlib.values.pattern import BadPattern, compiled
from stdlib.values.types import NULL, OF_FORMAT, LiteralType, Scalar, Type

CHOICES_CAP = 1000
"""A longer enum is read as the type of its values."""

Tell = Callable[[str, str], None]
"""Takes a keyword and why the type says less than it."""

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_OF_TEXT = ("maxLength", "minLength")
_OF_NUMBERS = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf")
_LIMITS = (*_OF_TEXT, *_OF_NUMBERS, "pattern", "minItems", "maxItems")
_UNSAID = {
    "not": "`not`",
    "if": "`if`",
    "dependentRequired": "fields that require others",
    "dependentSchemas": "fields that require others",
    "dependencies": "fields that require others",
    "contains": "`contains`",
    "unevaluatedItems": "`unevaluatedItems`",
    "contentSchema": "what stands in the text",
    "disallow": "`disallow`",
    "divisibleBy": "`divisibleBy`",
    "extends": "`extends`",
    "$dynamicRef": "a dynamic reference",
    "$recursiveRef": "a dynamic reference",
}


class Invalid(Exception):
    """The schema is wrong; caught where the reading began."""

    def __init__(self, pointer: str, why: str) -> None:
        super().__init__(why)
        self.pointer, self.why = pointer, why


def type_names(schema: dict[str, Any], pointer: str) -> list[str]:
    """The values of `type`; without it what the other keywords are about, because nobody means them otherwise."""
    given = schema.get("type")
    if given is None and "type" not in schema:
        rest = schema.get("additionalProperties", True)
        if schema.get("properties", {}) != {} or schema.get("required") or (isinstance(rest, dict) and rest):
            return ["object"]
        return ["array"] if schema.get("items") or schema.get("prefixItems") else []
    found = given if isinstance(given, list) else [given]
    for name in found:
        if name not in _TYPES:
            raise Invalid(below(pointer, "type"), f"{_shown(name)} is no type of JSON")
    if not found:
        raise Invalid(below(pointer, "type"), "names no type")
    return list(dict.fromkeys(found))


def names(schema: dict[str, Any], keyword: str, pointer: str) -> list[str]:
    """A list of texts, each once."""
    found = schema.get(keyword, [])
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise Invalid(below(pointer, keyword), "must be a list of names")
    return list(dict.fromkeys(found))


def schemas(schema: dict[str, Any], keyword: str, pointer: str) -> list[Any]:
    """A list of schemas, which is not empty where the keyword is there."""
    found = schema.get(keyword, [])
    if not isinstance(found, list) or (keyword in schema and not found and keyword != "items"):
        raise Invalid(below(pointer, keyword), "must be a list of schemas")
    return found


def count(schema: dict[str, Any], keyword: str, pointer: str) -> int:
    """A number of things."""
    found = schema[keyword]
    if isinstance(found, bool) or not isinstance(found, int | float) or found < 0 or found != found // 1:
        raise Invalid(below(pointer, keyword), "must be a whole number from 0")
    return int(found)


def scalar(name: str, schema: dict[str, Any], pointer: str, tell: Tell) -> Scalar:
    """A text or number with its limits. A format that the language has no type for is a text."""
    limits: dict[str, object] = {}
    if name == "string":
        for keyword in _OF_TEXT:
            if keyword in schema and (n := count(schema, keyword, pointer)) + (keyword == "maxLength"):
                limits[keyword] = n
        if "pattern" in schema:
            limits |= _pattern(schema["pattern"], pointer, tell)
        ours = OF_FORMAT.get(schema["format"]) if isinstance(schema.get("format"), str) else None
        if ours is None and schema.get("contentEncoding") == "base64":
            ours = "bytes"
        elif ours is None and isinstance(schema.get("format"), str):
            tell("format", f"the form {_shown(schema['format'])}, which is not checked")
        name = ours or name
    else:
        for keyword in _OF_NUMBERS:
            if keyword in schema:
                limits |= _limit(keyword, schema, pointer)
    return Scalar(name, tuple(sorted(limits.items())))


def choices(schema: dict[str, Any], keyword: str, pointer: str) -> list[Type] | str:
    """The literals of `enum` or `const`; a text says why they cannot be had."""
    values = schema[keyword] if keyword == "enum" else [schema[keyword]]
    if not isinstance(values, list):
        raise Invalid(below(pointer, keyword), "must be a list of values")
    if not values:
        return "no choice at all"
    if len(values) > CHOICES_CAP:
        return f"more than {CHOICES_CAP} choices"
    out: list[Type] = []
    for value in values:
        match value:
            case None:
                out.append(NULL)
            case bool() | str() | int():
                out.append(LiteralType(value))
            case float() if math.isfinite(value):
                out.append(LiteralType(int(value) if value.is_integer() else value))
            case _:
                return "choices that are lists or objects"
    return out


def excludes_all(schema: dict[str, Any]) -> bool:
    """The usual way to say "no value": `not` of everything."""
    return schema.get("not") is True or schema.get("not") == {}


def note_unsaid(schema: dict[str, Any], tell: Tell) -> None:
    """Tell of the keywords that restrict the values but not the type."""
    for keyword, why in _UNSAID.items():
        if keyword in schema and not (keyword == "not" and excludes_all(schema)):
            tell(keyword, why)
    if schema.get("uniqueItems") is True:
        tell("uniqueItems", "no two equal items")
    if schema.get("minProperties") or "maxProperties" in schema:
        tell("minProperties" if schema.get("minProperties") else "maxProperties", "a number of fields")
    if schema.get("propertyNames", True) not in (True, {}, {"type": "string"}):
        tell("propertyNames", "rules for names")
    if not type_names(schema, ""):
        for keyword in _LIMITS:
            if keyword in schema:
                tell(keyword, "a limit without a type")
    if schema.get("unevaluatedProperties", True) is not True and schema["unevaluatedProperties"] is not False:
        tell("unevaluatedProperties", "fields that are not declared have a type of their own")


def _pattern(found: object, pointer: str, tell: Tell) -> dict[str, object]:
    if not isinstance(found, str):
        raise Invalid(below(pointer, "pattern"), "must be a text")
    try:
        compiled(found)
    except BadPattern:
        tell("pattern", "a pattern of another dialect")
        return {}
    return {"pattern": found}


def _limit(keyword: str, schema: dict[str, Any], pointer: str) -> dict[str, object]:
    found = schema[keyword]
    if isinstance(found, bool) and keyword.startswith("exclusive"):
        # Draft 4: a truth value that sharpens minimum or maximum.
        plain = keyword.removeprefix("exclusive").lower()
        return {keyword: schema[plain], plain: schema[plain]} if found and plain in schema else {}
    number = isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found)
    if not number or (keyword == "multipleOf" and found <= 0):
        raise Invalid(below(pointer, keyword), "must be a number" + (" above 0" if keyword == "multipleOf" else ""))
    return {keyword: found}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "…"
