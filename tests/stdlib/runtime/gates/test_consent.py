"""Gate 4: whether the client's user agrees."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from stdlib.runtime.gates.consent import CONSENT_MS, consent
from stdlib.runtime.gates.principal import Who
from stdlib.runtime.load import load_plan
from stdlib.runtime.question import Answer, Approved, Expired, Question, Refused

from .passings import Behind, User, asking, loaded, passing, refused

pytestmark = pytest.mark.anyio

READ = p.Effects(read_only=True, destructive=True)
MILD = p.Effects(destructive=False)
NO = Refused("user", "not today")


def plan_with(effects: p.Effects) -> Any:
    plan = loaded()
    source = plan.plan.sources["test"]
    act = source.tools["act"].model_copy(update={"effects": effects})
    made = source.model_copy(update={"tools": {"act": act}})
    return load_plan(plan.plan.model_copy(update={"sources": {"test": made}}))


@pytest.mark.parametrize(
    ("mode", "listed", "effects", "asks"),
    [
        ("destructive", (), p.Effects(), True),
        ("destructive", (), MILD, False),
        ("destructive", (), READ, False),
        ("destructive", ("test__act",), MILD, True),
        ("listed", (), p.Effects(), False),
        ("listed", ("test__act",), READ, True),
        ("listed", ("other",), p.Effects(), False),
        ("never", ("test__act",), p.Effects(), False),
    ],
)
async def test_which_calls_are_asked_about(mode: str, listed: tuple[str, ...], effects: p.Effects, asks: bool):
    user = User(Approved("user"))
    gates = asking(plan_with(effects), mode, *listed)
    assert await consent(passing(gates=gates, people=user, by_client=True), Behind()) == "done"
    assert len(user.asked) == asks


async def test_a_steps_call_is_not_asked_about():
    assert await consent(passing(gates=asking(loaded()), people=User(NO)), Behind()) == "done"


async def test_the_question_shows_the_arguments_and_binds_to_them():
    user = User(Approved("user"))
    digests = []
    for given in ({"id": 1}, {"id": 2}, {"id": 1}):
        call = passing(arguments=given, gates=asking(loaded()), people=user, by_client=True)
        await consent(call, Behind())
        assert call.approval is not None
        digests.append(call.approval["digest"])
    assert [each.show for each in user.asked] == [{"id": 1}, {"id": 2}, {"id": 1}], "each call is asked about anew"
    assert digests[0] == digests[2] != digests[1]
    assert user.asked[0].text == "May `test.act` be called with these arguments?"


async def test_a_no_is_final():
    fault = await refused(consent, passing(gates=asking(loaded()), people=User(NO), by_client=True))
    assert (fault.fault_class, fault.refused) == ("denied", "consent")
    assert "not today" in fault.message


async def test_where_nobody_can_be_asked_consent_is_required():
    gates = asking(loaded())
    for call in (
        passing(gates=gates, by_client=True),
        passing(gates=gates, people=User(Approved("u")), who=Who(can_be_asked=False), by_client=True),
        passing(gates=gates, people=User(Expired()), by_client=True),
    ):
        fault = await refused(consent, call)
        assert (fault.fault_class, fault.refused, fault.retryable) == ("consent_required", "consent", False)


async def test_a_question_that_nobody_answers_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("stdlib.runtime.gates.consent.CONSENT_MS", 10)

    class Silent(User):
        async def approve(self, question: Question) -> Answer:
            await anyio.sleep_forever()
            raise AssertionError

    fault = await refused(consent, passing(gates=asking(loaded()), people=Silent(NO), by_client=True))
    assert fault.fault_class == "consent_required"
    assert CONSENT_MS >= 60_000
