"""Tests of authors, put together by hand: what their texts cannot say everywhere."""

from __future__ import annotations

from typing import Any

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.plan import scenario as sc
from stdlib.runtime.load import load_plan
from stdlib.runtime.scenario import ScenarioResult, mentions, run_scenario
from stdlib.runtime.written import written

from .plans import AT, approve, chain, const, plan, ref, step

IS_NULL = ex.Compare(op="==", left=ref("output"), right=const(None), on="json")


def scenario(*given: sc.Given, expect: Any = None, **more: Any) -> sc.Scenario:
    expectation = sc.Expectation(condition=expect or const(True), text="it is so", origin=AT)
    return sc.Scenario(name="t", chain="c", given=given, expect=(expectation,), origin=AT, **more)


def given(reaction: Any, tool: str | None = None, step: str = "", **arguments: Any) -> sc.Given:
    target = sc.StepTarget(name=step) if tool is None else p.ToolTarget(source="test", name=tool)
    wanted = tuple(p.Argument(name=name, value=const(value)) for name, value in arguments.items()) or None
    return sc.Given(target=target, arguments=wanted, reaction=reaction, origin=AT)


def run(one: p.Chain, told: sc.Scenario) -> ScenarioResult:
    return run_scenario(load_plan(plan(one)), told)


def test_silence_of_a_person_may_be_given():
    one = chain("c", approve("go", on_expiry={"kind": "use", "value": const("late")}), output=ref("go"))
    is_late = ex.Compare(op="==", left=ref("output"), right=const("late"), on="text")
    assert run(one, scenario(given(sc.Fails(fault_class="timeout"), step="go"), expect=is_late)).passed


def test_null_fits_what_is_left_out():
    one = chain("c", step("a", arguments={"x": const(None)}), output=ref("a"))
    result = run(one, scenario(given(sc.Returns(value=const(None)), tool="read", x=None), expect=IS_NULL))
    assert result == ScenarioResult(True, (), None)


def test_an_unknown_class_of_faults_is_told():
    one = chain("c", step("a"), output=ref("a"))
    result = run(one, scenario(given(sc.Fails(fault_class="nonsense"), tool="read")))
    assert result.fault is not None
    assert "no class of faults `nonsense`" in result.failures[0].found


def test_what_cannot_be_calculated_fails_the_test():
    one = chain("c", output=const(1))
    broken = ex.Arithmetic(op="/", left=const(1), right=const(0))
    assert "it cannot be told" in run(one, scenario(expect=broken)).failures[0].found
    let = p.Let(name="x", value=broken, origin=AT)
    assert run(one, scenario(lets=(let,))).failures[0].text == "`c` to succeed"


def test_an_end_that_never_comes_by_itself_comes_by_the_clock():
    one = chain("c", step("a", retry={"count": 3, "wait_ms": 10_000}), output=ref("a"), budget={"time_ms": 15_000})
    result = run(one, scenario(given(sc.Fails(fault_class="unavailable"), tool="read")))
    assert result.fault is not None
    assert result.fault.message == "`c` did not finish within 15 s."


def test_names_are_found_however_deep():
    deep = ex.ListOf(items=(ex.Spread(value=ex.Not(operand=ref("fault"))),))
    assert mentions(deep, "fault")
    assert not mentions(deep, "output")


def test_nulls_that_a_tool_would_leave_out_are_left_out():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": ["string", "null"]},
            "list": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "one": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/item"}]},
            "need": {"type": "string"},
        },
        "required": ["need"],
        "$defs": {"item": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["y"]}},
    }
    value = {"a": None, "b": None, "need": "n", "list": [{"x": None, "y": None}], "one": {"x": None, "y": 1}}
    assert written(value, schema) == {"b": None, "need": "n", "list": [{"y": None}], "one": {"y": 1}}
    assert written({"need": None, "a": 1}, schema) == {"need": None, "a": 1}
