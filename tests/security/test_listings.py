"""Lists of tools that were written to do harm, from `chainc sync` to the artefacts: typed, or refused with a code, in
bounded time and memory."""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path

import pytest

from compiler import driver
from dsl.diagnostics import Sink
from tests.compiler.sources.projects import synced, told

from .hostile import listed, nested, taking, tools

MOST_SECONDS = 60.0
"""Of the processor; what goes wrong here takes minutes, or never ends."""
MOST_KILOBYTES = 600_000
"""By which the most memory that the process ever had may grow."""

_MANY = {f"p{n}": {"type": "string"} for n in range(100_000)}
_RECORD = {"type": "object", "properties": _MANY}
_FEWER = dict(list(_MANY.items())[:50_000])
_RESULT = {"type": "object", "properties": _FEWER, "required": list(_FEWER)}

REFUSED = {
    "nested 10,000 deep": (tools(taking(nested(10_000))), "E022"),
    "result nested 10,000 deep": (tools("{}", nested(10_000)), "E022"),
    "a million brackets": ('{"tools": ' + "[" * 1_000_000, "E022"),
    "10 MB of description": (tools(taking("{}"), description="x" * 10_000_000), "E0224"),
    "10 MB of a field's description": (tools(taking(json.dumps({"description": "x" * 10_000_000}))), "E0224"),
    "a reference in place of a schema": (tools('{"$ref": "#"}'), "E0222"),
    "a hidden sign in a nested field": (
        tools(taking('{"type": "object", "properties": {"x\\u202ey": {}}}')),
        "E0225",
    ),
    "a tag character in a field of the result": (
        tools(taking("{}"), '{"type": "object", "properties": {"x\\udb40\\udc41": {}}}'),
        "E0225",
    ),
    "an escape sequence as a name": (tools(taking("{}"), name="\x1b[2J"), "E0225"),
    "a name without end": (tools(taking("{}"), name="g" * 100_000), "E0225"),
}

LOCKED = {
    "a reference to itself": (tools(taking('{"$ref": "#/properties/a"}')), ["E0208"]),
    "references in a circle": (
        tools(
            '{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}},'
            ' "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}'
        ),
        ["E0208"],
    ),
    "a result that is a circle": (
        tools(taking("{}"), '{"type": "object", "allOf": [{"$ref": "#"}]}'),
        ["E0208"],
    ),
    "a reference to metadata of a cloud": (tools(taking('{"$ref": "http://169.254.169.254/latest"}')), ["E0208"]),
    "a reference to a file": (tools(taking('{"$ref": "file:///etc/passwd"}')), ["E0208"]),
    "100,000 parameters": (tools(json.dumps(_RECORD)), []),
    "50,000 fields of the result": (tools(taking("{}"), json.dumps(_RESULT)), []),
    "200,000 choices": (tools(taking(json.dumps({"enum": [str(n) for n in range(200_000)]}))), []),
    "a pattern that never ends": (tools(taking('{"type": "string", "pattern": "^(a+)+$"}')), []),
    "7 MB of description": (tools(taking("{}"), description="x" * 7_000_000), []),
    "one key twice": (
        tools('{"type": "object", "properties": {"a": {"type": "string"}, "a": {"type": "integer"}}}'),
        [],
    ),
}


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("attack", REFUSED)
def test_what_is_not_kept(tmp_path: Path, attack: str):
    text, code = REFUSED[attack]
    began = time.process_time()
    report, diagnostics = synced(listed(tmp_path, text))
    assert time.process_time() - began < MOST_SECONDS
    assert [each.outcome for each in report.sources] == ["failed"]
    (found,) = told(diagnostics)
    assert found[0].startswith(code), found
    assert found[1].isprintable()
    assert len(found[1]) < 1000
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("attack", LOCKED)
def test_what_is_kept_is_checked_and_built_in_bounded_time_and_memory(tmp_path: Path, attack: str):
    text, codes = LOCKED[attack]
    began, most = time.process_time(), _most_memory()
    report, diagnostics = synced(listed(tmp_path, text))
    assert ([each.outcome for each in report.sources], diagnostics) == (["new"], [])
    sink = Sink()
    made = driver.build(tmp_path, sink)
    assert time.process_time() - began < MOST_SECONDS
    assert _most_memory() - most < MOST_KILOBYTES
    assert sorted({code for code, _ in told(list(sink)) if code.startswith("E")}) == codes
    assert (made is None) == bool(codes)


def test_of_a_key_that_is_there_twice_all_stages_read_the_same(tmp_path: Path):
    """Readers of JSON differ in which of two they take: the lock holds one, and everything reads the lock."""
    synced(listed(tmp_path, LOCKED["one key twice"][0]))
    text = (tmp_path / "lock/s.json").read_text("utf-8")
    assert json.loads(text)["tools"][0]["offered"]["inputSchema"]["properties"] == {"a": {"type": "integer"}}
    assert text.count('"a": {') == 1
