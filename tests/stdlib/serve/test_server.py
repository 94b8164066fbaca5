"""The server in this process, asked by the official client in both eras."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, ResourceLink, TextContent, TextResourceContents

from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.plan.catalogue import Catalogue, Entry
from stdlib.plan.document import to_text
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve.engine import Engine
from stdlib.serve.handle_calls import HandleCalls
from stdlib.serve.options import read_options
from stdlib.serve.server import STRICT, build_server
from stdlib.serve.visible import unknown_tags
from tests.stdlib.runtime.plans import AT, chain, given, plan, record, ref

from .bundles import entry, write_bundle

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_bundle(tmp_path)


def catalogue_of(folder: Path) -> Catalogue:
    return Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())


@asynccontextmanager
async def served(folder: Path, *argv: str, era: str = "auto") -> AsyncIterator[Client]:
    options = read_options(argv)
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, MemoryStore())
        async with Client(build_server(catalogue_of(folder), engine, options), mode=era) as client:
            yield client
        await engine.close()


def text(result: CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text


MANY_DIGITS = f"chainc://handle/h_0?offset={'9' * 5000}"


def fault(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error
    assert result.structured_content is None
    told: dict[str, Any] = json.loads(text(result))["fault"]
    return told


async def names(folder: Path, *argv: str) -> list[str]:
    async with served(folder, *argv) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("era", ERAS)
async def test_the_list_has_every_part_of_a_tool(folder: Path, era: str):
    async with served(folder, era=era) as client:
        page = await client.list_tools()
        assert page.next_cursor is None
        tools = {tool.name: tool for tool in page.tools}
        assert list(tools) == ["echo", "make", "count", "act", "secret", "handle_read", "handle_describe"]
        for tool in tools.values():
            assert tool.title
            assert tool.description
            assert tool.input_schema["type"] == "object"
            assert tool.output_schema is not None
            assert tool.output_schema["type"] == "object"
            assert tool.annotations is not None
            hints = tool.annotations
            said = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
            assert said == (True, False, True, False)
        assert tools["count"].output_schema is not None
        assert tools["count"].output_schema["properties"] == {"result": {"type": "integer"}}
        with pytest.raises(MCPError, match="There is no such page"):
            await client.list_tools(cursor="2")


@pytest.mark.parametrize("era", ERAS)
async def test_results_are_complete_in_both_forms(folder: Path, era: str):
    async with served(folder, era=era) as client:
        for value in (None, 10**30, 1.5, "ü \u2028", [1, {"a": None}]):
            result = await client.call_tool("echo", {"value": value})
            assert not result.is_error
            assert result.structured_content == {"value": value}
            assert json.loads(text(result)) == {"value": value}


@pytest.mark.parametrize("era", ERAS)
async def test_a_handle_is_made_read_passed_on_and_linked(folder: Path, era: str):
    async with served(folder, era=era) as client:
        made = await client.call_tool("make", {"rows": [{"n": n} for n in range(5000)]})
        assert made.structured_content is not None
        handle = made.structured_content["handle"]
        assert (handle["kind"], handle["items"], handle["summary"]) == ("rows", 5000, "Rows: 5000")
        link = made.content[1]
        assert isinstance(link, ResourceLink)
        assert link.uri == f"chainc://handle/{handle['id']}"
        counted = await client.call_tool("count", {"table": handle["id"]})
        assert counted.structured_content == {"result": 5000}

        read = 0
        offset = 0
        for _ in range(20):
            page = (
                await client.call_tool("handle_read", {"handle": handle["id"], "offset": offset})
            ).structured_content
            assert page is not None
            assert len(json.dumps(page)) < 20_000 * 2
            read += len(page["items"])
            if page["next_offset"] is None:
                break
            offset = page["next_offset"]
        assert read == 5000
        described = await client.call_tool("handle_describe", {"handle": handle["id"]})
        assert described.structured_content is not None
        assert described.structured_content["fields"] == {"n": "integer"}

        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == ["chainc://handle/{id}{?path,offset,limit}"]
        content = (await client.read_resource(f"{link.uri}?path=%5B7%5D.n")).contents[0]
        assert isinstance(content, TextResourceContents)
        assert json.loads(content.text)["value"] == 7
        for uri in ("chainc://handle/h_0", "chainc://other/x", f"{link.uri}?offset=x", "chainc://[", MANY_DIGITS):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.error.data["fault"]["class"] in ("handle_denied", "invalid_input")


async def test_an_oversize_result_is_a_fault_with_a_handle(folder: Path):
    async with served(folder) as client:
        result = await client.call_tool("act", {"do": "size", "bytes": 100_000})
        told = fault(result)
        assert told["class"] == "result_too_large"
        handle = told["details"]["handle"]["id"]
        assert handle in told["next"]
        assert isinstance(result.content[1], ResourceLink)
        page = await client.call_tool("handle_read", {"handle": handle, "path": "s", "limit": 5})
        assert page.structured_content is not None
        assert page.structured_content["text"] == "xxxxx"


async def test_faults_tell_what_is_wrong(folder: Path):
    async with served(folder) as client:
        assert fault(await client.call_tool("echo", {}))["message"] == "`echo` needs the input `value`."
        assert fault(await client.call_tool("count", {"table": "h_0"}))["class"] == "handle_denied"
        assert fault(await client.call_tool("act", {"do": "kill"}))["class"] == "unavailable"
        assert fault(await client.call_tool("handle_read", {"handle": "h_0", "x": 1}))["class"] == "invalid_input"
        assert fault(await client.call_tool("handle_read", {"handle": 7}))["message"] == "`handle` must be a text."
        assert (await client.call_tool("echo", {"value": 1})).structured_content == {"value": 1}


async def test_null_for_what_is_left_out_only_from_strict_clients(folder: Path):
    arguments = {"table": "h_0", "note": None}
    async with served(folder) as client:
        assert fault(await client.call_tool("count", arguments))["class"] == "invalid_input"
        asked = await client.call_tool("count", arguments, meta=cast("Any", {STRICT: True}))
        assert fault(asked)["class"] == "handle_denied"
    async with served(folder, "--strict") as client:
        assert fault(await client.call_tool("count", arguments))["class"] == "handle_denied"
        assert (await client.call_tool("echo", {"value": "[1]"})).structured_content == {"value": [1]}
        assert fault(await client.call_tool("echo", {"value": "["}))["class"] == "invalid_input"


async def test_profiles_groups_and_stages_decide_what_is_seen(folder: Path):
    handles = ["handle_read", "handle_describe"]
    assert await names(folder, "--groups", "plain") == ["echo", "make", "count", *handles]
    assert await names(folder, "--groups", "plain,hidden") == ["echo", "make", "count", "secret", *handles]
    assert await names(folder, "--stages", "first") == ["echo", "make", "act", "secret", *handles]
    assert await names(folder, "--groups", "plain", "--stages", "last") == ["echo", "count", *handles]
    assert await names(folder, "--groups", "nobody", "--no-handles") == []
    everything = await names(folder, "--profile", "all")
    assert everything[5:] == ["test__read", "test__put", "test__write", *handles]
    catalogue = catalogue_of(folder)
    assert list(unknown_tags(catalogue, read_options(["--groups", "plain,nobody"]).choice)) == [
        "no chain has the group `nobody`; there are: hidden, plain"
    ]


async def test_a_primitive_is_described_in_its_servers_own_words(folder: Path):
    file = folder / "plan.json"
    plan = json.loads(file.read_text())
    plan["sources"]["test"]["tools"]["read"]["description"] = "Reads."
    file.write_text(json.dumps(plan))
    async with served(folder, "--profile", "all") as client:
        told = {tool.name: tool.description for tool in (await client.list_tools()).tools}
    assert (told["test__read"], told["test__put"]) == ("Reads.", "The tool `put` of `test`, as it is.")


@pytest.mark.parametrize("name", ["secret", "test__read", "handle_read", "nothing"])
async def test_what_is_not_seen_cannot_be_called(folder: Path, name: str):
    async with served(folder, "--groups", "plain", "--no-handles") as client:
        with pytest.raises(MCPError, match=f"There is no tool `{name}` here") as found:
            await client.call_tool(name, {"do": "echo"})
        assert found.value.code == -32602


async def test_primitives_are_handed_through(folder: Path):
    async with served(folder, "--profile", "all") as client:
        echoed = await client.call_tool("test__read", {"do": "echo", "value": 1})
        assert echoed.structured_content == {"value": 1}
        assert (await client.call_tool("test__read", {"do": "error", "message": "no"})).is_error
        assert fault(await client.call_tool("test__read", {}))["class"] == "invalid_input"
        assert (
            fault(await client.call_tool("test__read", {"do": "size", "bytes": 50_000}))["class"] == "result_too_large"
        )


async def test_progress_goes_forward(folder: Path):
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with served(folder, era="legacy") as client:
        await client.call_tool("act", {"do": "echo"}, progress_callback=note)
        await anyio.wait_all_tasks_blocked()
    assert told == [(1, 2, "first done"), (2, 2, "s done")]


async def test_a_client_that_gives_up_stops_the_run(folder: Path):
    async with served(folder, era="legacy") as client:
        with anyio.move_on_after(0.5) as scope:
            await client.call_tool("act", {"do": "hang"})
        assert scope.cancelled_caught
        assert (await client.call_tool("echo", {"value": 1})).structured_content == {"value": 1}


async def test_a_mistake_of_ours_tells_no_secret(folder: Path, monkeypatch: pytest.MonkeyPatch):
    async with served(folder) as client:

        def broken(*_: Any, **__: Any) -> Any:
            raise RuntimeError("secret")

        monkeypatch.setattr(HandleCalls, "page", broken)
        result = await client.call_tool("handle_read", {"handle": "x"})
        assert fault(result)["class"] == "internal"
        assert "secret" not in text(result)


@pytest.mark.parametrize("era", ERAS)
async def test_an_answer_that_cannot_be_written_is_a_fault_of_its_call_alone(folder: Path, monkeypatch, era: str):
    async with served(folder, era=era) as client:

        async def half(*_: Any, **__: Any) -> Any:
            return CallToolResult(content=[TextContent(text="secret \udcff")])

        monkeypatch.setattr(HandleCalls, "read", half)
        result = await client.call_tool("handle_read", {"handle": "x"})
        assert fault(result)["class"] == "internal"
        assert "secret" not in text(result)
        assert (await client.call_tool("echo", {"value": 1})).structured_content == {"value": 1}


async def test_a_source_can_be_moved(folder: Path):
    async with served(folder, "--source", "test=no-such-program --flag") as client:
        told = fault(await client.call_tool("echo", {"value": 1}))
        assert told["message"] == "The program `no-such-program` of `test` is not installed."


@pytest.mark.parametrize("era", ERAS)
async def test_results_of_every_version_fit_the_listed_schema(tmp_path: Path, era: str):
    """The client refuses structured content that does not fit the output schema of the list."""
    told = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    old = p.Adapter(
        version="1.x",
        inputs=(given("name"),),
        input_schema={"type": "object", "properties": {"name": {}}, "required": ["name"]},
        arguments=(p.Argument(name="who", value=ref("name")),),
        output=ex.Member(base=ref("result"), name="text"),
        output_schema={"type": "string"},
        wrapped=True,
        origin=AT,
    )
    one = chain("old", output=record(text=ref("who")), inputs=(given("who"),), schema=told)
    one = one.model_copy(update={"adapters": (old,)})
    adapted = [{"version": "1.x", "schema": {"type": "string"}}]
    made = entry(one, told)
    made = Entry.model_validate(
        made.model_dump(by_alias=True) | {"output": {"mode": "scalar", "schema": told, "adapted": adapted}}
    )
    (tmp_path / "plan.json").write_text(to_text(plan(one)))
    catalogue = Catalogue(name="test", version="1.0.0", entries=(made,))
    (tmp_path / "catalogue.json").write_text(to_text(catalogue))
    async with served(tmp_path, era=era) as client:
        (tool, *_) = (await client.list_tools()).tools
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert (await client.call_tool("old", {"name": "bob"})).structured_content == {"result": "bob"}
        assert (await client.call_tool("old", {"who": "bob"})).structured_content == {"text": "bob"}
