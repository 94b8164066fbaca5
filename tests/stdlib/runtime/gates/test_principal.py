"""Gate 1: who calls."""

from __future__ import annotations

import pytest

from stdlib.runtime.gates.gates import Gates
from stdlib.runtime.gates.principal import Who, principal, returning
from stdlib.runtime.principal import Owner, Principal

from .passings import Behind, loaded, passing, refused

pytestmark = pytest.mark.anyio

ANN = Principal("ann", "acme", frozenset({"a"}))


class Known:
    """Principals that may change."""

    def __init__(self, *principals: Principal) -> None:
        self.by_owner = {each.owner: each for each in principals}

    def current(self, owner: Owner) -> Principal | None:
        return self.by_owner.get(owner)


async def test_the_owner_of_the_process_may_call_where_nobody_keeps_a_list():
    call = passing()
    assert await principal(call, Behind()) == "done"
    assert call.principal == Principal()


async def test_rights_are_those_of_now_and_not_those_of_the_call():
    less = Principal("ann", "acme", frozenset())
    call = passing(gates=Gates(loaded(), Known(less)), who=Who(ANN.owner, ANN))
    await principal(call, Behind())
    assert call.principal == less


@pytest.mark.parametrize("who", [Who(ANN.owner, ANN), Who(ANN.owner, None), Who(Owner("other", "ann"), ANN)])
async def test_whoever_is_unknown_by_now_calls_nothing(who: Who):
    fault = await refused(principal, passing(gates=Gates(loaded(), Known()), who=who))
    assert (fault.fault_class, fault.refused, fault.sent) == ("denied", "principal", False)
    assert "`ann`" in fault.message


async def test_a_run_that_goes_on_by_itself_belongs_to_somebody_who_is_known():
    assert returning(Owner()) == Principal()
    assert returning(ANN.owner) is None
    fault = await refused(principal, passing(who=Who(ANN.owner, returning(ANN.owner))))
    assert fault.fault_class == "denied"


async def test_what_was_done_is_taken_back_whoever_asked_for_it():
    assert await principal(passing(gates=Gates(loaded(), Known()), settles=True), Behind()) == "done"
