"""Tools as clients see them in `tools/list`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..plan.catalogue import HANDLE_SCHEMA, Entry, wire_output_schema
from ..plan.plan import Effects, Plan
from ..values.digest import digest
from ..values.plain import MOST_DESCRIPTION, plain, plain_schema

if TYPE_CHECKING:
    import mcp_types as t

HANDLE_READ: Final = "handle_read"
HANDLE_DESCRIBE: Final = "handle_describe"
RESUME_RUN: Final = "resume_run"
READ: Final = Effects(read_only=True, idempotent=True, destructive=False, open_world=False)
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_HANDLE: Final = {"type": "string", "description": "The id of a handle."}
_TOTAL: Final = {"type": "integer", "minimum": 0}


@dataclass(frozen=True, slots=True)
class Primitive:
    """A tool of a source by its keys in the plan, and the name that clients call it by."""

    name: str
    source: str
    key: str


def chain_tool(entry: Entry) -> t.Tool:
    behaviour = entry.behaviour
    effects = Effects(
        read_only=behaviour.read_only,
        idempotent=behaviour.idempotent,
        destructive=behaviour.destructive,
        open_world=behaviour.open_world,
    )
    output = wire_output_schema(entry)
    return tool_of(entry.id, entry.selection.title, entry.prompt_text, entry.input.json_schema, output, effects)


def primitives(plan: Plan) -> tuple[Primitive, ...]:
    """Every tool that the plan's chains may call, once, as `SOURCE__TOOL`.

    Signs that names of tools cannot have become `_`. Where two tools would have one name, each ends in some digits of
    the digest of what it is really called: so neither is lost, and no third tool changes their names.
    """
    keys: dict[tuple[str, str], str] = {}
    for source, each in plan.sources.items():
        for key, tool in each.tools.items():
            keys.setdefault((source, tool.name), key)
    names = {full: re.sub(r"[^A-Za-z0-9_-]", "_", "__".join(full)) for full in keys}
    count = Counter(names.values())
    return tuple(
        Primitive(name if count[name] == 1 else f"{name}_{digest(list(full))[:8]}", full[0], keys[full])
        for full, name in names.items()
    )


def primitive_tool(plan: Plan, each: Primitive) -> t.Tool:
    """What its server says of it is read by models: nothing is hidden in it, and it has an end."""
    tool = plan.sources[each.source].tools[each.key]
    # A root that is no object would cost a client of the earlier era the whole list.
    output = tool.output_schema if (tool.output_schema or {}).get("type") == "object" else None
    title = f"{tool.name} of {each.source}"
    description = plain(tool.description, MOST_DESCRIPTION) or f"The tool `{tool.name}` of `{each.source}`, as it is."
    takes = {**plain_schema(tool.input_schema), "type": "object"}
    return tool_of(each.name, title, description, takes, plain_schema(output), tool.effects)


def handle_tools() -> tuple[t.Tool, ...]:
    """`handle_read` and `handle_describe`."""
    read_input = {
        "type": "object",
        "properties": {
            "handle": _HANDLE,
            "path": {
                "type": "string",
                "default": "",
                "description": "Where in the value, like `items[3].title`; left out: the whole value.",
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "The first item or character; of what is no text, or `raw`, the first byte.",
            },
            "limit": {"type": "integer", "minimum": 1, "description": "Most of them; fewer may fit."},
            "raw": {
                "type": "boolean",
                "default": False,
                "description": "Read the stored text itself, by bytes: for JSON that is too large to be decoded.",
            },
        },
        "required": ["handle"],
        "additionalProperties": False,
    }
    read_output = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "type": {"type": "string"},
            "total": _TOTAL,
            "offset": _TOTAL,
            "next_offset": {"anyOf": [_TOTAL, {"type": "null"}], "description": "Where the next page begins."},
            "items": {"type": "array", "description": "Of a list."},
            "text": {"type": "string", "description": "Of a text."},
            "base64": {"type": "string", "description": "Of what is no text."},
            "media": {"type": "string", "description": "The media type of a body that is kept as it came."},
            "value": {"description": "Any other value, where it fits."},
            "fields": {"type": "array", "description": "Of a record that does not fit: read them by their paths."},
            "too_large": {"type": "array", "description": "Items that do not fit: read them by their paths."},
        },
        "required": ["path", "type"],
    }
    handle: dict[str, Any] = HANDLE_SCHEMA["properties"]["handle"]
    describe_output = {
        "type": "object",
        "properties": {
            **{"handle": handle, "type": {"type": "string"}, "bytes": _TOTAL, "length": _TOTAL, "fields": {}},
            "media": {"type": "string"},
        },
        "required": ["handle", "type", "bytes"],
    }
    describe_input = {
        "type": "object",
        "properties": {"handle": _HANDLE},
        "required": ["handle"],
        "additionalProperties": False,
    }
    return (
        tool_of(
            HANDLE_READ,
            "Read a handle",
            "Read the value behind a handle, page by page. Lists and texts come from `offset` on; go on at "
            "`next_offset`.",
            read_input,
            read_output,
            READ,
        ),
        tool_of(
            HANDLE_DESCRIBE,
            "Describe a handle",
            "What is behind a handle: kind, summary, size, when it expires, and the fields to read.",
            describe_input,
            describe_output,
            READ,
        ),
    )


def resume_tool() -> t.Tool:
    """`resume_run`. What it gives is the result of the chain that waits, so it has no output schema of its own."""
    takes = {
        "type": "object",
        "properties": {
            "run": {"type": "string", "description": "The id of the run, from the fault `input_required`."},
            "answers": {
                "type": "object",
                "description": "What the user answered to questions, by step; null declines. Approvals are not given "
                "here: people give them.",
            },
        },
        "required": ["run"],
        "additionalProperties": False,
    }
    return tool_of(
        RESUME_RUN,
        "Resume a run",
        "Goes on with a run that waits for people: gives its result, or what is still awaited.",
        takes,
        None,
        Effects(),
    )


def tool_of(
    name: str, title: str, description: str, takes: dict[str, Any], gives: dict[str, Any] | None, effects: Effects
) -> t.Tool:
    import mcp_types as t

    return t.Tool(
        name=name,
        title=title,
        description=description,
        input_schema={"$schema": DIALECT, **takes},
        output_schema=None if gives is None else {"$schema": DIALECT, **gives},
        annotations=t.ToolAnnotations(
            title=title,
            read_only_hint=effects.read_only,
            destructive_hint=effects.destructive,
            idempotent_hint=effects.idempotent,
            open_world_hint=effects.open_world,
        ),
    )
