"""The compact view of a catalogue: `TOOL @id alias(param:type,param?:type) -> scalar|handle<kind>`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..values.types import OF_FORMAT
from .catalogue import Entry

_DEEPEST = 6


def registry_line(entry: Entry, handles: Mapping[str, str] | None = None) -> str:
    """One tool in one line. `handles`: the inputs that are handles, with their kinds. `?`: may be left out."""
    gives = f"handle<{entry.output.kind}>" if entry.output.mode == "handle" else "scalar"
    return tool_line(entry.id, entry.input.json_schema, gives, handles)


def tool_line(
    name: str, schema: Mapping[str, Any], gives: str = "scalar", handles: Mapping[str, str] | None = None
) -> str:
    """The line of any tool, by the name that it is called by and its input schema."""
    required = _required(schema)
    parameters = []
    for parameter, node in schema.get("properties", {}).items():
        kind = (handles or {}).get(parameter)
        written = f"handle<{kind}>" if kind else type_text(node, schema)
        parameters.append(f"{parameter}{'' if parameter in required else '?'}:{written.removesuffix('?')}")
    return f"TOOL @{name} {name}({','.join(parameters)}) -> {gives}"


def type_text(node: Any, root: Mapping[str, Any], depth: int = 0) -> str:
    """A schema as a type of the language, without blanks; what has no such type, or lies too deep, is `json`."""
    if not isinstance(node, dict) or depth > _DEEPEST:
        return "json"
    if "$ref" in node:
        return type_text(_target(node["$ref"], root), root, depth + 1)
    if "const" in node or "enum" in node:
        return _joined([_literal(value) for value in node.get("enum", [node.get("const")])])
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            return _joined([type_text(each, root, depth + 1) for each in node[keyword]])
    kinds = node.get("type")
    if isinstance(kinds, list):
        return _joined([type_text({**node, "type": kind}, root, depth + 1) for kind in kinds])
    if kinds == "array":
        return f"list<{type_text(node.get('items'), root, depth + 1)}>"
    if kinds == "object":
        return _object(node, root, depth)
    if kinds == "string":
        return OF_FORMAT.get(node.get("format", ""), "string")
    return str(kinds) if kinds in ("integer", "number", "boolean", "null") else "json"


def _object(node: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    fields = node.get("properties")
    if not fields:
        further = node.get("additionalProperties")
        return f"map<{type_text(further, root, depth + 1)}>" if isinstance(further, dict) else "json"
    required = _required(node)
    texts = [
        f"{name}{'' if name in required else '?'}:{type_text(each, root, depth + 1).removesuffix('?')}"
        if name not in required
        else f"{name}:{type_text(each, root, depth + 1)}"
        for name, each in fields.items()
    ]
    return "{" + ",".join(texts) + "}"


def _required(node: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name in node.get("required") or () if isinstance(name, str))


def _joined(texts: list[str]) -> str:
    """Alternatives, each once; null becomes a question mark at the end."""
    forms = list(dict.fromkeys(text.removesuffix("?") for text in texts if text != "null"))
    nullable = any(text == "null" or text.endswith("?") for text in texts)
    return ("|".join(forms) or "null") + ("?" if nullable and forms else "")


def _literal(value: Any) -> str:
    return "null" if value is None else json.dumps(value, ensure_ascii=False)


def _target(reference: Any, root: Mapping[str, Any]) -> Any:
    node: Any = root
    for token in str(reference).removeprefix("#").split("/")[1:]:
        node = node.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    return node
