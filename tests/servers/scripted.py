"""A server of tools over stdio that misbehaves as it is told: JSON-RPC by hand, nothing but Python's own library.

`python scripted.py SCRIPT`: SCRIPT is JSON or the path of a JSON file, with

- `tools`: what `tools/list` answers, one page (default: the tool `echo`),
- `start`: `exit` (code 3 at once), `hang` (never answers), `garbage` (answers every line with text that is no message),
- `list`: `hang`, `garbage`, `repeat` (the same page for ever), `forever` (ever new pages), `refuse` (an error), or a
  number: so many bytes of description in one more tool,
- `call`: `hang`, `garbage`, `die` (killed in the call), `error` (isError), `refuse` (an error of the protocol), or a
  number: so many bytes of text; without it a call answers with its arguments,
- `server`: name and version that it gives itself.

It speaks the protocol with a handshake (2025-06-18); other methods are unknown to it.
"""

import json
import os
import signal
import sys
import time
from typing import Any

ECHO = {
    "name": "echo",
    "description": "Gives back its arguments.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "annotations": {"readOnlyHint": True},
}
GARBAGE = "Loading model, please wait…"


def main() -> None:
    argument = sys.argv[1] if len(sys.argv) > 1 else "{}"
    if not argument.lstrip().startswith("{"):
        with open(argument, encoding="utf-8") as file:
            argument = file.read()
    script: dict[str, Any] = json.loads(argument)
    start = script.get("start")
    if start == "exit":
        print("cannot find the database", file=sys.stderr)
        sys.exit(3)
    for line in sys.stdin.buffer:
        if start == "hang":
            continue
        if start == "garbage":
            write(GARBAGE)
            continue
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer(script, message)


def answer(script: dict[str, Any], message: dict[str, Any]) -> None:
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        name, version = script.get("server", ["scripted", "1.0"])
        capabilities: dict[str, Any] = {"tools": {}}
        info = {"name": name, "version": version}
        result(message, {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info})
    elif method == "tools/list":
        listing(script, message, params)
    elif method == "tools/call":
        call(script.get("call"), message, params)
    elif method == "ping":
        result(message, {})
    else:
        refuse(message, -32601, "Method not found")


def listing(script: dict[str, Any], message: dict[str, Any], params: dict[str, Any]) -> None:
    how = script.get("list")
    tools = script.get("tools", [ECHO])
    if how == "hang":
        time.sleep(600)
    elif how == "garbage":
        write(GARBAGE)
    elif how == "refuse":
        refuse(message, -32603, "No tools today")
    elif how in ("repeat", "forever"):
        page = int(params.get("cursor") or 0)
        result(message, {"tools": tools if page == 0 else [], "nextCursor": "0" if how == "repeat" else str(page + 1)})
    elif isinstance(how, int):
        result(message, {"tools": [*tools, {**ECHO, "name": "large", "description": "x" * how}]})
    else:
        result(message, {"tools": tools})


def call(how: Any, message: dict[str, Any], params: dict[str, Any]) -> None:
    if how == "hang":
        time.sleep(600)
    elif how == "garbage":
        write(GARBAGE)
    elif how == "die":
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    elif how == "refuse":
        refuse(message, -32602, f"Unknown tool: {params.get('name')}")
    else:
        text = "x" * how if isinstance(how, int) else json.dumps(params.get("arguments") or {})
        result(message, {"content": [{"type": "text", "text": text}], "isError": how == "error"})


def result(message: dict[str, Any], value: dict[str, Any]) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": value}))


def refuse(message: dict[str, Any], code: int, text: str) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}}))


def write(text: str) -> None:
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
