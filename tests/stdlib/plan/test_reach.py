"""What a run may reach."""

from typing import Any

import pytest

from stdlib.plan import plan as p
from stdlib.plan.reach import sources_of
from tests.stdlib.runtime.plans import call, chain, const, loop, step


def at(source: str) -> p.CallPlan:
    made = call("write")
    return made.model_copy(update={"target": p.ToolTarget(source=source, name="write")})


@pytest.mark.parametrize(
    "more",
    [
        {"undo": at("evil")},
        {"reconcile": at("evil")},
        {"verify": p.Verify(call=at("evil"), condition=const(True), text="true")},
    ],
)
def test_a_source_counts_whatever_it_is_called_for(more: dict[str, Any]):
    one = chain("one", step("a", tool="write", **more), output=const(1))
    inside = chain("inside", loop("rows", const([1]), step("a", tool="write", **more)), output=const(1))
    other = chain("other", step("a", chain="inside"), output=const(1))
    chains = {each.id: each for each in (one, inside, other)}
    for id in chains:
        assert sources_of(chains, id) == {"test", "evil"}


def test_what_other_chains_call_does_not_count():
    one = chain("one", step("a", tool="write"), output=const(1))
    other = chain("other", step("a", tool="write", undo=at("evil")), output=const(1))
    assert sources_of({"one": one, "other": other}, "one") == {"test"}
