"""A small bundle on disk, over the scripted server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.plan.catalogue import Catalogue, Entry
from stdlib.plan.document import to_text
from tests.stdlib.connect.sources import scripted_plan, scripted_source
from tests.stdlib.runtime.plans import chain, const, given, record, ref, step

ROOT = Path(__file__).resolve().parents[3]
SERVE = """
import sys
from pathlib import Path
from stdlib.serve import main
sys.exit(main(sys.argv[2:], Path(sys.argv[1])))
"""


def entry(one: p.Chain, output: Any, **more: Any) -> Entry:
    selection = {"title": one.id.title(), "description": f"Does {one.id}."} | more.pop("selection", {})
    return Entry.model_validate(
        {
            "id": one.id,
            "version": "1.0.0",
            "selection": selection,
            "input": {"schema": one.input_schema},
            "output": {"mode": one.output.mode, "kind": one.output.handle, "schema": output},
            "behaviour": {"read_only": True, "destructive": False, "idempotent": True, "open_world": False},
            "source": {"file": "test.chain", "line": 1},
        }
        | more
    )


def chains() -> list[tuple[p.Chain, Entry]]:
    """`echo` gives what it gets; `make` leaves a list under a handle, `count` takes it; `act` lets the server do
    things; `secret` is of another group."""
    any_value: dict[str, Any] = {"type": "object", "properties": {"value": {}}, "required": ["value"]}
    called = step("s", arguments={"do": const("echo"), "value": ref("value")})
    echo = chain("echo", called, output=ref("s"), inputs=(given("value"),), schema=any_value)
    make = chain(
        "make",
        output=ref("rows"),
        inputs=(given("rows"),),
        mode="handle",
        out={
            "handle": "rows",
            "summary": ex.Text(parts=("Rows: ", ex.Call(function="count", arguments={"of": ref("rows")}))),
        },
    )
    count = chain(
        "count",
        output=ex.Call(function="count", arguments={"of": ref("table")}),
        inputs=(given("table", handle="rows"), given("note", required=False)),
        wrapped=True,
        schema={"type": "integer"},
    )
    properties = {"table": {"type": "string"}, "note": {"type": "string"}}
    count = count.model_copy(
        update={"input_schema": {"type": "object", "properties": properties, "required": ["table"]}}
    )
    act = chain(
        "act",
        step("first", arguments={"do": const("echo"), "value": const(1)}),
        step("s", "first", arguments={"do": ref("do"), "ms": ref("ms"), "bytes": ref("bytes")}, timeout_ms=5000),
        output=record(s=ref("s")),
        inputs=(given("do"), given("ms", required=False), given("bytes", required=False)),
        schema={"type": "object", "properties": {"s": {}}},
    )
    secret = chain("secret", output=const(1), wrapped=True)
    return [
        (echo, entry(echo, any_value, selection={"groups": ["plain"]})),
        (make, entry(make, {"type": "array"}, selection={"groups": ["plain"], "stages": ["first"]})),
        (count, entry(count, {"type": "integer"}, selection={"groups": ["plain"], "stages": ["last"]})),
        (act, entry(act, act.output.json_schema)),
        (secret, entry(secret, {"type": "integer"}, selection={"groups": ["hidden"]})),
    ]


def write_bundle(folder: Path, *options: str) -> Path:
    """`plan.json`, `catalogue.json` and `openai.decoders.json`; `options` of the scripted server."""
    made = chains()
    plan = scripted_plan(scripted_source(*options, read={}), *(one for one, _ in made))
    catalogue = Catalogue(name="test", version="1.0.0", entries=tuple(told for _, told in made))
    (folder / "plan.json").write_text(to_text(plan))
    (folder / "catalogue.json").write_text(to_text(catalogue))
    program = {"root": {"kind": "record", "fields": {"value": {"value": {"kind": "json"}}}}}
    decoders = {"format": "chainc.decoders/1", "tools": {"echo": program}}
    (folder / "openai.decoders.json").write_text(json.dumps(decoders))
    return folder


def command(folder: Path, *options: str) -> list[str]:
    return [sys.executable, "-c", SERVE, str(folder), *options]


def start(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command(folder, *options), stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
