"""Tools whose results are handles, from the import to the result."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.compiler.sources.projects import called, checked, compiled, project, synced

PARTS = '''
from collections.abc import Iterator

def page(lines: int) -> Iterator[str]:
    """A page, line by line."""
    for n in range(lines):
        yield f"{n}\\n"

def blob(size: int) -> Iterator[bytes]:
    for _ in range(size):
        yield b"\\0" * 1000
'''
COUNT = "import sys; print(len(sys.stdin.buffer.read()))"
CHAIN = f"""
import parts from python "./parts.py" {{
  tool page returns handle<text> {{ effects read_only }}
  tool blob returns handle<file> {{ effects read_only }}
}}
import python3 from command "{Path(sys.executable).name}" {{
  tool count takes {{ page: string }} returns handle<number_of_bytes> {{
    effects read_only
    run ["-c", {COUNT!r}]
    stdin page
  }}
  tool count_bytes takes {{ packed: bytes }} returns integer {{
    effects read_only
    run ["-c", {COUNT!r}]
    stdin packed
    parse json
  }}
}}

kind text = string
kind file = bytes
kind number_of_bytes = integer

/// Keeps a page.
chain keep {{
  input lines: integer
  step got = parts.page(lines: lines)
  output handle<text> = got {{ summary "${{lines}} lines." }}
}}

/// Counts what it is given, and what it makes.
chain counted {{
  input start: handle<text>
  step made = parts.blob(size: 300)
  step given_bytes = python3.count(page: start)
  step made_bytes = python3.count_bytes(packed: made)
  output = {{ start: given_bytes, made: made_bytes }}
}}

/// Looks into the page.
chain first_line {{
  step got = parts.page(lines: 3)
  output string = first(lines(got)) ?? ""
}}
""".replace("'", '"')


def test_from_the_import_to_the_result(tmp_path: Path):
    project(tmp_path, {"chains/a.chain": CHAIN, "chains/parts.py": PARTS})
    synced(tmp_path)
    assert checked(tmp_path) == []
    plan = compiled(tmp_path)
    tools = {name: tool for source in plan.sources.values() for name, tool in source.tools.items()}
    assert {name: tool.handle for name, tool in tools.items()} == {
        **{"page": "text", "blob": "file", "count": "number_of_bytes", "count_bytes": None},
    }
    assert tools["page"].result_schema == {"type": "string"}
    assert tools["page"].parse is tools["count"].parse is None
    kept = called(tmp_path, "keep", lines=1000)
    assert kept.fault is None
    assert kept.handle is not None
    assert (kept.handle.kind, kept.handle.bytes, kept.summary) == ("text", 3890, "1000 lines.")
    assert called(tmp_path, "first_line").value == "0"
    made = called(tmp_path, "counted", start="h_none")
    assert made.fault is not None
    assert made.fault.fault_class == "handle_denied"
