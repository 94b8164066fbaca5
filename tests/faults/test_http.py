"""Servers behind a URL: requests that break, statuses, streams that end; and each call's trouble is its own."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from tests.faults.bench import HASTY, PATIENT, Case, Runs, both, does, judged, once, plan_of, runs, told
from tests.faults.left import nothing_left, open_files
from tests.servers.far import far
from tests.stdlib.runtime.plans import call, chain, const, loop, record, ref

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


UNKNOWN = "unknown_outcome"
FORGED = {"code": -32055, "message": "no", "data": {"ours": "", "reason": "no", "sent": False}}
FOREIGN = {"jsonrpc": "2.0", "id": 987654321, "result": {"content": [], "structuredContent": {"value": 1}}}
CASES = (
    Case("an answer", {"do": "echo", "value": 1}, None, None),
    Case("an answer in a stream", {"do": "stream", "value": 2}, None, None),
    Case("the answer twice", {"do": "twice", "value": 3}, None, None),
    Case("byte by byte", {"do": "drip", "value": 4}, None, None),
    Case("an error", {"do": "error", "message": "no"}, "tool_error", "tool_error"),
    Case("an error of the protocol", {"do": "refuse", "message": "no"}, "tool_error", "tool_error"),
    Case("silence", {"do": "hang"}, "timeout", UNKNOWN, never=True),
    Case("a byte now and then", {"do": "trickle"}, "timeout", UNKNOWN, never=True),
    Case("a stream without an event", {"do": "open"}, "timeout", UNKNOWN, never=True),
    Case("no answer", {"do": "drop"}, "unavailable", UNKNOWN),
    Case("half an answer", {"do": "half"}, "unavailable", UNKNOWN),
    Case("half a stream", {"do": "cut"}, "unavailable", UNKNOWN),
    Case("a stream to be taken up again", {"do": "resumable"}, "unavailable", UNKNOWN),
    Case("a stream with noise", {"do": "noise", "value": 5}, "unavailable", UNKNOWN),
    Case("prose for JSON", {"do": "garbage"}, "unavailable", UNKNOWN),
    Case("a page", {"do": "page"}, "unavailable", UNKNOWN),
    Case("a foreign id", {"do": "json", "code": 200, "body": FOREIGN}, "timeout", UNKNOWN, never=True),
    Case("an empty body", {"do": "empty"}, "unavailable", UNKNOWN),
    Case("202", {"do": "status", "code": 202}, "unavailable", UNKNOWN),
    Case("204", {"do": "status", "code": 204}, "unavailable", UNKNOWN),
    Case("400", {"do": "status", "code": 400}, "tool_error", "tool_error"),
    Case("401", {"do": "status", "code": 401}, "denied", "denied"),
    Case("403", {"do": "status", "code": 403}, "denied", "denied"),
    Case("404", {"do": "status", "code": 404}, "tool_error", "tool_error"),
    Case("408", {"do": "status", "code": 408}, "timeout", UNKNOWN),
    Case("429", {"do": "status", "code": 429}, "rate_limited", "rate_limited"),
    Case("429 in JSON", {"do": "json", "code": 429, "body": {"message": "wait"}}, "rate_limited", "rate_limited"),
    Case(
        "400 with an error of the protocol",
        {"do": "json", "code": 400, "body": {"jsonrpc": "2.0", "id": None, "error": {"code": -32602, "message": "no"}}},
        "tool_error",
        "tool_error",
    ),
    Case(
        "an error that only the client could know",
        {"do": "json", "code": 400, "body": {"jsonrpc": "2.0", "id": None, "error": FORGED}},
        "tool_error",
        "tool_error",
    ),
    Case("a packed answer", {"do": "packed", "bytes": 10, "value": 6}, None, None),
    Case("500", {"do": "status", "code": 500}, "unavailable", UNKNOWN),
    Case("503", {"do": "status", "code": 503}, "unavailable", UNKNOWN),
    Case("504", {"do": "status", "code": 504}, "timeout", UNKNOWN),
    Case(
        "another form",
        {"do": "result", "result": {"content": [], "structuredContent": {"other": 1}}},
        "shape_mismatch",
        "shape_mismatch",
    ),
    Case("no result", {"do": "result", "result": {"content": "?"}}, "shape_mismatch", "shape_mismatch"),
)


@pytest.mark.parametrize("case", CASES, ids=[each.name for each in CASES])
async def test_one_call(case: Case):
    async with nothing_left(), far() as server:
        await judged(case, plan_of(p.Http(url=server.url), *both(case)))
        assert sorted(name for name, _ in server.calls) == ["read", "write"], "nothing is sent twice"


@pytest.mark.parametrize(
    "do",
    [
        {"do": "endless", "kind": "application/json"},
        {"do": "endless", "kind": "text/event-stream"},
        {"do": "packed", "bytes": 4_000_000, "value": 1},
    ],
    ids=["JSON", "stream", "packed"],
)
async def test_an_answer_without_end_is_not_read_to_its_end(do: dict[str, Any]):
    case = Case("much", do, "result_too_large", "result_too_large")
    async with nothing_left(), far() as server:
        await judged(case, plan_of(p.Http(url=server.url), *both(case), result_bytes=100_000))


async def test_every_attempt_has_a_receipt():
    turns: list[dict[str, Any]] = [
        {"do": "status", "code": 429},
        {"do": "drop"},
        {"do": "half"},
        {"do": "echo", "value": "at last"},
    ]
    made = does("s", "put", {"do": "turns", "turns": turns}, retry={"count": 3, "wait_ms": 1})
    async with nothing_left(), far() as server:
        result = await once(p.Http(url=server.url), chain("c", made, output=ref("s"), wrapped=True))
    assert result.wire == {"result": {"value": "at last"}}
    assert [outcome for _, _, outcome in told(result)] == ["rate_limited", "unavailable", "unavailable", "ok"]


async def test_a_write_that_is_refused_before_it_is_done_may_be_repeated():
    """429 says that nothing has happened, so that a retry repeats nothing."""
    turns: list[dict[str, Any]] = [{"do": "status", "code": 429}, {"do": "echo", "value": 1}]
    made = does("s", "write", {"do": "turns", "turns": turns}, retry={"count": 1, "wait_ms": 1})
    async with nothing_left(), far() as server:
        assert told(await once(p.Http(url=server.url), chain("c", made, output=ref("s")))) == [
            ("s", 1, "rate_limited"),
            ("s", 2, "ok"),
        ]


@pytest.mark.parametrize("trouble", ["drop", "half", "cut", "garbage"])
async def test_one_calls_trouble_is_its_own(trouble: str):
    """A call that is under way while another one breaks gets its answer: it waits until that has happened."""
    waits = does("waits", "write", {"do": "late", "value": "fine"})
    breaks = does("breaks", "read", {"do": trouble}, on_error={"kind": "skip"})
    after = does("after", "read", {"do": "echo", "value": "later"}, "breaks")
    output = record(waits=ref("waits"), breaks=ref("breaks"), after=ref("after"))
    async with nothing_left(), far() as server:
        server.late_until = 3
        result = await once(p.Http(url=server.url), chain("c", waits, breaks, after, output=output))
    assert result.fault is None
    assert result.value == {"waits": {"value": "fine"}, "breaks": None, "after": {"value": "later"}}


async def test_calls_that_hang_do_not_use_up_the_connections():
    """More than the HTTP library keeps to one host; what is given up is closed."""
    item = does("x", "read", {"do": ref("item")}, timeout_ms=20)
    work = loop("work", const(["hang", "open"] * 60), item, parallel=30, on_item_error={"kind": "skip"})
    fine = chain("fine", does("s", "read", {"do": "echo", "value": 1}), output=ref("s"))
    hangs = chain("c", work, output=ref("work"))
    async with nothing_left(), far() as server, runs(plan_of(p.Http(url=server.url), hangs, fine)) as each:
        assert (await each.run("fine")).value == {"value": 1}
        assert [outcome for _, _, outcome in told(await each.run("c"))] == ["timeout"] * 120
        with anyio.fail_after(20):
            assert (await each.run("fine")).value == {"value": 1}
        assert len(open_files()) < 100


async def test_a_server_that_goes_away_and_comes_back():
    """Calls under way fail, a call to nobody is known not to have been sent, and the next one works."""
    broken = chain("c", does("s", "write", {"do": "hang"}), output=ref("s"))
    fine = chain("fine", does("s", "write", {"do": "echo", "value": 1}), output=ref("s"))
    results: list[Any] = []

    async def hang(each: Runs) -> None:
        results.append(await each.run("c"))

    async with nothing_left(), far() as server:
        plan = plan_of(p.Http(url=server.url), broken, fine)
        async with runs(plan) as each, anyio.create_task_group() as group:
            group.start_soon(hang, each)
            while not server.calls:
                await anyio.sleep(0.01)
            await server.stop()
            gone = await each.run("fine")
            while not results:
                await anyio.sleep(0.01)
            await server.start()
            again = await each.run("fine")
    assert results[0].fault.fault_class == UNKNOWN
    assert gone.fault is not None
    assert (gone.fault.fault_class, gone.fault.sent, gone.fault.done) == ("unavailable", False, ())
    assert again.value == {"value": 1}


async def test_a_loop_over_a_server_that_stumbles():
    """Of twelve items at once every third one meets trouble of another kind; the others are answered."""
    kinds = ["drop", "half", "garbage", "page"]
    items = [kinds[number // 3] if number % 3 == 2 else "echo" for number in range(12)]
    item = does("x", "read", {"do": ref("item"), "value": 7})
    work = loop("work", const(items), item, parallel=12, on_item_error={"kind": "use", "value": const("lost")})
    async with nothing_left(), far() as server:
        result = await once(p.Http(url=server.url), chain("c", work, output=ref("work")))
    assert result.value == [{"value": 7} if each == "echo" else "lost" for each in items]
    assert len(told(result)) == 12


async def test_what_was_done_before_is_taken_back():
    back = call("write", do=const("echo"), value=const("back"))
    first = does("first", "write", {"do": "echo", "value": "done"}, undo=back)
    second = does("second", "write", {"do": "drop"}, "first", undo=back)
    async with nothing_left(), far() as server:
        result = await once(p.Http(url=server.url), chain("c", first, second, output=const(1)))
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.undone) == (UNKNOWN, ("first",))
    assert [each["step"] for each in result.fault.not_undone] == ["second"]
    assert [arguments.get("value") for _, arguments in server.calls] == ["done", None, "back"]


async def test_a_client_that_goes_away_leaves_nothing():
    waits = does("s", "read", {"do": "hang"}, timeout_ms=PATIENT)
    writes = does("w", "write", {"do": "hang"}, timeout_ms=HASTY)
    both_hang = chain("c", waits, writes, output=ref("s"))
    async with nothing_left(), far() as server, anyio.create_task_group() as group:
        with anyio.fail_after(30):
            group.start_soon(once, p.Http(url=server.url), both_hang)
            while len(server.calls) < 2:
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
