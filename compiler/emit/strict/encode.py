"""The way back of a decoder program: a value of the original schema in its strict form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from compiler.emit.strict.model import Decoder


class Unencodable(ValueError):
    """The value has no strict form: the original schema refuses it, or it was lost by narrowing."""


def encode(program: Decoder, value: Any) -> Any:
    """A value that the program decodes to this one. Raises Unencodable where there is none."""
    return _encode(program["root"], value, program.get("definitions", {}))


def _encode(node: Decoder, value: Any, definitions: Mapping[str, Decoder]) -> Any:
    kind = node["kind"]
    if kind == "keep":
        _expect("schema" not in node or _accepts(node["schema"], value))
        return value
    if kind == "ref":
        return _encode(definitions[node["name"]], value, definitions)
    if kind == "json":
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if kind == "unwrap":
        return {node["name"]: _encode(node["value"], value, definitions)}
    if kind == "choose":
        return _first(node["branches"], value, definitions)
    if kind == "list":
        _expect(isinstance(value, list))
        return [_encode(node["items"], item, definitions) for item in value]
    if kind == "tuple":
        _expect(isinstance(value, list) and len(value) == len(node["fields"]))
        places = zip(node["fields"], value, strict=True)
        return {name: _encode(each, item, definitions) for (name, each), item in places}
    _expect(isinstance(value, dict))
    if kind == "pairs":
        return _pairs(node["value"], value, definitions)
    return _record(node, value, definitions)


def _record(node: Decoder, value: dict[str, Any], definitions: Mapping[str, Decoder]) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for name, field in node["fields"].items():
        if name in value:
            encoded[name] = _encode(field["value"], value[name], definitions)
            _expect(encoded[name] is not None or not field.get("optional"))
        else:
            _expect(bool(field.get("optional")))
            encoded[name] = None
    further = {name: item for name, item in value.items() if name not in node["fields"]}
    if "rest" in node:
        encoded[node["rest"]["name"]] = _pairs(node["rest"]["value"], further, definitions)
    else:
        _expect(not further)
    return encoded


def _pairs(node: Decoder, value: dict[str, Any], definitions: Mapping[str, Decoder]) -> list[Any]:
    return [{"key": name, "value": _encode(node, item, definitions)} for name, item in value.items()]


def _first(branches: list[Decoder], value: Any, definitions: Mapping[str, Decoder]) -> Any:
    for branch in branches:
        try:
            return _encode(branch, value, definitions)
        except Unencodable:
            continue
    raise Unencodable("none of the forms fits")


def _accepts(schema: Any, value: Any) -> bool:
    from jsonschema import Draft202012Validator

    return bool(Draft202012Validator(schema).is_valid(value))


def _expect(condition: bool) -> None:
    if not condition:
        raise Unencodable("the value has no strict form")
