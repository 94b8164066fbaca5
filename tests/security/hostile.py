"""A server of tools over stdio whose list of tools is sent as it stands in a file, and projects that import it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.compiler.sources.projects import project

SERVER = r"""
import json, sys
tools = open(sys.argv[1], "rb").read()
answer = open(sys.argv[2], "rb").read()
info = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {"initialize": json.dumps(info).encode(), "tools/list": tools, "tools/call": answer}.get(message["method"])
    out = b'{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (json.dumps(message["id"]).encode(), result or b"{}")
    sys.stdout.buffer.write(out)
    sys.stdout.buffer.flush()
"""

CHAIN = """import s from mcp "s"

/// Gets it.
chain fetch {
  step got = s.get()

  output json = got
}
"""

ANSWER = '{"content": [{"type": "text", "text": "fine"}]}'


def listed(root: Path, tools: str, *, answer: str = ANSWER, chain: str = CHAIN) -> Path:
    """A project over a server that answers `tools/list` with the text `tools`, and each call with `answer`."""
    files = {"server.py": SERVER, "tools.json": tools, "answer.json": answer, "chains/a.chain": chain}
    command = f'{{ command = "{sys.executable}", args = ["server.py", "tools.json", "answer.json"] }}'
    return project(root, files, f"[sources.s]\nmcp = {command}\n")


def tools(takes: str, gives: str = "", **more: Any) -> str:
    """A list with the tool `get`; schemas are texts, so that they may be what no writer of JSON makes."""
    own = json.dumps({"name": "get", "annotations": {"readOnlyHint": True}, "description": "Gets.", **more})
    result = f', "outputSchema": {gives}' if gives else ""
    return f'{{"tools": [{own[:-1]}, "inputSchema": {takes}{result}}}]}}'


def taking(schema: str) -> str:
    """An input schema with the parameter `a`."""
    return f'{{"type": "object", "properties": {{"a": {schema}}}}}'


def nested(levels: int) -> str:
    return '{"type": "array", "items": ' * levels + "{}" + "}" * levels
