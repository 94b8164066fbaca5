"""Tools that are found instead of listed, where there are many: `find_tools` and `describe_tool`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..runtime.fault import Fault
from .answers import fault_answer, value_answer
from .offer import READ, tool_of
from .session import VisibleSet

if TYPE_CHECKING:
    import mcp_types as t

FIND: Final = "find_tools"
DESCRIBE: Final = "describe_tool"
USUAL: Final = 5
MOST: Final = 20
QUERY_MOST: Final = 2000
"""Most characters of a query that count."""
_SHOWN: Final = 400

_FIND_INPUT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "description": "What is to be done, in a sentence or in words."},
        "k": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST,
            "default": USUAL,
            "description": "Most tools to give.",
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}
_FOUND: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Call it by this name."},
        "title": {"type": "string"},
        "description": {"type": "string"},
        "line": {"type": "string", "description": "Its parameters; with `?` where they may be left out."},
    },
    "required": ["name", "title", "description", "line"],
    "additionalProperties": False,
}
_FIND_OUTPUT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"tools": {"type": "array", "items": _FOUND, "description": "Best first."}},
    "required": ["tools"],
    "additionalProperties": False,
}
_DESCRIBE_INPUT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1, "description": "As find_tools gives it."}},
    "required": ["name"],
    "additionalProperties": False,
}
_DESCRIBE_OUTPUT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "tool": {"type": "object", "description": "The tool as a list would have it, with its schemas and hints."}
    },
    "required": ["tool"],
    "additionalProperties": False,
}


def discovery_tools() -> tuple[t.Tool, ...]:
    return (
        tool_of(
            FIND,
            "Find tools",
            "There are more tools here than are listed. Finds those that fit what is to be done; then call them by "
            "their names.",
            _FIND_INPUT,
            _FIND_OUTPUT,
            READ,
        ),
        tool_of(
            DESCRIBE,
            "Describe a tool",
            "Everything about one tool: when to use it, and the schemas of its arguments and its result.",
            _DESCRIBE_INPUT,
            _DESCRIBE_OUTPUT,
            READ,
        ),
    )


def find_tools(visible: VisibleSet, arguments: dict[str, Any]) -> t.CallToolResult:
    """Null for `k` is the same as left out."""
    query, k = arguments.get("query"), arguments.get("k")
    k = USUAL if k is None else k
    wrong = _unknown_input(arguments, ("query", "k"))
    if wrong is None and (not isinstance(query, str) or not query.strip()):
        wrong = "`query` must be a text that says what is to be done."
    if wrong is None and (not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= MOST):
        wrong = f"`k` must be a whole number from 1 to {MOST}."
    if wrong is not None:
        return fault_answer(Fault("invalid_input", wrong))
    assert isinstance(query, str), "checked above"
    found = [visible.tools[name] for name in visible.index.find(query[:QUERY_MOST], k)]
    told = [
        {"name": each.name, "title": each.tool.title or "", "description": _short(each.description), "line": each.line}
        for each in found
    ]
    return value_answer({"tools": told})


def describe_tool(visible: VisibleSet, own: dict[str, t.Tool], arguments: dict[str, Any]) -> t.CallToolResult:
    """The tool, or the same fault for one that is not visible and for one that is not there."""
    name = arguments.get("name")
    wrong = _unknown_input(arguments, ("name",))
    if wrong is None and (not isinstance(name, str) or not name):
        wrong = "`name` must be the name of a tool."
    if wrong is not None:
        return fault_answer(Fault("invalid_input", wrong))
    assert isinstance(name, str), "checked above"
    tool = visible.tools[name].tool if name in visible.tools else own.get(name)
    if tool is None:
        return fault_answer(unknown_tool(name, f"Search with {FIND}."))
    return value_answer({"tool": tool.model_dump(mode="json", by_alias=True, exclude_none=True)})


def unknown_tool(name: str, advice: str | None = None) -> Fault:
    """For a name that means nothing to whoever says it, whether or not it means something to others."""
    return Fault("unknown_tool", f"There is no tool `{name[:80]}` here.", next=advice)


def _unknown_input(arguments: dict[str, Any], known: tuple[str, ...]) -> str | None:
    name = next((name for name in arguments if name not in known), None)
    return None if name is None else f"There is no input `{name[:80]}`; there are: {', '.join(known)}."


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
