"""The tool specifications of the corpus, each kind in its own dialect, as the JSON Schemas of locked tools.

Nothing is added to a specification and nothing is taken from what it says: words that no JSON Schema knows become the
words that mean the same, and a type that is none (`file`) becomes no type at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from compiler.project import Annotations, LockedSource, LockedTool, StdioServer
from tests.corpus import load

Schema = dict[str, Any]

READS = Annotations(read_only=True, idempotent=True, destructive=False, open_world=True)

_TYPES = {
    "dict": {"type": "object"},
    "float": {"type": "number"},
    "file": {},
    "Date (yyyy-mm-dd)": {"type": "string", "format": "date"},
}
_KEPT = ("description", "default", "format", "minimum", "maximum")


@dataclass(frozen=True, slots=True)
class Tool:
    """What a specification says of one tool. `result` is None where it says nothing about results."""

    source: str
    name: str
    takes: Schema = field(repr=False)
    result: Schema | None = field(repr=False)
    reads: bool = False

    @property
    def parameters(self) -> dict[str, Schema]:
        found: dict[str, Schema] = self.takes.get("properties", {})
        return found

    @property
    def required(self) -> list[str]:
        found: list[str] = self.takes.get("required", [])
        return found


Tools = Mapping[str, Tool]
"""By the name that the graphs of one origin call them."""


def specifications() -> dict[str, Tools]:
    """The tools of every origin of graphs (`source` in `graphs.jsonl`)."""
    found: dict[str, Tools] = {}
    for origin, tools in load("nestful_specs.json").items():
        found[origin] = _by_name(_queried(origin.replace("-", "_"), tool) for tool in tools)
    found["complexfuncbench"] = _by_name(_queried("booking", t) for t in load("complexfuncbench_specs.json"))
    # A few tools of the memory interfaces share their names; no graph calls them, and the first one stands.
    found["bfcl-multiturn"] = _by_name(_declared(t["api"], t) for t in load("bfcl_specs.json"))
    found["tau2-retail"] = _by_name(_declared("retail", t) for t in load("tau2_retail_tools.json"))
    return found


def locked(specified: Mapping[str, Tools]) -> dict[str, LockedSource]:
    """The sources of a project that offers all of these tools."""
    by_source: dict[str, dict[str, LockedTool]] = {}
    for tools in specified.values():
        for tool in tools.values():
            by_source.setdefault(tool.source, {})[tool.name] = LockedTool(
                name=tool.name,
                alias="".join(c if c.isalnum() or c == "_" else "_" for c in tool.name),
                description="",
                input_schema=tool.takes,
                output_schema=tool.result,
                annotations=READS if tool.reads else None,
                digest="",
            )
    return {name: LockedSource(name, "mcp", StdioServer("none"), name, tools) for name, tools in by_source.items()}


def _by_name(tools: Any) -> Tools:
    found: dict[str, Tool] = {}
    for tool in tools:
        found.setdefault(tool.name, tool)
    return found


def _queried(source: str, tool: dict[str, Any]) -> Tool:
    """The dialect with `query_parameters`: each says of itself whether it is required. GET only reads."""
    given = tool["query_parameters"]
    takes = {
        "type": "object",
        "properties": {name: schema(parameter) for name, parameter in given.items()},
        "required": [name for name, parameter in given.items() if parameter.get("required") is True],
    }
    gives = tool.get("output_parameters")
    result = {"type": "object", "properties": {n: schema(s) for n, s in gives.items()}} if gives else None
    return Tool(source, tool["name"], takes, result, reads=tool.get("method") == "GET")


def _declared(source: str, tool: dict[str, Any]) -> Tool:
    """The dialect with `parameters` and `response`."""
    response = tool.get("response")
    return Tool(source, tool["name"], schema(tool["parameters"]), schema(response) if response else None)


def schema(given: Any) -> Schema:
    """One schema of any dialect as JSON Schema. Empty lists, objects and nulls stand for what is not said."""
    if isinstance(given, str):
        given = {"type": given}
    kind = given.get("type")
    made: Schema = dict(_TYPES.get(kind, {"type": kind})) if isinstance(kind, str) else {"type": kind} if kind else {}
    made |= {key: given[key] for key in _KEPT if given.get(key) is not None}
    choices = given.get("enum") or given.get("allowed_values")
    if choices:
        made["enum"] = choices
    if given.get("properties"):
        made["properties"] = {name: schema(each) for name, each in given["properties"].items()}
    if isinstance(given.get("required"), list) and given["required"]:
        made["required"] = given["required"]
    items = given.get("items")
    if items:
        made["items"] = [schema(each) for each in items] if isinstance(items, list) else schema(items)
    for key in ("anyOf", "oneOf", "allOf"):
        if given.get(key):
            made[key] = [schema(each) for each in given[key]]
    return made
