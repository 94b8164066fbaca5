"""Questions and approvals of the examples, put to people by their generated servers."""

import json
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult, TextContent

from tests.examples.built import Built, build, over_stdio


@dataclass
class User:
    """Gives one answer to every form, and remembers them."""

    answer: ElicitResult
    asked: list[ElicitRequestFormParams] = field(default_factory=list)

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params)
        return self.answer


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, services: str) -> Built:
    return build("market_report", tmp_path_factory.mktemp("report") / "dist", services)


@pytest.fixture(scope="module")
def refund(tmp_path_factory: pytest.TempPathFactory, services: str) -> Built:
    return build("refund_order", tmp_path_factory.mktemp("refund") / "dist", services)


def record(result: CallToolResult) -> dict[str, Any]:
    assert result.structured_content is not None
    found: dict[str, Any] = result.structured_content
    return found


def fault(result: CallToolResult) -> dict[str, Any]:
    """It travels as text: the output schema is that of results."""
    assert result.is_error
    block = result.content[0]
    assert isinstance(block, TextContent)
    found: dict[str, Any] = json.loads(block.text)["fault"]
    return found


async def sources(client: Client, handle: str) -> list[str]:
    """The pages that the first company of a report rests on."""
    page = record(await client.call_tool("handle_read", {"handle": handle}))
    found: list[str] = page["items"][0]["sources"]
    return found


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("answer", "topic"),
    [
        (ElicitResult(action="accept", content={"focus": "hiring"}), "hiring"),
        (ElicitResult(action="decline"), "growth"),
        (ElicitResult(action="cancel"), "growth"),
    ],
)
def test_the_user_chooses_the_focus_of_a_report(report: Built, era: str, answer: ElicitResult, topic: str):
    async def test() -> None:
        user = User(answer)
        async with over_stdio(report, era, user) as client:
            result = await client.call_tool("market_report", {"region": "amer", "limit": 1})
            assert not result.is_error, result.content
            handle = record(result)["handle"]["id"]
            assert (await sources(client, handle))[0] == f"https://pampa.example/{topic}"
        (form,) = user.asked
        assert form.message == "What should the report for amer focus on?"
        assert form.requested_schema["properties"]["focus"]["enum"] == ["growth", "risk", "hiring"]

    anyio.run(test)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_run_waits_for_a_user_who_cannot_be_asked(report: Built, era: str):
    async def test() -> None:
        async with over_stdio(report, era) as client:
            parked = await client.call_tool("market_report", {"region": "amer", "limit": 1})
            told = fault(parked)
            assert told["class"] == "input_required"
            (awaited,) = told["details"]["awaits"]
            assert (awaited["step"], awaited["kind"]) == ("asked", "ask")
            resumed = await client.call_tool(
                "resume_run", {"run": told["details"]["run"], "answers": {"asked": {"focus": "risk", "note": None}}}
            )
            assert not resumed.is_error, resumed.content
            handle = record(resumed)["handle"]["id"]
            assert (await sources(client, handle))[0] == "https://pampa.example/risk"

    anyio.run(test)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_user_of_the_client_cannot_approve_for_a_manager(refund: Built, era: str):
    """The run parks until somebody of the group decides; the model cannot do it for them."""

    async def test() -> None:
        user = User(ElicitResult(action="accept", content={"approve": True}))
        async with over_stdio(refund, era, user) as client:
            parked = await client.call_tool("refund_order", {"order_id": "ord-1001", "amount": 20000})
            told = fault(parked)
            assert told["class"] == "input_required"
            (awaited,) = told["details"]["awaits"]
            assert awaited["by"] == "refund-managers"
            assert awaited["question"] == "Refund 200.00 EUR for order ord-1001?"
            assert awaited["show"]["order"]["refunded"] < 20000
            run = told["details"]["run"]
            again = await client.call_tool("resume_run", {"run": run})
            assert fault(again)["class"] == "input_required"
            forced = await client.call_tool("resume_run", {"run": run, "answers": {"manager": {"approve": True}}})
            assert fault(forced)["class"] == "denied"
        assert user.asked == []

    anyio.run(test)
