"""Null for what is absent: outputs always have all their fields, results of tools may leave some out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..plan.model import JsonSchema
from .schema import Shape

Complete = Callable[[Any], Any]


def completed(value: Any, schema: JsonSchema) -> Any:
    """The value with null for each required property that it lacks and that may be null, however deep.

    `schema` is that of an output: inline, without references. Of several forms the first that then fits is taken.
    """
    return _of(schema)(value)


def _of(schema: JsonSchema) -> Complete:
    if "anyOf" in schema:
        return _union([(_of(form), Shape(form)) for form in schema["anyOf"]])
    if isinstance(schema.get("items"), dict):
        item = _of(schema["items"])
        return lambda value: [item(each) for each in value] if isinstance(value, list) else value
    if "properties" in schema or isinstance(schema.get("additionalProperties"), dict):
        return _record(schema)
    return lambda value: value


def _union(forms: list[tuple[Complete, Shape]]) -> Complete:
    def complete(value: Any) -> Any:
        for form, shape in forms:
            found = form(value)
            if shape.mismatch(found) is None:
                return found
        return value

    return complete


def _record(schema: JsonSchema) -> Complete:
    properties: dict[str, JsonSchema] = schema.get("properties", {})
    others = schema.get("additionalProperties")
    named = {name: _of(each) for name, each in properties.items()}
    further = _of(others if isinstance(others, dict) else {})
    nullable = [n for n in schema.get("required", ()) if Shape(properties.get(n, {})).mismatch(None) is None]

    def complete(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        whole = {name: named.get(name, further)(item) for name, item in value.items()}
        return whole | {name: None for name in nullable if name not in whole}

    return complete
