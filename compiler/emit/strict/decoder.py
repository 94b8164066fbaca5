"""Builds decoder programs: what must happen to a strict value to make it one of the original schema.

The nodes are those of `stdlib.runtime.decode`. While lowering, every node is built in full, because a choice between
forms tries them one after the other; `finished` then shortens what changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compiler.emit.strict.model import Decoder, JsonSchema

FORMAT = "chainc.decode/1"
KEEP: Decoder = {"kind": "keep"}


def leaf(schema: JsonSchema) -> Decoder:
    """The value as it stands; the schema lets a choice recognise it."""
    return {"kind": "keep", "schema": {key: value for key, value in schema.items() if key != "description"}}


def finished(root: Decoder, definitions: Mapping[str, Decoder]) -> Decoder:
    """The whole program, without definitions that nothing refers to."""
    active: set[str] = set()
    grew = True
    while grew:  # a recursive definition is active where any part of it is
        added = {name for name, node in definitions.items() if name not in active and _acts(node, active)}
        active |= added
        grew = bool(added)
    short = _short(root, active)
    kept: dict[str, Decoder] = {}
    pending = [short]
    while pending:
        for name in _references(pending.pop()):
            if name not in kept:
                kept[name] = definitions[name]
                pending.append(definitions[name])
    program: Decoder = {"format": FORMAT, "root": short}
    if kept:
        program["definitions"] = {name: kept[name] for name in definitions if name in kept}
    return program


def _acts(node: Decoder, active: set[str]) -> bool:
    """Whether decoding can change a value."""
    kind = node["kind"]
    if kind == "keep":
        return False
    if kind == "ref":
        return node["name"] in active
    if kind == "record":
        fields = node["fields"].values()
        return "rest" in node or any(each.get("optional") or _acts(each["value"], active) for each in fields)
    if kind == "list":
        return _acts(node["items"], active)
    if kind == "choose":
        return any(_acts(each, active) for each in node["branches"])
    return True


def _short(node: Decoder, active: set[str]) -> Decoder:
    """The node with everything that changes nothing cut to `keep`; choices stay whole, they must recognise."""
    if not _acts(node, active):
        return KEEP
    kind = node["kind"]
    if kind == "record":
        fields = {name: {**each, "value": _short(each["value"], active)} for name, each in node["fields"].items()}
        short: dict[str, Any] = {**node, "fields": fields}
        if "rest" in node:
            short["rest"] = {**node["rest"], "value": _short(node["rest"]["value"], active)}
        return short
    if kind == "list":
        return {**node, "items": _short(node["items"], active)}
    if kind in ("pairs", "unwrap"):
        return {**node, "value": _short(node["value"], active)}
    return node


def _references(node: Any) -> set[str]:
    if isinstance(node, list):
        return {name for each in node for name in _references(each)}
    if not isinstance(node, dict):
        return set()
    if node.get("kind") == "ref":
        return {node["name"]}
    return {name for key, each in node.items() if key != "schema" for name in _references(each)}
