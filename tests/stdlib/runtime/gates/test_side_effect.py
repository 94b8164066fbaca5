"""Gate 6: a side effect with a key happens once."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.runtime.events import CallSucceeded
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.gates.passing import Passing
from stdlib.runtime.gates.side_effect import known_outcome, side_effect
from stdlib.runtime.result import NOTHING
from stdlib.runtime.store.memory import MemoryStore

from .passings import Behind, passing, refused

pytestmark = pytest.mark.anyio

DONE = CallSucceeded("act#1", 7)


async def test_a_chain_and_a_call_without_a_key_just_pass():
    call = passing()
    assert await side_effect(call, Behind(DONE)) is DONE
    call.command = None
    assert await side_effect(call, Behind(DONE)) is DONE


async def test_the_ledger_is_told_before_and_after():
    store = MemoryStore()
    seen: list[bool] = []

    async def behind(call: Passing) -> CallSucceeded:
        seen.append(call.sends == "k1")
        return DONE

    assert await side_effect(passing(key="k1", store=store, run="r1"), behind) is DONE
    again = await side_effect(passing(key="k1", store=store, run="r2"), Behind(DONE))
    assert (again.value, again.replayed, seen) == (7, True, [True])


async def test_the_result_of_a_call_that_was_sent_before_is_its_own():
    store = MemoryStore()
    await side_effect(passing(key="k1", store=store, run="r1"), Behind(DONE))
    again = await side_effect(passing(key="k1", store=store, run="r1", sent_before=True), Behind(DONE))
    assert (again.value, again.replayed) == (7, False)


async def test_a_failed_call_is_done_again_with_the_same_key():
    store = MemoryStore()
    with pytest.raises(RunFault):
        await side_effect(passing(key="k1", store=store), Behind(Fault("unavailable", "no")))
    behind = Behind(DONE)
    await side_effect(passing(key="k1", store=store), behind)
    assert [each.sends for each in behind.passed] == ["k1"]


async def test_done_anew_after_it_was_taken_back_it_has_another_key():
    store = MemoryStore()
    await side_effect(passing(key="k1", store=store), Behind(DONE))
    await store.ledger.undone("k1")
    behind = Behind(DONE)
    call = passing(key="k1", store=store, arguments={"n": 1})
    await side_effect(call, behind)
    assert call.sends not in (None, "k1")
    assert behind.passed[0].arguments == {"n": 1, "k": call.sends}


@pytest.mark.parametrize("key", [None, "k1"])
async def test_what_was_interrupted_is_not_done_twice(key: str | None):
    fault = await refused(side_effect, passing(key=key, sent_before=True))
    assert (fault.fault_class, fault.refused) == ("unknown_outcome", "side_effect")


async def test_what_may_be_repeated_is_repeated():
    assert await side_effect(passing(sent_before=True, repeatable=True), Behind(DONE)) is DONE


@pytest.mark.parametrize(
    ("fault", "repeatable", "known"),
    [
        (Fault("timeout", "x"), False, "unknown_outcome"),
        (Fault("timeout", "x"), True, "timeout"),
        (Fault("unavailable", "x", sent=False), False, "unavailable"),
        (Fault("tool_error", "x"), False, "tool_error"),
    ],
)
def test_what_is_known_of_an_outcome(fault: Fault, repeatable: bool, known: str):
    assert known_outcome(fault, "it", repeatable).fault_class == known


async def test_a_claim_is_given_back_whatever_happens():
    store = MemoryStore()

    async def breaks(call: Passing) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await side_effect(passing(key="k1", store=store), breaks)
    assert (await store.ledger.claim("k1")).recorded is NOTHING
