"""Each gate from the client's end, with the official client: what is refused, and what is written down of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import ElicitResult, InputRequiredResult, TextContent, TextResourceContents

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.document import to_text
from stdlib.runtime.fault import fault as raised
from stdlib.runtime.principal import Owner, Principal
from stdlib.runtime.receipt import Receipt
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.store import Store
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.store.sqlite.store import SqliteStore
from stdlib.serve.engine import Engine
from stdlib.serve.options import read_options
from stdlib.serve.server import build_server
from tests.stdlib.runtime.plans import approve, chain, given, record, ref, step

from .bundles import entry
from .test_people import NO, User, yes
from .test_server import ERAS, fault, text

pytestmark = pytest.mark.anyio

ARGUMENTS = {"type": "object", "properties": {"x": {}, "where": {"type": "string", "format": "uri"}}}
SECRET = "ACME-1234"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Tools:
    """Gives its argument `x` back. `does`: what happens before, in place of the answer where it gives one."""

    def __init__(self, does: Callable[[str, dict[str, Any]], ToolAnswer | None] | None = None) -> None:
        self.does = does
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        self.calls.append((key, arguments))
        other = self.does(key, arguments) if self.does else None
        return other or ToolAnswer(content=({"type": "text", "text": json.dumps(arguments)},), structured=arguments)

    def close(self) -> None:
        pass

    @property
    def count(self) -> int:
        return len(self.calls)


class Known:
    """Principals that may be taken out, or lose rights."""

    def __init__(self, *principals: Principal) -> None:
        self.now = {each.owner: each for each in principals}

    def current(self, owner: Owner) -> Principal | None:
        return self.now.get(owner)


def chains() -> list[p.Chain]:
    any_record = {"schema": {"type": "object", "properties": {"s": {}}}}
    x = (given("x", required=False),)
    sent = {"x": ref("x")}
    keyed = step("s", tool="write", key="k", arguments=sent)
    summary = {"summary": ex.Text(parts=("It is ", ref("x")))}
    linked = chain("linked", output=record(s=ref("x")), inputs=x, **any_record)
    linked_input = {"type": "object", "properties": {"x": {"type": "string", "format": "uri"}}}
    return [
        linked.model_copy(update={"input_schema": linked_input}),
        chain("read", step("s", arguments=sent), output=record(s=ref("s")), inputs=x, **any_record, out=summary),
        chain("two", step("a", tool="write"), step("s", "a", tool="write"), output=record(s=ref("s")), **any_record),
        chain("visit", step("s", arguments={"where": ref("x")}), output=record(s=ref("s")), inputs=x, **any_record),
        chain("keyed", keyed, output=record(s=ref("s")), inputs=x, **any_record),
        chain("asks", approve("go"), output=record(s=ref("go")), **any_record),
        chain("ruled", step("s", arguments=sent), output=record(s=ref("s")), inputs=x, scopes=("rule",), **any_record),
        chain("kept", output=record(s=ref("x")), inputs=x, mode="handle", out={"handle": "k", **summary}),
    ]


def tool(name: str, **effects: bool) -> p.Tool:
    made = p.Effects(read_only=name == "read", **effects)
    return p.Tool(name=name, input_schema=ARGUMENTS, result_schema={}, effects=made, digest="-")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path)


def write(folder: Path, **more: Any) -> Path:
    made = chains()
    tools = {"read": tool("read"), "write": tool("write"), "mild": tool("mild", destructive=False)}
    source = p.Source(transport=p.Http(url="https://own.example/mcp"), tools=tools)
    plan = p.Plan(name="t", version="1.0.0", sources={"test": source}, chains={each.id: each for each in made}, **more)
    entries = [entry(one, one.output.json_schema, behaviour={"scopes": list(one.scopes)}) for one in made]
    (folder / "plan.json").write_text(to_text(plan))
    (folder / "catalogue.json").write_text(to_text(Catalogue(name="t", version="1.0.0", entries=tuple(entries))))
    return folder


@asynccontextmanager
async def served(
    folder: Path,
    *argv: str,
    tools: Tools | None = None,
    user: User | None = None,
    era: str = "auto",
    who: Principal | None = None,
    known: Known | None = None,
    store: Store | None = None,
) -> AsyncIterator[tuple[Client, Engine]]:
    options = read_options(["--profile", "all", *argv])
    catalogue = Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, store or MemoryStore(), known)
        engine._served.__dict__["tools"] = tools or Tools()
        server = build_server(catalogue, engine, options, principal_of=None if who is None else lambda _: who)
        async with Client(server, mode=era, elicitation_callback=user) as client:
            yield client, engine
        await engine.close()


async def receipts(engine: Engine) -> list[Receipt]:
    """Of all runs, the oldest first."""
    found: list[Receipt] = []
    for row in reversed(await engine.store.journal.runs()):
        found += await engine.store.journal.receipts(row.begun.run)
    return found


async def refusals(engine: Engine) -> list[tuple[str | None, str | None]]:
    return [(each.refused, each.fault) for each in await receipts(engine) if each.refused is not None]


# ------------------------------------------------------------------ 1 principal


async def test_whoever_is_taken_out_while_a_run_goes_on_calls_nothing_more(folder: Path):
    ann = Principal("ann", "acme", frozenset())
    known = Known(ann)

    def taken_out(key: str, arguments: dict[str, Any]) -> None:
        known.now.clear()

    tools = Tools(taken_out)
    async with served(folder, tools=tools, who=ann, known=known) as (client, engine):
        told = fault(await client.call_tool("two", {}))
        assert (told["class"], told["step"], told["done"]) == ("denied", "s", ["a"])
        assert tools.count == 1
        assert fault(await client.call_tool("two", {}))["class"] == "denied"
        assert await refusals(engine) == [("principal", "denied")] * 2


# ------------------------------------------------------------------ 2 tool


async def test_a_drifted_tool_is_refused_and_written_down(folder: Path):
    def drifted(key: str, arguments: dict[str, Any]) -> None:
        raise raised("contract_drift", "`test.read` has another schema.", sent=False)

    async with served(folder, tools=Tools(drifted)) as (client, engine):
        assert fault(await client.call_tool("read", {}))["class"] == "contract_drift"
        assert fault(await client.call_tool("test__read", {}))["class"] == "contract_drift"
        assert await refusals(engine) == [("tool", "contract_drift")] * 2


async def test_calls_of_what_is_not_there_are_written_down(folder: Path, caplog: pytest.LogCaptureFixture):
    nobody = Principal("nobody", "acme", frozenset())
    async with served(folder, who=nobody) as (client, engine):
        for name in ("no_such_tool", "ruled"):
            with pytest.raises(Exception, match="no tool"):
                await client.call_tool(name, {})
        assert await refusals(engine) == [("tool", "unknown_tool"), ("resource", "unknown_tool")]
        assert [each.principal for each in await receipts(engine)] == ["nobody"] * 2
    assert "may not call `ruled`" in caplog.text


# ------------------------------------------------------------------ 3 resource


async def test_rights_that_are_lost_while_a_run_goes_on_are_lost_at_once(folder: Path):
    ann = Principal("ann", "acme", frozenset({"rule"}))
    known = Known(ann)
    async with served(folder, who=ann, known=known) as (client, engine):
        assert not (await client.call_tool("ruled", {})).is_error
        known.now[ann.owner] = Principal("ann", "acme", frozenset())
        told = fault(await client.call_tool("ruled", {}))
        assert (told["class"], "`rule`" in told["message"]) == ("denied", True)
        assert await refusals(engine) == [("resource", "denied")]


async def test_addresses_of_private_networks_are_refused_whoever_names_them(folder: Path):
    tools, inside = Tools(), "http://169.254.169.254/latest"
    async with served(folder, tools=tools) as (client, engine):
        for name, arguments in (
            ("visit", {"x": inside}),
            ("test__read", {"where": inside}),
            ("linked", {"x": inside}),
        ):
            told = fault(await client.call_tool(name, arguments))
            assert (told["class"], inside in told["message"]) == ("denied", True)
        assert tools.count == 0
        assert not (await client.call_tool("visit", {"x": "https://pages.example/"})).is_error
        assert await refusals(engine) == [("resource", "denied")] * 3


async def test_with_a_list_of_hosts_the_projects_own_may_be_named_too(tmp_path: Path):
    folder = write(tmp_path, network=p.Network(hosts=("pages.example",)))
    async with served(folder) as (client, _):
        for host, fine in (("pages.example", True), ("own.example", True), ("other.example", False)):
            for name, arguments in (("linked", {"x": f"https://{host}/"}), ("visit", {"x": f"https://{host}/"})):
                assert (await client.call_tool(name, arguments)).is_error is not fine


# ------------------------------------------------------------------ 4 consent


@pytest.mark.parametrize("era", ERAS)
async def test_the_user_is_asked_before_a_destructive_tool(folder: Path, era: str):
    tools, user = Tools(), User(yes(approve=True), NO)
    async with served(folder, tools=tools, user=user, era=era) as (client, engine):
        done = await client.call_tool("test__write", {"x": 1})
        assert done.structured_content == {"x": 1}
        assert user.asked[0].message == 'May `test.write` be called with these arguments?\n\n{\n  "x": 1\n}'
        told = fault(await client.call_tool("test__write", {"x": 2}))
        assert (told["class"], tools.calls) == ("denied", [("write", {"x": 1})])
        for name in ("test__mild", "test__read", "two"):
            assert not (await client.call_tool(name, {})).is_error
        assert len(user.asked) == 2
        assert await refusals(engine) == [("consent", "denied")]
        consented = next(each for each in await receipts(engine) if each.approval is not None)
        assert consented.approval is not None
        assert (consented.approval["approved"], consented.approval["by"]) == (True, "user")


async def test_a_client_that_cannot_ask_is_told_that_consent_is_required(folder: Path):
    tools = Tools()
    async with served(folder, tools=tools) as (client, engine):
        for _ in range(3):
            assert fault(await client.call_tool("test__write", {}))["class"] == "consent_required"
        assert (tools.count, engine.runs._runs) == (0, {})
        assert await refusals(engine) == [("consent", "consent_required")] * 3


async def test_the_owner_says_what_is_asked_about(folder: Path, caplog: pytest.LogCaptureFixture):
    user = User(yes(approve=True), yes(approve=True))
    async with served(folder, "--consent", "listed", "--ask-first", "read,test__mild", user=user) as (client, _):
        assert (await client.call_tool("read", {"x": 7})).structured_content == {"s": {"x": 7}}
        assert not (await client.call_tool("test__mild", {})).is_error
        assert not (await client.call_tool("test__write", {})).is_error
        assert [each.message.split("`")[1] for each in user.asked] == ["read", "test.mild"]
    async with served(folder, "--consent", "never", "--ask-first", "wriet") as (client, _):
        assert not (await client.call_tool("test__write", {})).is_error
    assert "`wriet`, which the user is to be asked about first, is neither a chain nor a tool here" in caplog.text


async def test_a_consent_is_for_the_arguments_that_were_shown(folder: Path):
    """An answer that comes with other arguments is none; with the same ones it counts once."""
    tools, user = Tools(), User()
    async with served(folder, tools=tools, user=user) as (client, _):
        asked = await client.session.call_tool("test__write", {"x": 1}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        answer = ElicitResult(action="accept", content={"approve": True})

        async def repeat(x: int) -> Any:
            return await client.session.call_tool(
                "test__write",
                {"x": x},
                input_responses=dict.fromkeys(asked.input_requests or {}, answer),
                request_state=asked.request_state,
                allow_input_required=True,
            )

        with pytest.raises(MCPError, match="requestState"):
            await repeat(2)
        assert tools.count == 0
        assert (await repeat(1)).structured_content == {"x": 1}
        again = await repeat(1)
        assert (again.is_error, tools.calls) == (True, [("write", {"x": 1})])


async def test_a_question_that_could_not_be_put_is_no_consent(folder: Path):
    class Broken(User):
        async def __call__(self, context: Any, params: Any) -> ElicitResult:
            raise RuntimeError("no window")

    tools = Tools()
    async with served(folder, tools=tools, user=Broken(), era="legacy") as (client, engine):
        assert fault(await client.call_tool("test__write", {}))["class"] == "consent_required"
        assert (tools.count, engine.runs._runs) == (0, {})


async def test_a_server_that_ends_waits_for_no_consent(folder: Path, tmp_path: Path):
    store = SqliteStore.open(tmp_path / "state.db")
    tools = Tools()
    with anyio.fail_after(60):
        async with served(folder, tools=tools, user=User(), store=store) as (client, _):
            asked = await client.session.call_tool("test__write", {"x": 1}, allow_input_required=True)
            assert isinstance(asked, InputRequiredResult)
    await store.close()
    assert tools.count == 0


# ------------------------------------------------------------------ 5 budget


async def test_a_principal_that_has_used_its_share_is_told_when_to_come_back(tmp_path: Path):
    limits = p.Limits(principal=p.Allowance(calls=3, window_ms=60_000))
    tools = Tools()
    async with served(write(tmp_path, limits=limits), tools=tools) as (client, engine):
        assert not (await client.call_tool("two", {})).is_error
        assert not (await client.call_tool("test__read", {})).is_error
        for name in ("test__read", "read", "test__read"):
            told = fault(await client.call_tool(name, {}))
            assert (told["class"], told["details"]["limit"]) == ("budget_exceeded", "calls")
            assert told["next"].startswith("Call again in ")
        assert tools.count == 3
        assert await refusals(engine) == [("budget", "budget_exceeded")] * 3


async def test_a_budget_that_ends_within_a_run_ends_the_run(tmp_path: Path):
    limits = p.Limits(session=p.Allowance(calls=1, window_ms=60_000))
    async with served(write(tmp_path, limits=limits)) as (client, engine):
        told = fault(await client.call_tool("two", {}))
        assert (told["class"], told["step"], told["done"]) == ("budget_exceeded", "s", ["a"])
        assert await refusals(engine) == [("budget", "budget_exceeded")]


# ------------------------------------------------------------------ 6 side effect


async def test_a_repeated_request_has_its_effect_once(folder: Path):
    tools = Tools()
    async with served(folder, tools=tools) as (client, engine):
        first = await client.call_tool("keyed", {"x": 1})
        again = await client.call_tool("keyed", {"x": 1})
        assert first.structured_content == again.structured_content
        assert tools.count == 1
        assert [each.replayed for each in await receipts(engine)] == [False, True]


# ------------------------------------------------------------------ 7 result


async def test_too_much_is_refused_and_kept(tmp_path: Path):
    limits = p.Limits(inline_bytes=200, result_bytes=1000)
    tools = Tools(lambda key, arguments: ToolAnswer(structured="y" * int(arguments["x"])))
    async with served(write(tmp_path, limits=limits), tools=tools) as (client, engine):
        assert fault(await client.call_tool("read", {"x": 2000}))["class"] == "result_too_large"
        assert await refusals(engine) == [("result", "result_too_large")]
        told = fault(await client.call_tool("test__read", {"x": 500}))
        page = await client.call_tool("handle_read", {"handle": told["details"]["handle"]["id"], "limit": 10})
        assert not page.is_error
        assert fault(await client.call_tool("read", {"x": 400}))["class"] == "result_too_large", "of the whole chain"
        assert await refusals(engine) == [("result", "result_too_large")] * 3


def masked(folder: Path) -> Path:
    return write(folder, mask=(p.Secret(name="customer", pattern="ACME-[0-9]{4}"),))


async def test_secrets_are_masked_in_whatever_clients_see_and_nowhere_else(tmp_path: Path):
    tools, user = Tools(), User(yes(approve=True))
    async with served(masked(tmp_path), tools=tools, user=user) as (client, _):
        answers = [
            await client.call_tool(name, {"x": SECRET}) for name in ("read", "test__read", "test__write", "kept")
        ]
        assert [each[1] for each in tools.calls] == [{"x": SECRET}] * 3, "steps pass it on"
        assert isinstance(answers[3].structured_content, dict)
        handle = answers[3].structured_content["handle"]
        assert handle["summary"] == "It is [masked: customer]"
        answers.append(await client.call_tool("handle_read", {"handle": handle["id"]}))
        answers.append(await client.call_tool("handle_describe", {"handle": handle["id"]}))
        seen = [each.model_dump_json() for each in answers] + [user.asked[0].message]
        page = (await client.read_resource(f"chainc://handle/{handle['id']}")).contents[0]
        assert isinstance(page, TextResourceContents)
        seen.append(page.text)
        for each in seen:
            assert "ACME-" not in each
        assert sum("[masked: customer]" in each for each in seen) >= len(seen) - 1
        assert answers[0].structured_content == {"s": {"x": "[masked: customer]"}}
        assert text(answers[0]).startswith("It is [masked: customer]\n")


async def test_secrets_are_masked_in_faults_and_in_the_words_of_tools(tmp_path: Path):
    def fails(key: str, arguments: dict[str, Any]) -> ToolAnswer:
        return ToolAnswer(content=({"type": "text", "text": f"no {SECRET}"},), is_error=True)

    async with served(masked(tmp_path), tools=Tools(fails)) as (client, _):
        assert fault(await client.call_tool("read", {}))["message"] == "`test.read` failed: no [masked: customer]"
        own = await client.call_tool("test__read", {})
        assert isinstance(own.content[0], TextContent)
        assert (own.is_error, own.content[0].text) == (True, "no [masked: customer]")
        asked = fault(await client.call_tool("asks", {}))
        assert asked["class"] == "input_required"


# ------------------------------------------------------------------ the circuit breaker


async def test_the_same_call_is_not_made_a_third_time(folder: Path):
    failing = True

    def fails(key: str, arguments: dict[str, Any]) -> None:
        if failing:
            raise raised("tool_error", "no")

    tools = Tools(fails)
    async with served(folder, tools=tools) as (client, engine):
        for name in ("read", "test__read"):
            tools.calls.clear()
            for expected in ("tool_error", "tool_error", "circuit_open", "circuit_open"):
                told = fault(await client.call_tool(name, {"x": 1}))
                assert told["class"] == expected
            assert tools.count == 2
            assert told["next"].startswith("Change the arguments or ask the user.")
            assert fault(await client.call_tool(name, {"x": 2}))["class"] == "tool_error"
        assert await refusals(engine) == [("breaker", "circuit_open")] * 4
        failing = False
        assert not (await client.call_tool("read", {"x": 2})).is_error
        failing = True
        assert fault(await client.call_tool("read", {"x": 2}))["class"] == "tool_error"
        assert fault(await client.call_tool("read", {"x": 2}))["class"] == "tool_error", "a success began anew"


async def test_what_a_person_decides_opens_nothing(folder: Path):
    user = User(NO, NO, NO, NO)
    async with served(folder, user=user) as (client, _):
        for _ in range(4):
            assert fault(await client.call_tool("asks", {}))["class"] == "denied"
    async with served(folder) as (client, _):
        for _ in range(4):
            assert fault(await client.call_tool("asks", {}))["class"] == "input_required"
