"""HTTP services: the table of what an answer can be, and what a kept connection must not do."""

from __future__ import annotations

import anyio
import pytest

from tests.faults.bench import HASTY, PATIENT, Case, both, does, judge, runs, told
from tests.faults.left import nothing_left
from tests.servers.service import Told, over, service
from tests.stdlib.runtime.plans import chain, const, loop, record, ref

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


UNKNOWN = "unknown_outcome"
TABLE: tuple[tuple[Told, str | None, str | None], ...] = (
    (Told("fine"), None, None),
    (Told("drip"), None, None),
    (Told("extra"), None, None),
    (Told("hang"), "timeout", UNKNOWN),
    (Told("trickle"), "timeout", UNKNOWN),
    (Told("drop"), "unavailable", UNKNOWN),
    (Told("half"), "unavailable", UNKNOWN),
    (Told("wrong"), "shape_mismatch", "shape_mismatch"),
    (Told("prose"), "shape_mismatch", "shape_mismatch"),
    (Told("broken"), "shape_mismatch", "shape_mismatch"),
    (Told("empty"), "shape_mismatch", "shape_mismatch"),
    (Told("page"), "shape_mismatch", "shape_mismatch"),
    (Told("status", 302, ("Location: /read",)), None, "tool_error"),
    (Told("status", 400), "tool_error", "tool_error"),
    (Told("status", 401), "denied", "denied"),
    (Told("status", 403), "denied", "denied"),
    (Told("status", 404), "tool_error", "tool_error"),
    (Told("status", 408), "timeout", UNKNOWN),
    (Told("status", 409), "tool_error", "tool_error"),
    (Told("status", 429, ("Retry-After: 7",)), "rate_limited", "rate_limited"),
    (Told("status", 500), "unavailable", UNKNOWN),
    (Told("status", 502), "unavailable", UNKNOWN),
    (Told("status", 503), "unavailable", UNKNOWN),
    (Told("status", 504), "timeout", UNKNOWN),
)


@pytest.mark.parametrize(("answer", "read", "write"), TABLE, ids=[f"{each.do} {each.code}" for each, _, _ in TABLE])
async def test_one_call(answer: Told, read: str | None, write: str | None):
    redirected = answer.code == 302
    for tool in ("read", "write"):
        async with nothing_left(), service() as served:
            served.script = [answer, Told("fine")]
            value = {"value": 2 if redirected else 1}
            case = Case(answer.do, value, read, write, never=answer.do in ("hang", "trickle"))
            async with runs(over(served, *both(Case(answer.do, {}, read, write, case.never)))) as each:
                judge(case, tool, await each.run(tool))
            assert len(served.requests) == (2 if redirected and tool == "read" else 1), "nothing is sent twice"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Told("half"), "unavailable"),
        (Told("drop"), "unavailable"),
        (Told("trickle"), "timeout"),
        (Told("status", 503), "unavailable"),
        (Told("size", bytes=2 << 20), "result_too_large"),
        (Told("broken"), "shape_mismatch"),
    ],
    ids=lambda each: each.do if isinstance(each, Told) else each,
)
async def test_what_breaks_off_on_its_way_into_the_store_is_not_kept(answer: Told, fault: str):
    """The next attempt is kept, and nothing of the first one."""
    times = {"first": HASTY if fault == "timeout" else PATIENT, "again": PATIENT}
    chains = [
        chain(id, does("s", "read", {}, timeout_ms=ms), output=ref("s"), mode="handle", out={"handle": "large"})
        for id, ms in times.items()
    ]
    async with nothing_left(), service() as served:
        served.script = [answer, Told("fine")]
        async with runs(over(served, *chains, handle="large", handle_bytes=1 << 20)) as each:
            broken = await each.run("first")
            assert each.store.handles._used == 0, "bytes that nobody can read"
            again = await each.run("again")
    assert broken.fault is not None
    assert broken.fault.fault_class == fault
    assert told(broken) == [("s", 1, fault)]
    assert again.fault is None
    assert again.handle is not None
    assert told(again) == [("s", 1, "ok")]


async def test_every_attempt_has_a_receipt():
    made = does("s", "put", {"body": 1}, retry={"count": 4, "wait_ms": 1})
    async with nothing_left(), service() as served:
        served.script = [Told("status", 429), Told("status", 503), Told("drop"), Told("half"), Told("fine")]
        async with runs(over(served, chain("c", made, output=ref("s")))) as each:
            result = await each.run()
    assert result.value == {"value": 5}
    faults = ["rate_limited", "unavailable", "unavailable", "unavailable", "ok"]
    assert told(result) == [("s", number, fault) for number, fault in enumerate(faults, start=1)]
    assert served.requests == ["PUT /put"] * 5


@pytest.mark.parametrize("first", ["extra", "kept"])
async def test_an_answer_belongs_to_its_own_request(first: str):
    """What stays behind on a connection (a second answer, one that came too late) is nobody's."""
    one = does("one", "read", {}, timeout_ms=HASTY if first == "kept" else PATIENT, on_error={"kind": "skip"})
    two, three = does("two", "read", {}, "one"), does("three", "read", {}, "two")
    chained = chain("c", one, two, three, output=record(two=ref("two"), three=ref("three")))
    async with nothing_left(), service() as served:
        served.script = [Told(first), Told("fine")]
        async with runs(over(served, chained)) as each:
            result = await each.run()
    assert result.value == {"two": {"value": 2}, "three": {"value": 3}}
    assert served.connections == 2, "the connection of the first one is not used again, that of the second one is"


async def test_a_loop_over_a_service_that_stumbles():
    """Forty items, sixteen at once; every fourth answer breaks. Each item has its receipt, and files do not grow."""
    work = loop(
        "work",
        const(list(range(40))),
        does("x", "read", {}),
        parallel=16,
        on_item_error={"kind": "use", "value": const(0)},
    )
    async with nothing_left(), service() as served:
        served.script = [Told(("fine", "drop", "fine", "half")[number % 4]) for number in range(40)]
        async with runs(over(served, chain("c", work, output=ref("work")))) as each:
            result = await each.run()
    assert result.fault is None
    assert sum(each == 0 for each in result.value) == 20
    assert sorted(step for step, _, _ in told(result)) == sorted(f"work[{number}].x" for number in range(40))


async def test_a_client_that_goes_away_leaves_nothing():
    hangs = [does("r", "read", {}, timeout_ms=PATIENT), does("w", "write", {"body": 1}, timeout_ms=HASTY)]
    async with nothing_left(), service() as served:
        served.script = [Told("hang")]
        plan = over(served, chain("c", *hangs, output=ref("r")))
        async with runs(plan) as each, anyio.create_task_group() as group:
            group.start_soon(each.run)
            while len(served.requests) < 2:
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
