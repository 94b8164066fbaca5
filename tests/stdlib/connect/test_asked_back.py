"""What a server asks of us in its turn."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from stdlib.connect import asked_back
from stdlib.connect.asked_back import MOST_BYTES, AskedBack, Reading, Writing, shortened
from stdlib.runtime.fault import RunFault

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def request(**params: Any) -> JSONRPCRequest:
    return JSONRPCRequest(jsonrpc="2.0", id="1", method="roots/list", params=params)


ANSWER = JSONRPCResponse(jsonrpc="2.0", id="1", result={})
TAKEN_BACK = JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params={"requestId": "1"})
CHANGED = JSONRPCNotification(jsonrpc="2.0", method="notifications/tools/list_changed")


async def test_a_stream_has_no_more_requests_than_are_answered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(asked_back, "PATIENCE", 0.05)
    asked = AskedBack(most=2)
    feed, stream = create_context_streams[SessionMessage](10)
    out, sent = create_context_streams[SessionMessage](10)
    reading, writing = Reading("far", stream, asked), Writing(out, asked)
    async with feed, reading, writing, sent:
        for message in (request(), TAKEN_BACK, CHANGED, ANSWER, request(), request(), request()):
            await feed.send(SessionMessage(message))
        came = [(await anext(reading)).message for _ in range(4)]
        assert came == [request(), CHANGED, ANSWER, request()]
        assert reading.last_context is not None
        await writing.send(SessionMessage(request()))
        await writing.send(SessionMessage(ANSWER))
        assert (await anext(reading)).message == request()
        with pytest.raises(RunFault) as found:
            await anext(reading)
    why = "sent more than 2 requests of its own without reading the answers and was stopped."
    assert (found.value.fault.fault_class, found.value.fault.message) == ("unavailable", f"The server of `far` {why}")


async def test_an_answer_that_is_read_in_time_makes_room():
    asked = AskedBack(most=1)
    assert await asked.took(request())
    came: list[bool] = []

    async def next_one() -> None:
        came.append(await asked.took(request()))

    async with anyio.create_task_group() as group:
        group.start_soon(next_one)
        await anyio.wait_all_tasks_blocked()
        assert came == []
        asked.sent(ANSWER)
    assert came == [True]


async def test_what_a_long_request_says_is_not_kept():
    assert shortened(request(a=1), MOST_BYTES) == request(a=1)
    assert shortened(request(a=1), MOST_BYTES + 1).params is None
    assert shortened(ANSWER, MOST_BYTES + 1) == ANSWER
