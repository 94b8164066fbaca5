"""Every tool of the corpus can be read; what the language cannot say of them is counted."""

from collections import Counter

import pytest

from compiler.types.from_schema import BadSchema, from_schema, parameters
from tests import corpus

FILES = {"tools-github-mcp-server.json": 53, "tools-livemcpbench.json": 261, "tools-live-servers.json": 137}


@pytest.mark.parametrize("name", FILES)
def test_real_tools_are_read_and_nearly_all_of_them_wholly(name):
    tools = corpus.load(name)["tools"]
    assert len(tools) == FILES[name]
    notes: Counter[str] = Counter()
    whole = 0
    for tool in tools:
        takes = parameters(tool["inputSchema"])
        gives = from_schema(tool.get("outputSchema") or {})
        assert not isinstance(takes, BadSchema), (tool["name"], takes)
        assert not isinstance(gives, BadSchema), (tool["name"], gives)
        found = [note.why for note in (*takes.notes, *gives.notes)]
        notes.update(found)
        whole += not found
    assert len(tools) - whole <= 3, notes
