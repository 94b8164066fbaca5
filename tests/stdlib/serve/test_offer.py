"""Names of primitive tools."""

from stdlib.plan.plan import Plan
from stdlib.plan.source import Source, Std, Tool
from stdlib.serve.offer import primitives


def names(**sources: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Name → source and key, of a plan with these sources; their tools' names by key."""
    made = {
        source: Source(
            kind="std",
            transport=Std(name=source),
            tools={key: Tool(name=name, input_schema={"type": "object"}, digest="") for key, name in tools.items()},
        )
        for source, tools in sources.items()
    }
    return {each.name: (each.source, each.key) for each in primitives(Plan(name="p", version="1.0.0", sources=made))}


def test_a_tool_is_offered_once_under_its_source():
    assert names(a={"x": "x", "x#2": "x", "y.z": "y.z"}) == {"a__x": ("a", "x"), "a__y_z": ("a", "y.z")}


def test_two_tools_of_one_name_are_both_offered():
    found = names(a={"b__c": "b__c", "d": "d"}, a__b={"c": "c"})
    assert set(found.values()) == {("a", "b__c"), ("a", "d"), ("a__b", "c")}
    assert found["a__d"] == ("a", "d")
    assert "a__b__c" not in found
    # What else is offered, and in which order, changes nothing.
    assert names(a__b={"c": "c"}, a={"b__c": "b__c"}) == {n: each for n, each in found.items() if n != "a__d"}
