"""A small bundle that the tests of emitters share: three visible chains, one private, two sources."""

from typing import Any

from compiler.emit import Bundle
from compiler.project import Settings
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.plan import Plan

COUNT = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Folder to count in."},
        "since": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "most": {"type": "integer", "minimum": 1, "default": 10},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["path", "labels"],
    "additionalProperties": False,
}
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}


def chain(name: str, schema: dict[str, Any], output: dict[str, Any], /, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "input_schema": schema,
        "output": {"mode": "scalar", "value": {"kind": "const", "value": 1}, "schema": output},
        "origin": {"file": "chains/a.chain", "line": 3, "column": 1},
    } | more


def entry(name: str, schema: dict[str, Any], output: dict[str, Any], /, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "version": "1.0.0",
        "selection": {"title": name.replace("_", " ").capitalize()},
        "input": {"schema": schema},
        "output": {"mode": "scalar", "schema": output},
        "source": {"file": "chains/a.chain", "line": 3},
    } | more


def sample(**settings: Any) -> Bundle:
    number = {"type": "integer"}
    rows = {"type": "array", "items": {"type": "object", "properties": {"n": number}, "required": ["n"]}}
    show = {"type": "object", "properties": {"rows": {"type": "string"}}, "required": ["rows"]}
    server = {"transport": {"kind": "stdio", "command": "mcp-server-git", "env": ["GIT_TOKEN"]}, "tools": {}}
    remote = {"transport": {"kind": "http", "url": "https://x.example/mcp", "headers": {"A": "env:SEARCH_AUTH"}}}
    table = {"mode": "handle", "handle": "table", "value": {"kind": "const", "value": []}, "schema": rows}
    plan = Plan.model_validate(
        {
            "name": "sample-tools",
            "version": "1.2.3",
            "sources": {"git": server, "search": {**remote, "tools": {}}},
            "kinds": {"table": {"schema": rows}},
            "chains": {
                "count_words": chain("count_words", COUNT, number, wrapped=True),
                "collect": chain("collect", NOTHING, rows, output=table),
                "show_rows": chain(
                    "show_rows", show, number, inputs=[{"name": "rows", "required": True, "handle": "table"}]
                ),
                "inner": chain("inner", NOTHING, number, private=True),
            },
        }
    )
    words = {
        "title": "Count words",
        "description": "Counts the words of all files | in a folder.",
        "use_when": ["somebody asks how long a text is"],
        "not_when": ["the text is not in a file"],
        "examples": [{"request": "how long is the report", "arguments": {"path": "report", "labels": {}}}],
        "groups": ["text"],
        "stages": ["plan"],
    }
    catalogue = Catalogue.model_validate(
        {
            "name": "sample-tools",
            "version": "1.2.3",
            "entries": [
                entry("show_rows", show, number),
                entry(
                    "count_words",
                    COUNT,
                    number,
                    version="2.0.0",
                    owner="text team",
                    selection=words,
                    input={"schema": COUNT, "constraints": ["path must not be empty"]},
                    output={
                        "mode": "scalar",
                        "schema": number,
                        "bound": 64,
                        "empty": "no files",
                        "faults": [{"class": "precondition", "when": "path is empty"}],
                    },
                    behaviour={
                        "read_only": True,
                        "scopes": ["files:read"],
                        "approvals": ["editors"],
                        "budget": {"calls": 12, "seconds": 2.5},
                        "retries": "safe",
                    },
                    uses=[{"source": "git", "tool": "git_log", "schema": "9f1c0a7755aa00ff", "proof": "claimed"}],
                    deprecated={"reason": "Slow.", "since": "1.9.0", "use": "collect"},
                ),
                entry("collect", NOTHING, rows, output={"mode": "handle", "kind": "table", "schema": rows}),
                entry("inner", NOTHING, number),
            ],
        }
    )
    return Bundle(plan=plan, catalogue=catalogue, settings=Settings(name="sample-tools", version="1.2.3", **settings))
