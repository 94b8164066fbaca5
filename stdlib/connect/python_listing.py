"""Which functions a Python module offers, found out in a process of its own, where it may do what it wants."""

from __future__ import annotations

import json
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from ..plan.plan import Python
from ..values.canonical import JsonError, read_json
from .functions import BadModule, load_functions
from .process import signal_name
from .program import Finished, run_program

MOST_BYTES = 16 << 20
log = logging.getLogger("chainc.connect")

# The child finds what we find, wherever we are installed and however we are called there.
_START = (
    "import importlib, json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "importlib.import_module(sys.argv[2]).main(json.loads(sys.argv[3]))"
)


@dataclass(frozen=True, slots=True)
class FunctionListing:
    """`tools` as offered, by the names of the Model Context Protocol; `left_out`: functions that are none, and why.
    `path`: where the module was found; None where it is no file."""

    tools: tuple[dict[str, Any], ...]
    left_out: dict[str, str]
    path: str | None = None


async def list_functions(source: Python, home: Path, *, timeout: float) -> FunctionListing:
    """Runs the module and describes its public functions. Raises BadModule; TimeoutError after `timeout` seconds."""
    request = json.dumps({"source": source.model_dump(), "home": str(home)})
    paths = json.dumps([each for each in sys.path if os.path.isabs(each)])
    # -P: what lies in the folder hides no module of Python's own.
    argv = [sys.executable, "-P", "-c", _START, paths, __name__, request]
    with anyio.fail_after(timeout):
        done = await run_program(argv, what="Python", env=os.environ, cwd=None, most_bytes=MOST_BYTES)
    log.debug("%s", done.stderr.decode("utf-8", "replace"))
    answer = _answer(done)
    if "problem" in answer:
        raise BadModule(answer["problem"], answer["line"])
    return FunctionListing(tuple(answer["tools"]), answer["left_out"], answer["path"])


def _answer(done: Finished) -> dict[str, Any]:
    """What `main` wrote, or what the module wrote in its place: that is looked at as a stranger's. Its texts are clean.
    Raises BadModule."""
    if done.too_large:
        raise BadModule(f"the list of its functions has more than {MOST_BYTES >> 20} MB")
    try:
        answer = read_json(done.stdout)
    except JsonError as error:
        if done.code or not done.stdout:
            raise BadModule(_how(done.code)) from None
        why = str(error)
        raise BadModule(f"the list of its functions cannot be read: {why[:1].lower()}{why[1:].rstrip('.')}") from None
    if not _is_answer(answer):
        raise BadModule("it wrote something else in place of the list of its functions")
    found: dict[str, Any] = answer
    return found


def _is_answer(answer: object) -> bool:
    match answer:
        case {"problem": str(), "line": int() | None, **rest}:
            return not rest
        case {"tools": list(tools), "left_out": dict(left_out), "path": str() | None, **rest}:
            reasons = all(isinstance(why, str) for why in left_out.values())
            named = all(isinstance(tool, dict) and isinstance(tool.get("name"), str) for tool in tools)
            return reasons and named and not rest
    return False


def _how(code: int) -> str:
    if code < 0:
        return f"it ended the program by {signal_name(-code)}"
    return f"it ended the program with exit code {code}"


def main(request: dict[str, Any]) -> None:
    """In the child: one JSON object to standard output, whatever the module prints; it does not wait for threads."""
    answers = os.dup(1)
    os.dup2(2, 1)
    source = Python.model_validate(request["source"])
    try:
        found = load_functions(source, Path(request["home"]))
        answer: dict[str, Any] = {
            "tools": [
                {
                    "name": each.name,
                    "description": each.description,
                    "inputSchema": each.input_schema,
                    "outputSchema": each.output_schema,
                }
                for each in found.tools.values()
            ],
            "left_out": dict(found.left_out),
            "path": found.path,
        }
    except BadModule as problem:
        answer = {"problem": problem.problem, "line": problem.line}
    with os.fdopen(answers, "wb") as out:
        out.write(json.dumps(answer).encode())
    os._exit(0)
