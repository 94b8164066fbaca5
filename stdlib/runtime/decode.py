"""Turns arguments in a provider's strict form back into those that the tool's own schema describes.

A program is JSON: { "format": "chainc.decode/1", "root": NODE, "definitions"?: { NAME: NODE } }. Nodes:

    keep      { schema? }                  the value as it stands
    record    { fields: { NAME: { value: NODE, optional?: true } }, rest?: { name, value: NODE, except?: [NAME, …] } }
              null of an optional field leaves it out; `rest` is a field of pairs that become further fields, but for
              those names that the record has or never has
    list      { items: NODE }
    tuple     { fields: [[NAME, NODE], …] }  a record that becomes a list in this order
    pairs     { value: NODE, key?: SCHEMA }  a list of { key, value } that becomes a record; a later key wins
    json      { }                          a text that holds JSON
    unwrap    { name, value: NODE }        a record with this one field, which becomes the field's value
    choose    { branches: [NODE, …] }      the first form that the value has
    ref       { name }                     a definition
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

FORMAT = "chainc.decode/1"

Node = Mapping[str, Any]


class Undecodable(ValueError):
    """The value has not the strict form. `path` is a JSON pointer into it. A server answers `invalid_input`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path or 'the arguments'}: {message}")
        self.path = path
        self.message = message


def decode(program: Mapping[str, Any], arguments: Any) -> Any:
    """The arguments for the original schema. Raises Undecodable where they have not the strict form."""
    definitions: Mapping[str, Node] = program.get("definitions", {})
    try:
        return _decode(program["root"], arguments, "", definitions)
    except RecursionError:
        raise Undecodable("", "is nested too deeply") from None


def fits(program: Mapping[str, Any], arguments: Any) -> bool:
    """Whether the arguments have the strict form that the program decodes."""
    try:
        return _fits(program["root"], arguments, program.get("definitions", {}))
    except RecursionError:
        return False


def parse(text: str) -> Any:
    """The value of a JSON text; ValueError for what is no JSON (NaN and infinities included)."""
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


# ------------------------------------------------------------------ decoding


def _decode(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> Any:
    kind = node["kind"]
    if kind == "keep":
        return value
    if kind == "ref":
        return _decode(definitions[node["name"]], value, path, definitions)
    return _DECODE[kind](node, value, path, definitions)


def _record(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> Any:
    _expect(isinstance(value, dict), path, "is no object")
    rest = node.get("rest")
    decoded: dict[str, Any] = {}
    for name, item in value.items():
        field = node["fields"].get(name)
        if field is None:
            if rest is None or name != rest["name"]:
                decoded[name] = item  # the schema of the tool says what becomes of it
        elif item is not None or not field.get("optional"):
            decoded[name] = _decode(field["value"], item, _below(path, name), definitions)
    if rest is not None:
        place = _below(path, rest["name"])
        further = _pairs(rest, value.get(rest["name"]) or [], place, definitions)
        named = {*node["fields"], *rest.get("except", ())}
        decoded |= {name: item for name, item in further.items() if name not in named}
    return decoded


def _list(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> Any:
    _expect(isinstance(value, list), path, "is no list")
    return [_decode(node["items"], item, _below(path, place), definitions) for place, item in enumerate(value)]


def _tuple(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> Any:
    _expect(isinstance(value, dict), path, "is no object")
    decoded = []
    for name, item in node["fields"]:
        _expect(name in value, path, f"lacks {name}")
        decoded.append(_decode(item, value[name], _below(path, name), definitions))
    return decoded


def _pairs(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> dict[str, Any]:
    _expect(isinstance(value, list), path, "is no list of pairs")
    decoded = {}
    for place, pair in enumerate(value):
        at = _below(path, place)
        _expect(_is_pair(pair), at, "is no pair of key and value")
        decoded[pair["key"]] = _decode(node["value"], pair["value"], _below(at, "value"), definitions)
    return decoded


def _json(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> Any:
    _expect(isinstance(value, str), path, "is no text")
    try:
        return parse(value)
    except ValueError:
        raise Undecodable(path, "holds no JSON") from None


def _unwrap(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> Any:
    _expect(isinstance(value, dict) and node["name"] in value, path, f"lacks {node['name']}")
    return _decode(node["value"], value[node["name"]], _below(path, node["name"]), definitions)


def _choose(node: Node, value: Any, path: str, definitions: Mapping[str, Node]) -> Any:
    for branch in node["branches"]:
        if _fits(branch, value, definitions):
            return _decode(branch, value, path, definitions)
    raise Undecodable(path, "has none of the forms")


_DECODE: Mapping[str, Callable[[Node, Any, str, Mapping[str, Node]], Any]] = {
    "record": _record,
    "list": _list,
    "tuple": _tuple,
    "pairs": _pairs,
    "json": _json,
    "unwrap": _unwrap,
    "choose": _choose,
}

# ------------------------------------------------------------------ recognising


def _fits(node: Node, value: Any, definitions: Mapping[str, Node]) -> bool:
    """Whether the value has the form of the node; nothing is parsed, nothing is built."""
    kind = node["kind"]
    if kind == "keep":
        return "schema" not in node or _accepts(json.dumps(node["schema"]), value)
    if kind == "ref":
        return _fits(definitions[node["name"]], value, definitions)
    if kind == "choose":
        return any(_fits(branch, value, definitions) for branch in node["branches"])
    if kind == "json":
        return isinstance(value, str)
    if kind == "list":
        return isinstance(value, list) and all(_fits(node["items"], item, definitions) for item in value)
    if kind == "pairs":
        return isinstance(value, list) and all(
            _is_pair(pair) and _fits(node["value"], pair["value"], definitions) for pair in value
        )
    if not isinstance(value, dict):
        return False
    fields = _fields(node)
    return value.keys() == fields.keys() and all(
        (item is None and fields[name].get("optional", False)) or _fits(fields[name]["value"], item, definitions)
        for name, item in value.items()
    )


def _fields(node: Node) -> dict[str, Any]:
    """Every field that a record has in its strict form."""
    if node["kind"] == "unwrap":
        return {node["name"]: {"value": node["value"]}}
    if node["kind"] == "tuple":
        return {name: {"value": item} for name, item in node["fields"]}
    fields = dict(node["fields"])
    if "rest" in node:
        fields[node["rest"]["name"]] = {"value": {"kind": "pairs", "value": node["rest"]["value"]}}
    return fields


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, dict) and pair.keys() == {"key", "value"} and isinstance(pair["key"], str)


@lru_cache(maxsize=512)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))


def _accepts(schema: str, value: Any) -> bool:
    return bool(_validator(schema).is_valid(value))


def _below(path: str, token: str | int) -> str:
    return f"{path}/{str(token).replace('~', '~0').replace('/', '~1')}"


def _expect(condition: bool, path: str, message: str) -> None:
    if not condition:
        raise Undecodable(path, message)
