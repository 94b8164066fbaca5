"""A server of tools that does what its arguments say: answers, errors, silence, garbage, sudden death.

Run as a program it speaks the protocol over stdio with nothing but the standard library, so it starts at once. Every
tool (`read`, `put`, `write`) takes `do` and what that needs:

    echo value | text text | texts texts | result result (the raw result) | error message | refuse message
    hang | slow ms value | size bytes | garbage text [then] | stderr lines | exit code | kill | surrogate
    twice value | stranger [then] (an id that nobody waits for) | odd (its own id, but neither result nor error)
    half (of a message, then it ends) | drip value (byte by byte) | trickle (a byte now and then, for ever)
    literal text (JSON as it stands for the value) | flood count value (notifications before the answer)
    asks method (of its client, in the call; the value is what that answered)
    asks_often count (at once; the value is how many answers it had) | asks_for_ever (and reads nothing any more)
    blanks (empty lines for ever)
    late value (answers when the next call comes) | turns turns (one of these a call; needs `--calls`)

Options: `--calls FILE` appends a line per call, `--offer FILE` a JSON object merged into every tool as it is offered
(to drift), `--loop` repeats a page of the list for ever, `--orphan FILE` leaves a child behind and writes its id,
`--deaf` does not end when it is asked to, `--slow-start` begins after a second.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

HINTS = {
    "read": {"readOnlyHint": True, "openWorldHint": False},
    "put": {"idempotentHint": True, "destructiveHint": False},
    "write": {},
}
INPUT = {"type": "object", "properties": {"do": {"type": "string"}}, "required": ["do"]}
OUT = threading.Lock()
LATE: list[tuple[Any, Any]] = []
ASKED: list[Any] = []
"""The call in which the client was asked something, once for each answer that is waited for."""
LEFT: list[Any] = []
"""The same, for those that have come."""
DEAF = threading.Event()
"""Set where nothing is read any more."""


def main(argv: list[str]) -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--calls")
    options.add_argument("--offer")
    options.add_argument("--loop", action="store_true")
    options.add_argument("--orphan")
    options.add_argument("--deaf", action="store_true")
    options.add_argument("--slow-start", action="store_true")
    given = options.parse_args(argv)
    if given.slow_start:
        time.sleep(1)
    if given.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if given.orphan:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdin=subprocess.DEVNULL)
        with open(given.orphan, "w") as file:
            file.write(str(child.pid))
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if DEAF.is_set():
            time.sleep(600)
        if "id" in message and "method" not in message and len(ASKED) > 1:
            LEFT.append(ASKED.pop())
        elif "id" in message and "method" not in message and LEFT:
            echo(ASKED.pop(), len(LEFT) + 1)
            LEFT.clear()
        elif "id" in message and "method" not in message:
            echo(ASKED.pop(), "a result" if "result" in message else message["error"]["code"])
        elif "id" in message:
            threading.Thread(target=serve, args=(message, given), daemon=True).start()
    if given.deaf:
        time.sleep(60)


def serve(message: dict[str, Any], given: argparse.Namespace) -> None:
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        answer = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }
        reply(message["id"], answer)
    elif method == "tools/list":
        reply(message["id"], {"tools": offered(given), **({"nextCursor": "again"} if given.loop else {})})
    elif method == "tools/call":
        if given.calls:
            with open(given.calls, "a") as file:
                file.write(params["name"] + " " + json.dumps(params.get("arguments", {})) + "\n")
        for call, value in LATE:
            echo(call, value)
        LATE.clear()
        arguments = params.get("arguments") or {}
        if arguments["do"] == "turns":
            with open(given.calls) as file:
                arguments = arguments["turns"][len(file.readlines()) - 1]
        act(message["id"], arguments)
    else:
        write({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


def offered(given: argparse.Namespace) -> list[dict[str, Any]]:
    change: dict[str, Any] = {}
    if given.offer and os.path.exists(given.offer):
        with open(given.offer) as file:
            change = json.load(file)
    return [{"name": name, "inputSchema": INPUT, "annotations": hints} | change for name, hints in HINTS.items()]


def act(call: Any, arguments: dict[str, Any]) -> None:
    do = arguments["do"]
    if do == "echo":
        echo(call, arguments.get("value"))
    elif do == "text":
        reply(call, {"content": [text(arguments["text"])]})
    elif do == "texts":
        reply(call, {"content": [text(each) for each in arguments["texts"]]})
    elif do == "result":
        reply(call, arguments["result"])
    elif do == "error":
        reply(call, {"content": [text(arguments["message"])], "isError": True})
    elif do == "refuse":
        error = {"code": -32603, "message": arguments["message"]}
        write({"jsonrpc": "2.0", "id": call, "error": error})
    elif do == "slow":
        time.sleep(arguments["ms"] / 1000)
        echo(call, arguments.get("value"))
    elif do == "size":
        reply(call, {"content": [text("x" * arguments["bytes"])]})
    elif do == "garbage":
        raw(arguments["text"].encode() + b"\n")
        if "then" in arguments:
            echo(call, arguments["then"])
    elif do == "stderr":
        for number in range(arguments["lines"]):
            print(f"line {number} " + "y" * 200, file=sys.stderr)
        echo(call, "told")
    elif do == "exit":
        os._exit(arguments["code"])
    elif do == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif do == "twice":
        echo(call, arguments["value"])
        echo(call, "the second answer")
    elif do == "stranger":
        echo(987654321, "nobody asked for this")
        if "then" in arguments:
            echo(call, arguments["then"])
    elif do == "odd":
        write({"jsonrpc": "2.0", "id": call})
        write({"jsonrpc": "2.0", "id": call, "error": "not an object"})
    elif do == "half":
        raw(json.dumps({"jsonrpc": "2.0", "id": call, "result": {"content": []}}).encode()[:40])
        os._exit(0)
    elif do == "drip":
        answer = {
            "jsonrpc": "2.0",
            "id": call,
            "result": {"content": [], "structuredContent": {"value": arguments["value"]}},
        }
        for byte in json.dumps(answer).encode() + b"\n":
            raw(bytes([byte]))
    elif do == "trickle":
        while True:
            raw(b" ")
            time.sleep(0.02)
    elif do == "literal":
        whole = json.dumps({"jsonrpc": "2.0", "id": call, "result": {"content": [], "structuredContent": {"value": 0}}})
        before, after = whole.rsplit("0", 1)
        raw((before + arguments["text"] + after).encode() + b"\n")
    elif do == "flood":
        for number in range(arguments["count"]):
            params = {"level": "info", "data": f"{number} " + "z" * 200}
            write({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
        echo(call, arguments["value"])
    elif do == "asks":
        ASKED.append(call)
        write({"jsonrpc": "2.0", "id": "asked", "method": arguments["method"], "params": {}})
    elif do == "asks_often":
        ASKED.extend([call] * arguments["count"])
        asked = [{"jsonrpc": "2.0", "id": f"asked {n}", "method": "roots/list"} for n in range(arguments["count"])]
        raw(b"".join(json.dumps(each).encode() + b"\n" for each in asked))
    elif do == "asks_for_ever":
        DEAF.set()
        while True:
            write({"jsonrpc": "2.0", "id": "asked", "method": "elicitation/create", "params": {"message": "m" * 500}})
    elif do == "blanks":
        while True:
            raw(b"\n" * 10_000)
    elif do == "late":
        LATE.append((call, arguments["value"]))
    elif do == "surrogate":
        answer = {"content": [text("bad \ud800 good")]}
        raw(json.dumps({"jsonrpc": "2.0", "id": call, "result": answer}).encode() + b"\n")


def echo(call: Any, value: Any) -> None:
    reply(call, {"content": [], "structuredContent": {"value": value}})


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def reply(call: Any, result: dict[str, Any]) -> None:
    write({"jsonrpc": "2.0", "id": call, "result": result})


def write(message: dict[str, Any]) -> None:
    raw(json.dumps(message).encode() + b"\n")


def raw(line: bytes) -> None:
    with OUT:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
