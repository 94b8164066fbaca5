"""Calls of older versions."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import Caller, Result, run_chain
from stdlib.runtime.store.memory import MemoryStore

from .plans import AT, chain, const, given, let, plan, record, ref, step
from .test_driver import Tools

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def adapter(version: str, field: str, **more: Any) -> p.Adapter:
    """Takes `field` instead of `number`, twice as large, and a `step` that is 1 where it is left out."""
    properties = {field: {"type": "integer"}, "step": {"type": "integer"}}
    double = ex.Arithmetic(op="*", left=ref(field), right=ref("two"))
    return p.Adapter(
        version=version,
        inputs=(given(field), given("step", required=False, default=const(1))),
        input_schema={"type": "object", "properties": properties, "required": [field], "additionalProperties": False},
        lets=(let("two", const(2)),),
        arguments=(
            p.Argument(name="number", value=double),
            p.Argument(name="step", value=ref("step")),
        ),
        origin=AT,
        **more,
    )


def versions(**more: Any) -> p.Chain:
    inputs = (given("number"), given("step", required=False))
    one = chain("c", output=record(number=ref("number"), step=ref("step")), inputs=inputs, **more)
    properties = {"number": {"type": "integer"}, "step": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["number"]}
    back = ex.Member(base=ref("result"), name="number")
    old = adapter("1.x", "half", output=back, output_schema={"type": "integer"}, wrapped=True)
    same = adapter("2.x", "part")
    odd = adapter("0.x", "none", output=back, output_schema={"type": "string"})
    return one.model_copy(update={"input_schema": schema, "adapters": (old, same, odd)})


async def run(one: p.Chain, **arguments: Any) -> Result:
    loaded = load_plan(plan(one))
    return await run_chain(loaded, "c", arguments, tools=Tools(), store=MemoryStore(), caller=Caller(strict_nulls=True))


async def test_calls_of_today_need_no_adapter():
    result = await run(versions(), number=7)
    assert (result.wire, result.adapter) == ({"number": 7, "step": None}, None)


async def test_calls_of_an_older_version_are_mapped_and_so_is_their_result():
    result = await run(versions(), half=21)
    assert (result.wire, result.adapter) == ({"result": 42}, "1.x")
    assert result.fault is None


async def test_an_adapter_without_an_output_gives_the_result_of_today():
    result = await run(versions(), part=2, step=None)
    assert (result.wire, result.adapter) == ({"number": 4, "step": 1}, "2.x")


async def test_what_fits_nobody_is_told_as_a_mistake_of_today():
    result = await run(versions(), half="21")
    assert result.fault is not None
    assert result.fault.message == "`c` has no input `half`. It has: number, step."


async def test_an_old_result_that_does_not_fit_is_a_fault_with_its_record():
    result = await run(versions(), none=1)
    assert result.fault is not None
    assert result.fault.fault_class == "shape_mismatch"
    assert "version 0.x" in result.fault.message
    assert result.run is not None


async def test_a_mapping_that_cannot_be_calculated_is_a_fault():
    broken = adapter("1.x", "half").model_copy(
        update={"lets": (let("two", ex.Arithmetic(op="/", left=const(1), right=const(0))),)}
    )
    result = await run(versions().model_copy(update={"adapters": (broken,)}), half=1)
    assert result.fault is not None
    assert result.fault.fault_class == "precondition"


async def test_a_request_key_is_no_argument_of_an_adapter():
    keyed = versions().model_copy(update={"bindings": (step("w", tool="write", key="k"),)})
    assert (await run(keyed, half=1, request_key="x")).adapter == "1.x"
    wrong = await run(keyed, half=1, request_key=7)
    assert wrong.fault is not None
    assert wrong.fault.message == "`request_key` must be a text of 1 to 200 characters."


async def test_an_adapter_may_name_the_request():
    keyed = versions().model_copy(update={"bindings": (step("w", tool="write", key="k"),)})
    (old, *_) = keyed.adapters
    named = old.model_copy(update={"arguments": (*old.arguments, p.Argument(name="request_key", value=const("mine")))})
    one = keyed.model_copy(update={"adapters": (named,)})
    assert (await run(one, half=1)).receipts[0].key == (await run(keyed, number=7, request_key="mine")).receipts[0].key
    assert (await run(one, half=1, request_key="other")).receipts[0].key != (await run(one, half=1)).receipts[0].key
