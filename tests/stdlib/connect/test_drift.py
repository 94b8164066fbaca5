"""What a server's tools are told to differ in."""

from __future__ import annotations

import pytest

from stdlib.connect import drift
from stdlib.connect.listing import ListedTool, ServerListing
from stdlib.values.reworded import Steps

from .sources import scripted_source


def test_all_descriptions_of_a_server_share_their_steps(monkeypatch: pytest.MonkeyPatch):
    """They are compared on the loop that serves, so a thousand tools may not take a thousand times as long."""
    made: list[Steps] = []

    def counted(left: int) -> Steps:
        made.append(Steps(left))
        return made[-1]

    monkeypatch.setattr(drift, "Steps", counted)
    old, new = "x " + "a " * 990, "y " + " ".join(f"a c{n}" for n in range(300))
    tool = scripted_source().tools["read"]
    tools = {name: tool.model_copy(update={"name": name, "description": old}) for name in map(str, range(10))}
    offered = tuple(ListedTool(name, None, new, {}, None, None) for name in (*tools, "other"))
    told = drift.redescribed("test", tools, ServerListing("", "", "", offered))
    assert len(told) == 10
    assert all('"y a c0 a c1 ' in each for each in told)
    (steps,) = made
    assert -20 < steps.left <= 0
