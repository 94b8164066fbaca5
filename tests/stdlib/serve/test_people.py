"""Approvals and questions through the server, with the official client in both eras, and with one that cannot ask."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.document import to_text
from stdlib.runtime.fault import fault as raised
from stdlib.runtime.principal import Owner
from stdlib.runtime.question import Approved
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve import waiting
from stdlib.serve.answers import ADAPTER, REPLAYED
from stdlib.serve.engine import Engine
from stdlib.serve.options import read_options
from stdlib.serve.server import REQUEST_KEY, build_server
from tests.stdlib.connect.sources import scripted_plan, scripted_source
from tests.stdlib.runtime.plans import approve, ask, call, chain, const, loop, ref, step

from .bundles import entry
from .test_server import ERAS, fault

pytestmark = pytest.mark.anyio

FORM = {
    "type": "object",
    "properties": {"size": {"enum": ["s", "m"]}, "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "required": ["size", "note"],
}
DO = {"do": const("echo")}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def chains() -> list[p.Chain]:
    by = ex.Member(base=ref("go"), name="by")
    plain = {"wrapped": True, "schema": {"type": "string"}}
    go = approve("go", "before", show=const({"amount": 5}))
    back = call("write", do=const("echo"), value=ref("before"))
    before = step("before", tool="write", arguments=DO, undo=back)
    return [
        chain("pay", before, go, step("after", "go", tool="write", arguments=DO), output=by, **plain),
        chain("choose", ask("q", form=FORM), output=ref("q"), schema={"type": "object", "properties": {}}),
        chain("ruled", approve("go", by="bosses", timeout_ms=60_000), output=by, **plain),
        chain("both", approve("one"), step("slow", tool="read", arguments=DO), approve("two", "slow"), output=const(1)),
        chain("each", loop("l", const([1, 2]), approve("l")), output=ref("l"), wrapped=True),
        chain("short", approve("go", timeout_ms=30), output=by, **plain),
        chain("keyed", step("w", tool="write", key="k", arguments=DO), output=ref("w"), wrapped=True),
    ]


class Recorder:
    """Tools that count their calls in place of a source's."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        self.calls.append("undo" if "value" in arguments else key)
        if key == "read":
            await anyio.sleep(0.05)
        if self.calls.count("write") > 5:
            raise raised("tool_error", "too much")
        return ToolAnswer(structured={"n": len(self.calls)})

    def close(self) -> None:
        pass


class User:
    """Answers forms one after another; keeps what was asked."""

    def __init__(self, *answers: ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[ElicitRequestFormParams] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params)
        return self.answers.pop(0)


def yes(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


NO = ElicitResult(action="decline")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = chains()
    plan = scripted_plan(scripted_source(read={}, write={}), *made)
    entries = tuple(entry(one, one.output.json_schema) for one in made)
    (tmp_path / "plan.json").write_text(to_text(plan))
    (tmp_path / "catalogue.json").write_text(to_text(Catalogue(name="test", version="1.0.0", entries=entries)))
    return tmp_path


@asynccontextmanager
async def served(
    folder: Path, user: User | None = None, era: str = "auto", *argv: str
) -> AsyncIterator[tuple[Client, Engine, Recorder]]:
    options = read_options(argv)
    catalogue = Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, MemoryStore())
        tools = Recorder()
        engine._served.__dict__["tools"] = tools
        server = build_server(catalogue, engine, options)
        async with Client(server, mode=era, elicitation_callback=user) as client:
            yield client, engine, tools
        await engine.close()


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_user_approves(folder: Path, era: str):
    user = User(yes(approve=True, comment="fine"))
    async with served(folder, user, era) as (client, engine, tools):
        result = await client.call_tool("pay", {})
        assert result.structured_content == {"result": "user"}
        assert tools.calls == ["write", "write"]
        assert user.asked[0].message == 'May go?\n\n{\n  "amount": 5\n}'
        assert user.asked[0].requested_schema["required"] == ["approve"]
        assert engine.runs._runs == {}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("answer", [NO, yes(approve=False), yes(), ElicitResult(action="cancel")])
