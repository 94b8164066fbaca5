"""Arguments from clients and arguments for calls."""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio
import pytest

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.runtime.arguments import check_arguments, record_of, resolve_handles
from stdlib.runtime.fault import RunFault
from stdlib.runtime.held import Held
from stdlib.runtime.load import LoadedChain, load_plan
from stdlib.runtime.principal import Owner
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.memory import MemoryStore

from .plans import Hand, chain, const, given, plan, record, ref, step

SCHEMA = {
    "type": "object",
    "properties": {
        "repo": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "since": {"type": "string", "format": "date-time"},
        "table": {"type": "string"},
    },
    "required": ["repo"],
    "additionalProperties": False,
}
INPUTS = (
    given("repo"),
    given("count", required=False, default=const(5)),
    given("note", required=False, nullable=True),
    given("since", required=False),
    given("table", required=False, handle="rows"),
)


def loaded() -> LoadedChain:
    one = chain("c", output=const(1), inputs=INPUTS).model_copy(update={"input_schema": SCHEMA})
    return load_plan(plan(one)).chains["c"]


def accept(strict: bool = False, **arguments: Any) -> dict[str, Any]:
    return check_arguments(loaded(), record_of(arguments), strict_nulls=strict)


def refused(action: Any) -> str:
    with pytest.raises(RunFault) as found:
        action()
    assert found.value.fault.fault_class == "invalid_input"
    return found.value.fault.message


def test_good_arguments_pass_and_bad_ones_are_told():
    assert accept(repo="a", count=2, note=None, since="2026-06-01T00:00:00Z")["count"] == 2
    assert refused(partial(accept, repo="a", count=0)) == "`count` is 0, less than allowed (min: 1)."
    assert refused(partial(accept, repo=7)) == "`repo` is integer, not string: 7."
    assert "`since` is no timestamp" in refused(partial(accept, repo="a", since="yesterday"))
    assert refused(partial(accept)) == "`c` needs the input `repo`."
    assert "has no input `repos`" in refused(partial(accept, repo="a", repos=1))
    assert "no record" in refused(lambda: record_of([1]))


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_is_no_json_is_the_mistake_of_the_caller(value: float):
    with pytest.raises(RunFault) as found:
        accept(title=value)
    assert found.value.fault.fault_class == "invalid_input"
    assert "not finite" in found.value.fault.message


def test_null_of_what_may_be_left_out_is_dropped_for_strict_clients_only():
    assert accept(strict=True, repo="a", count=None, note=None, since=None) == {"repo": "a", "note": None}
    assert refused(partial(accept, repo="a", count=None)) == "`count` is null, not integer."
    assert "`repo`" in refused(partial(accept, strict=True, repo=None))


def test_a_handle_becomes_the_value_that_it_stands_for():
    anyio.run(_handles_become_values)


async def _handles_become_values() -> None:
    handles, owner = MemoryStore().handles, Owner()
    rows = await handles.put(owner, Label("rows"), [1, 2])
    other = await handles.put(owner, Label("other"), [1, 2])
    foreign = await handles.put(Owner(principal="somebody else"), Label("rows"), [1, 2])
    wrong = await handles.put(owner, Label("rows"), [1, "2"])
    large = await handles.put(owner, Label("rows"), [1] * 100)
    given = accept(repo="a", table=rows.id)
    for output in (ref("table"), const(1)):
        one = chain("c", output=output, inputs=INPUTS).model_copy(update={"input_schema": SCHEMA})
        kinds = {"rows": p.Kind(json_schema={"type": "array", "items": {"type": "integer"}})}
        whole = load_plan(plan(one, kinds=kinds, limits=p.Limits(result_bytes=99)))
        resolved = partial(resolve_handles, whole, whole.chains["c"], handles=handles, owner=owner)
        found = (await resolved(given))["table"]
        is_read = output != const(1)
        assert found == ([1, 2] if is_read else Held.of(rows))
        assert isinstance(found, Held) is not is_read
        refused = {other.id: "handle_denied", "h_0": "handle_denied", foreign.id: "handle_denied"}
        if is_read:
            refused |= {wrong.id: "shape_mismatch", large.id: "result_too_large"}
        for handle_id, expected in refused.items():
            with pytest.raises(RunFault) as problem:
                await resolved(accept(repo="a", table=handle_id))
            assert problem.value.fault.fault_class == expected


def test_a_handle_is_handed_to_a_called_chain_as_its_value():
    inner = chain("inner", output=ref("table"), inputs=(given("table", handle="rows"),))
    inner = inner.model_copy(
        update={"input_schema": {"type": "object", "properties": {"table": {"type": "string"}}, "required": ["table"]}}
    )
    outer = chain("outer", step("a", chain="inner", arguments={"table": const([1, 2])}), output=ref("a"))
    assert Hand(outer, inner).start().value == [1, 2]


def test_refinements_of_a_called_chain_are_checked():
    inner = chain("inner", output=ref("n"), inputs=(given("n"),))
    inner = inner.model_copy(update={"input_schema": {"type": "object", "properties": {"n": {"maximum": 3}}}})
    fault = (
        Hand(chain("outer", step("a", chain="inner", arguments={"n": const(4)}), output=ref("a")), inner).start().fault
    )
    assert (fault.fault_class, fault.step) == ("invalid_input", "a")
    assert fault.message == "The arguments of `inner` do not fit: `n` is 4, more than allowed (max: 3)."


def test_null_is_sent_only_where_the_parameter_takes_it():
    call = p.CallPlan(
        target=p.ToolTarget(source="test", name="read"),
        arguments=(
            p.Argument(name="plain", value=const(None)),
            p.Argument(name="nullable", value=const(None), nullable=True),
            p.Argument(
                value=record(a=const(None), b=const(None), c=const(3), unseen=const(4)),
                fields=("a", "b", "c", "absent"),
                nullable_fields=("b",),
            ),
            p.Argument(value=const(None)),
            p.Argument(name="c", value=const(4)),
        ),
    )
    one = step("s").model_copy(update={"call": call})
    hand = Hand(chain("c", one, output=ref("s"))).start()
    assert hand.starts["s#1"].arguments == {"nullable": None, "b": None, "c": 4}


def test_arguments_that_the_tool_does_not_take_are_not_sent():
    sources = plan(chain("c", step("s", arguments={"n": const("x")}), output=ref("s")))
    source = sources.sources["test"]
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    read = source.tools["read"].model_copy(update={"input_schema": schema})
    moved = source.model_copy(update={"tools": {**source.tools, "read": read}})
    hand = Hand(loaded=load_plan(sources.model_copy(update={"sources": {"test": moved}}))).start()
    assert hand.news() == []
    assert hand.fault.message == 'The arguments of `test.read` do not fit: `n` is string, not integer: "x".'


def test_a_default_may_use_earlier_inputs():
    inputs = (given("a"), given("b", required=False, default=ex.Text(parts=("<", ref("a"), ">"))))
    assert Hand(chain("c", output=ref("b"), inputs=inputs)).start(a="x").value == "<x>"
