"""How a tool that a server offers differs from the one that the chains were checked against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..plan.plan import Tool
from ..values.digest import digest
from ..values.reworded import Steps, reworded
from .listing import ListedTool, ServerListing

_MOST_TOLD: Final = 200
"""Characters of a description in the log, as it is and as it was."""
_MOST_STEPS: Final = 500_000
"""Of all descriptions of a server: they are compared while others wait."""


def drifted(tools: Mapping[str, Tool], listing: ServerListing) -> dict[str, str]:
    """The tools that a server no longer offers as locked, by their keys in the plan, and how they differ."""
    live = {each.name: each for each in listing.tools}
    found = {key: drift(tool, live.get(tool.name)) for key, tool in tools.items()}
    return {key: told for key, told in found.items() if told is not None}


def redescribed(name: str, tools: Mapping[str, Tool], listing: ServerListing) -> list[str]:
    """What the log is told of tools whose server describes them in other words than when they were locked. That is no
    drift: whoever is shown such a tool reads what was locked. `name`: of the source."""
    live = {each.name: each.description for each in listing.tools}
    steps = Steps(_MOST_STEPS)
    changed = {
        tool.name: reworded(tool.description, live[tool.name], _MOST_TOLD, steps)
        for tool in tools.values()
        if tool.name in live
    }
    return [
        f"the server of `{name}` describes `{tool}` in other words than those that were locked and that models read: "
        f"{words}; `chainc sync` shows what changed"
        for tool, words in changed.items()
        if words
    ]


def drift(locked: Tool, live: ListedTool | None) -> str | None:
    """None where the tool is as locked; else what differs, as the end of a sentence that begins with the tool."""
    if live is None:
        return "is not offered any more"
    if live.digest == locked.digest:
        return None
    changes = [*_changes("input", locked.input_schema, live.input_schema)]
    if locked.output_schema is None or live.output_schema is None:
        if (locked.output_schema is None) != (live.output_schema is None):
            changes.append("has an output schema now" if live.output_schema else "has no output schema any more")
    else:
        changes += _changes("output", locked.output_schema, live.output_schema)
    return "; ".join(changes) or "has another schema"


def _changes(side: str, locked: dict[str, Any], live: dict[str, Any]) -> Iterable[str]:
    if digest(locked) == digest(live):
        return
    old, new = locked.get("properties", {}), live.get("properties", {})
    lost = [name for name in old if name not in new]
    gained = [name for name in new if name not in old]
    changed = [name for name in old if name in new and digest(old[name]) != digest(new[name])]
    required = [name for name in live.get("required", []) if name not in locked.get("required", [])]
    optional = [name for name in locked.get("required", []) if name not in live.get("required", []) and name in new]
    told = False
    for words, names in (
        (f"lost the {side}", lost),
        (f"has the new {side}", gained),
        (f"changed the {side}", changed),
        (f"requires the {side}", [name for name in required if name not in gained]),
        (f"does not require the {side}", optional),
    ):
        if names:
            told = True
            yield f"{words} {', '.join(f'`{name}`' for name in names)}"
    if not told:
        yield f"changed its {side} schema"