async def test_anything_but_a_clear_yes_rejects_and_undoes(folder: Path, era: str, answer: ElicitResult):
    async with served(folder, User(answer), era) as (client, _, tools):
        told = fault(await client.call_tool("pay", {}))
        assert (told["class"], told["undone"], told["done"]) == ("denied", ["before"], [])
        assert tools.calls == ["write", "undo"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_question_gets_the_fields_of_its_form(folder: Path, era: str):
    user = User(yes(size="m"))
    async with served(folder, user, era) as (client, _, _tools):
        result = await client.call_tool("choose", {})
        assert result.structured_content == {"size": "m", "note": None}
    assert user.asked[0].requested_schema["required"] == ["size"]
    assert user.asked[0].requested_schema["properties"]["note"] == {"type": "string"}


@pytest.mark.parametrize("era", ERAS)
async def test_several_questions_are_asked_at_once_or_one_after_the_other(folder: Path, era: str):
    async with served(folder, User(yes(approve=True), yes(approve=True)), era) as (client, _, _tools):
        result = await client.call_tool("each", {})
        assert result.structured_content is not None
        assert [each["approved"] for each in result.structured_content["result"]] == [True, True]


@pytest.mark.parametrize("era", ERAS)
async def test_silence_ends_the_question(folder: Path, era: str):
    class Slow(User):
        async def __call__(self, context: Any, params: Any) -> ElicitResult:
            await anyio.sleep(0.3)
            return yes(approve=True)

    async with served(folder, Slow(), era) as (client, _, _tools):
        told = fault(await client.call_tool("short", {}))
        assert told["class"] in ("timeout", "invalid_input")
        if era == "legacy":
            assert told["message"] == "Nobody answered `go` within 0.03 s."


async def test_where_the_client_cannot_ask_the_run_parks_and_is_collected(folder: Path):
    async with served(folder) as (client, engine, tools):
        told = fault(await client.call_tool("pay", {}))
        assert told["class"] == "input_required"
        (awaited,) = told["details"]["awaits"]
        assert (awaited["step"], awaited["kind"], awaited["question"]) == ("go", "approve", "May go?")
        assert awaited["show"] == {"amount": 5}
        assert awaited["until"].endswith("Z")
        run = told["details"]["run"]
        assert run in told["next"]
        again = fault(await client.call_tool("resume_run", {"run": run}))
        assert again["class"] == "input_required"
        refused = fault(await client.call_tool("resume_run", {"run": run, "answers": {"go": {"approve": True}}}))
        assert (refused["class"], refused["message"]) == (
            "denied",
            "`go` is an approval: only a person can give it.",
        )
        waiting = engine.runs.find(run, Owner())
        assert waiting is not None
        assert waiting.on_progress is None, "a request that was answered hears no more"
        question = waiting.open()[0].question
        assert not waiting.answer("go", "another digest", Approved("ann"))
        assert waiting.answer("go", question.digest, Approved("ann"))
        assert not waiting.answer("go", question.digest, Approved("bob")), "an approval counts once"
        result = await client.call_tool("resume_run", {"run": run})
        assert result.structured_content == {"result": "ann"}
        assert (await client.call_tool("resume_run", {"run": run})).structured_content == {"result": "ann"}
        assert tools.calls == ["write", "write"]


async def test_a_client_is_told_of_all_questions_that_the_run_comes_to(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The second one is open a moment later, however long that takes: what it shows had to be read first."""
    monkeypatch.setattr(waiting, "SETTLE_S", 600.0)
    with anyio.fail_after(60):
        async with served(folder) as (client, _, _tools):
            told = fault(await client.call_tool("both", {}))
            assert [each["step"] for each in told["details"]["awaits"]] == ["one", "two"]
        async with served(folder, User()) as (client, _, _tools):
            asked = await client.session.call_tool("both", {}, allow_input_required=True)
            assert isinstance(asked, InputRequiredResult)
            assert set(asked.input_requests or {}) == {"one", "two"}


@pytest.mark.parametrize("era", ERAS)
async def test_an_approval_of_a_group_is_not_the_users(folder: Path, era: str):
    user = User(yes(approve=True))
    async with served(folder, user, era) as (client, _, _tools):
        told = fault(await client.call_tool("ruled", {}))
        assert told["class"] == "input_required"
        assert told["details"]["awaits"][0]["by"] == "bosses"
        assert user.asked == []


async def test_answers_to_questions_may_come_with_resume_run(folder: Path):
    async with served(folder) as (client, _, _tools):
        told = fault(await client.call_tool("choose", {}))
        run = told["details"]["run"]
        assert told["details"]["awaits"][0]["form"] == FORM
        wrong = fault(
            await client.call_tool("resume_run", {"run": run, "answers": {"q": {"size": "xl", "note": None}}})
        )
        assert wrong["class"] == "invalid_input"
        other = fault(await client.call_tool("resume_run", {"run": run, "answers": {"x": {}}}))
        assert other["message"] == "`x` awaits no answer here. Awaited: q."
        done = await client.call_tool("resume_run", {"run": run, "answers": {"q": {"size": "s", "note": None}}})
        assert done.structured_content == {"size": "s", "note": None}
        again = fault(await client.call_tool("choose", {}))
        declined = await client.call_tool("resume_run", {"run": again["details"]["run"], "answers": {"q": None}})
        assert fault(declined)["class"] == "denied"


async def test_runs_that_are_not_there_cannot_be_resumed(folder: Path):
    async with served(folder) as (client, _, _tools):
        for arguments in ({"run": "run_0"}, {"run": 7}, {}, {"run": "x", "more": 1}):
            assert fault(await client.call_tool("resume_run", arguments))["class"] == "invalid_input"


async def test_resume_run_is_there_where_something_waits(folder: Path):
    async with served(folder) as (client, _, _tools):
        assert "resume_run" in [tool.name for tool in (await client.list_tools()).tools]
    catalogue = json.loads((folder / "catalogue.json").read_text())
    catalogue["entries"] = [each for each in catalogue["entries"] if each["id"] == "keyed"]
    (folder / "catalogue.json").write_text(json.dumps(catalogue))
    async with served(folder) as (client, _, _tools):
        assert "resume_run" not in [tool.name for tool in (await client.list_tools()).tools]
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("resume_run", {"run": "x"})


async def test_the_state_of_a_repeated_request_is_sealed(folder: Path):
    async with served(folder, User()) as (client, _, tools):
        first = await client.session.call_tool("pay", {}, allow_input_required=True)
        assert isinstance(first, InputRequiredResult)
        assert first.request_state is not None
        assert "run_" not in first.request_state
        answers: Any = {"go": yes(approve=True)}
        for forged in ('{"run": "x", "seen": {}}', first.request_state[:-2] + "AA"):
            with pytest.raises(MCPError, match="requestState"):
                await client.session.call_tool("pay", {}, input_responses=answers, request_state=forged)
        with pytest.raises(MCPError, match="requestState"):
            await client.session.call_tool("ruled", {}, input_responses=answers, request_state=first.request_state)
        assert tools.calls == ["write"]
        again = await client.session.call_tool("pay", {}, request_state=first.request_state, allow_input_required=True)
        assert isinstance(again, InputRequiredResult), "no answer: the question stays open"
        done = await client.session.call_tool("pay", {}, input_responses=answers, request_state=first.request_state)
        assert isinstance(done, CallToolResult)
        assert done.structured_content == {"result": "user"}
        again = await client.session.call_tool("pay", {}, input_responses=answers, request_state=first.request_state)
        assert isinstance(again, CallToolResult)
        assert again.structured_content == {"result": "user"}, "the end of a run is remembered, and nothing done twice"
        assert tools.calls == ["write", "write"]


async def test_a_client_that_gives_up_ends_its_run(folder: Path):
    asked = anyio.Event()

    class Away(User):
        async def __call__(self, context: Any, params: Any) -> ElicitResult:
            asked.set()
            await anyio.sleep_forever()
            raise AssertionError

    async with served(folder, Away(), "legacy") as (client, _, tools):
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "pay", {})
            await asked.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(30):
            while tools.calls != ["write", "undo"]:
                await anyio.sleep(0.01)


async def test_the_end_of_the_server_ends_what_waits(folder: Path):
    async with served(folder) as (client, _, tools):
        fault(await client.call_tool("pay", {}))
    assert tools.calls == ["write", "undo"]


async def test_a_repeated_call_is_said_to_be_replayed(folder: Path):
    async with served(folder) as (client, _, tools):
        first = await client.call_tool("keyed", {})
        again = await client.call_tool("keyed", {})
        assert first.structured_content == again.structured_content
        assert (first.meta or {}).get(REPLAYED) is None
        assert (again.meta or {})[REPLAYED] == ["w"]
        assert ADAPTER not in (again.meta or {})
        meta: Any = {REQUEST_KEY: "another"}
        assert (await client.call_tool("keyed", {}, meta=meta)).structured_content != first.structured_content
        assert (await client.call_tool("keyed", {"request_key": "third"})).structured_content is not None
        assert tools.calls == ["write"] * 3
