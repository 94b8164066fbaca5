"""Gate 5: what a principal and a session may use in a while."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from stdlib.runtime.events import CallSucceeded
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.gates.budget import Usage, budget
from stdlib.runtime.gates.gates import Gates
from stdlib.runtime.gates.passing import Passing
from stdlib.runtime.gates.principal import Who
from stdlib.runtime.gates.window import PARTS, Window
from stdlib.runtime.principal import Principal
from stdlib.values.time import NANOS, read_timestamp

from .passings import Behind, Clock, loaded, passing, refused

pytestmark = pytest.mark.anyio

ANN, BOB = Principal("ann", "acme"), Principal("bob", "acme")


class Meter:
    """Calls one after the other, counted together."""

    def __init__(self, whose: str = "principal", **allowance: Any) -> None:
        limits = p.Limits.model_validate({whose: {"window_ms": 60_000, **allowance}})
        self.clock = Clock()
        self.gates = Gates(loaded(limits=limits))

    def call(self, who: Principal = ANN, session: str = "", **more: Any) -> Passing:
        return passing(gates=self.gates, clock=self.clock, who=Who(who.owner, who, session), **more)

    async def fine(self, who: Principal = ANN, session: str = "", answer: Any = None, **more: Any) -> None:
        done = answer or CallSucceeded("act#1", 1)
        assert await budget(self.call(who, session, **more), Behind(done)) is done

    async def no(self, who: Principal = ANN, session: str = "", **more: Any) -> Fault:
        fault = await refused(budget, self.call(who, session, **more))
        assert (fault.fault_class, fault.refused) == ("budget_exceeded", "budget")
        return fault


async def test_calls_are_counted_and_come_free_again():
    meter = Meter(calls=2)
    await meter.fine()
    meter.clock.now += 30
    await meter.fine()
    fault = await meter.no()
    assert fault.message == "The principal `ann` has used what it may use in 1 m: 2 calls of tools."
    assert fault.next is not None
    assert fault.next.startswith("Call again in ")
    assert set(fault.details) == {"limit", "free_at"}
    meter.clock.now += 32  # the first one is older than a minute now
    await meter.fine()
    await meter.no()


async def test_it_is_free_when_the_fault_says_so():
    meter = Meter(calls=1)
    await meter.fine()
    free = read_timestamp((await meter.no()).details["free_at"])
    meter.clock.now = free.nanos / NANOS
    await meter.fine()


async def test_principals_are_told_apart_and_sessions_too():
    meter = Meter(calls=1)
    await meter.fine(ANN, "s")
    await meter.no(ANN, "t")
    await meter.fine(BOB, "s")
    meter = Meter("session", calls=1)
    await meter.fine(ANN, "s")
    await meter.fine(ANN, "t")
    assert (await meter.no(ANN, "s")).message.startswith("This session has used")
    await meter.fine(BOB, "s")


async def test_bytes_and_time_are_known_afterwards():
    meter = Meter(bytes=100)
    await meter.fine(answer=CallSucceeded("act#1", 1, bytes=99))
    await meter.fine(answer=CallSucceeded("act#1", 1, bytes=500))
    assert (await meter.no()).details["limit"] == "bytes"

    meter = Meter(time_ms=1000)

    async def slow(call: Passing) -> CallSucceeded:
        meter.clock.now += 2
        return CallSucceeded("act#1", 1)

    await budget(meter.call(), slow)
    assert (await meter.no()).details["limit"] == "time_ms"


async def test_costs_are_known_before():
    meter = Meter()
    limits = p.Limits(principal=p.Allowance(cost=1.0, window_ms=60_000))
    meter.gates = Gates(loaded(limits=limits, cost=0.4))
    await meter.fine()
    await meter.fine()
    assert (await meter.no()).details["limit"] == "cost"
    meter.gates = Gates(loaded(limits=limits, cost=3.0))
    assert "`test.act` costs 3" in (await meter.no()).message


async def test_a_recorded_result_costs_nothing():
    meter = Meter(calls=1)
    for _ in range(3):
        await meter.fine(answer=CallSucceeded("act#1", 1, bytes=10, replayed=True))
    await meter.fine()
    await meter.no()


async def test_a_window_alone_limits_nothing():
    for whose in ("principal", "session"):
        meter = Meter(whose)
        for _ in range(3):
            await meter.fine(by_client=True)
        assert not any(meter.gates.usage._windows.values()), "nothing is counted"


async def test_a_failed_call_counts():
    meter = Meter(calls=1)
    with pytest.raises(RunFault, match="timeout"):
        await budget(meter.call(), Behind(Fault("timeout", "late")))
    await meter.no()


async def test_calls_of_a_client_at_once_are_limited():
    meter = Meter(parallel=1)
    begun, go = anyio.Event(), anyio.Event()

    async def waits(call: Passing) -> str:
        begun.set()
        await go.wait()
        return "done"

    async with anyio.create_task_group() as group:
        group.start_soon(budget, meter.call(by_client=True), waits)
        await begun.wait()
        assert "under way at once" in (await meter.no(by_client=True)).message
        await meter.fine(BOB, by_client=True)
        await meter.fine()  # a step's call of the one that is under way
        go.set()
    await meter.fine(by_client=True)


async def test_taking_back_is_free():
    meter = Meter(calls=1)
    await meter.fine()
    await meter.fine(settles=True)


async def test_without_limits_nothing_is_kept():
    meter = Meter()
    await meter.fine()
    assert not any(meter.gates.usage._windows.values())


def test_a_window_forgets_part_by_part():
    window = Window(60.0)
    for second in range(120):
        window.add(1000.0 + second, calls=1)
    assert len(window.used) <= PARTS
    assert 59 <= window.total("calls", 1119.0) <= 61
    assert window.total("calls", 2000.0) == 0
    assert window.idle(2000.0)


def test_a_clock_that_goes_back_frees_nothing():
    window = Window(60.0)
    window.add(1000.0, calls=5)
    window.add(1010.0, calls=5)
    window.add(900.0, calls=1)
    assert window.total("calls", 900.0) == 11
    assert window.total("calls", 961.0) == 0, "it does not count until the clock is there again"


def test_when_there_is_room_again():
    window = Window(60.0)
    window.add(1000.0, bytes=10)
    window.add(1020.0, bytes=10)
    assert window.free_at("bytes", 20, 1030.0) == 1030.0
    assert window.free_at("bytes", 10, 1030.0) == 1060.0
    assert window.free_at("bytes", 0, 1030.0) == 1080.0


def test_many_principals_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("stdlib.runtime.gates.budget.KEPT", 10)
    usage, most = Usage(), p.Allowance(calls=1)
    for number in range(100):
        usage.window("session", (str(number),), most, 0.0).running = number < 50
    usage.window("principal", ("ann",), most, 0.0)
    assert len(usage._windows["session"]) <= 10
    assert len(usage._windows["principal"]) == 1
