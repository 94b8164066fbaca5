"""Names that chains cannot have because servers have tools of these names."""

from __future__ import annotations

from compiler.check.tool_names import OWN
from stdlib.serve.discovery import discovery_tools
from stdlib.serve.offer import handle_tools, resume_tool


def test_the_tools_of_servers_are_known():
    assert set(OWN) == {each.name for each in (*discovery_tools(), *handle_tools(), resume_tool())}
