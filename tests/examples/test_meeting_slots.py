"""`meeting_slots` and `standup_hour` over the real `mcp-server-time`: one chain alone, one that calls it."""

import anyio

from tests.examples.projects import called

FIXED = {"Asia/Tokyo": 9, "Asia/Kolkata": 5.5, "America/Phoenix": -7, "Africa/Lagos": 1}
"""Zones that keep one offset all year, in hours from UTC."""
NEVER_TOGETHER = ["Asia/Tokyo", "America/Phoenix", "Africa/Lagos"]


def at_work(hour: int, zone: str, opens: int, closes: int) -> bool:
    return opens <= (hour + FIXED[zone]) % 24 // 1 < closes


def expected(zones: list[str], opens: int = 9, closes: int = 17) -> list[int]:
    return [hour for hour in range(24) if all(at_work(hour, zone, opens, closes) for zone in zones)]


def test_the_hours_are_those_at_which_everyone_works():
    zones = ["Africa/Lagos", "Asia/Kolkata"]
    result = anyio.run(called, "meeting_slots", "meeting_slots", {"zones": zones})
    assert result.fault is None
    assert result.wire is not None
    assert [slot["utc_hour"] for slot in result.wire["slots"]] == expected(zones)
    assert result.wire["checked"] == 48
    first = result.wire["slots"][0]
    assert set(first["local"]) == set(zones)
    assert first["local"]["Asia/Kolkata"].endswith(":30")


def test_no_common_hour_gives_an_empty_list():
    result = anyio.run(called, "meeting_slots", "meeting_slots", {"zones": NEVER_TOGETHER})
    assert result.wire is not None
    assert result.wire["slots"] == expected(NEVER_TOGETHER) == []


def test_a_requirement_on_inputs_is_checked_before_any_call():
    result = anyio.run(
        called, "meeting_slots", "meeting_slots", {"zones": ["Nowhere/At_all"], "opens": 12, "closes": 12}
    )
    assert result.fault is not None
    assert result.fault.fault_class == "precondition"
    assert result.fault.message == "The working day from 12 to 12 has no hours."


def test_a_zone_that_does_not_exist_is_a_fault_of_the_tool():
    result = anyio.run(called, "meeting_slots", "meeting_slots", {"zones": ["Nowhere/At_all"]})
    assert result.fault is not None
    assert result.fault.fault_class == "tool_error"


def test_a_chain_calls_another():
    zones = ["Africa/Lagos", "Asia/Kolkata"]
    result = anyio.run(called, "meeting_slots", "standup_hour", {"zones": zones})
    assert result.wire is not None
    hours = expected(zones, opens=8, closes=18)
    assert result.wire["utc_hour"] == hours[0]
    assert result.wire["others"] == len(hours) - 1


def test_what_the_called_chain_finds_missing_is_told_by_the_caller():
    result = anyio.run(called, "meeting_slots", "standup_hour", {"zones": NEVER_TOGETHER})
    assert result.fault is not None
    assert result.fault.fault_class == "precondition"
    assert "Asia/Tokyo, America/Phoenix, Africa/Lagos" in result.fault.message
