"""What a request sees: the server's choice, narrowed by headers and `_meta`, then by scopes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, MCPError
from mcp_types import TextResourceContents

from stdlib.plan.catalogue import Catalogue, Entry
from stdlib.plan.plan import Plan
from stdlib.runtime.principal import Principal
from stdlib.runtime.store.memory import MemoryStore
from stdlib.serve.engine import Engine
from stdlib.serve.options import read_options
from stdlib.serve.server import LIST_TTL_MS, build_server
from stdlib.serve.session import Sessions, WrongChoice
from stdlib.serve.visible import Candidate, Choice, candidates

from .bundles import write_bundle
from .secured import client_of, secured, write_secured

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")
HANDLES = ["handle_read", "handle_describe"]
PRIMITIVES = ["test__read", "test__put", "test__write"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_bundle(tmp_path)


@asynccontextmanager
async def served(folder: Path, *argv: str, era: str = "auto", **more: Any) -> AsyncIterator[Client]:
    options = read_options(argv)
    catalogue = Catalogue.model_validate_json((folder / "catalogue.json").read_bytes())
    async with anyio.create_task_group() as group:
        engine = Engine(folder, options, group, MemoryStore())
        async with Client(build_server(catalogue, engine, options), mode=era, **more) as client:
            yield client
        await engine.close()


def choice(**meta: Any) -> Any:
    return cast("Any", {f"chainc/{name}": value for name, value in meta.items()})


async def names(client: Client, **meta: Any) -> list[str]:
    page = await client.list_tools(meta=choice(**meta), cache_mode="bypass")
    return [tool.name for tool in page.tools if tool.name not in HANDLES]


async def registry(client: Client, **meta: Any) -> list[str]:
    read = await client.read_resource("chainc://registry", meta=choice(**meta), cache_mode="bypass")
    content = read.contents[0]
    assert isinstance(content, TextResourceContents)
    return content.text.splitlines()


@pytest.mark.parametrize("era", ERAS)
async def test_meta_narrows_one_request(folder: Path, era: str):
    async with served(folder, "--profile", "all", era=era) as client:
        assert await names(client, groups=["hidden"]) == ["secret"]
        assert await names(client, groups=["hidden", "nobody"]) == ["secret"]
        assert await names(client, stages=["first"]) == ["echo", "make", "act", "secret", *PRIMITIVES]
        assert await names(client, groups=["plain"], stages=["last"]) == ["echo", "count"]
        assert await names(client, profile="semantic") == ["echo", "make", "count", "act", "secret"]
        assert await names(client) == ["echo", "make", "count", "act", "secret", *PRIMITIVES]
        assert await registry(client, groups=["hidden"]) == ["TOOL @secret secret() -> scalar"]
        assert len(await registry(client)) == 8
        assert (await client.call_tool("secret", {}, meta=choice(groups=["hidden"]))).structured_content is not None
        with pytest.raises(MCPError, match="There is no tool `secret` here"):
            await client.call_tool("secret", {}, meta=choice(groups=["plain"]))


async def test_a_request_cannot_widen_what_the_server_chose(folder: Path):
    async with served(folder, "--groups", "plain") as client:
        assert await names(client, groups=["hidden"]) == []
        assert await names(client, groups=["plain", "hidden"]) == ["echo", "make", "count"]
        assert await names(client, profile="all") == ["echo", "make", "count"]
        wider: dict[str, Any]
        for wider in ({"groups": ["hidden"]}, {"groups": []}, {"profile": "all"}, {"stages": []}):
            with pytest.raises(MCPError, match="There is no tool `secret` here"):
                await client.call_tool("secret", {}, meta=choice(**wider))


@pytest.mark.parametrize(
    ("meta", "told"),
    [
        ({"groups": "plain"}, "`chainc/groups` must be a list of names"),
        ({"stages": [1]}, "`chainc/stages` must be a list of names"),
        ({"profile": "everything"}, "`chainc/profile` must be semantic or all"),
        ({"profile": ["all"]}, "`chainc/profile` must be semantic or all"),
        ({"groups": [str(n) for n in range(101)]}, "`chainc/groups` names more than 100"),
    ],
)
async def test_a_choice_that_says_nothing_is_refused(folder: Path, meta: dict[str, Any], told: str):
    async with served(folder) as client:
        for ask in (client.list_tools, client.list_resources, client.list_resource_templates):
            with pytest.raises(MCPError, match=told):
                await ask(meta=choice(**meta))
        with pytest.raises(MCPError, match=told):
            await client.call_tool("echo", {"value": 1}, meta=choice(**meta))


@pytest.mark.parametrize("era", ERAS)
async def test_headers_narrow_and_so_does_meta_within_them(tmp_path: Path, era: str):
    async with secured(write_secured(tmp_path)) as url:
        headers = {"Chainc-Groups": "orchard, granary,", "Chainc-Profile": "semantic"}
        async with client_of(url, "token-all", era, headers=headers) as client:
            assert await names(client) == ["orchard", "granary"]
            assert await names(client, groups=["granary", "distillery"]) == ["granary"]
            with pytest.raises(MCPError, match="There is no tool `distillery` here"):
                await client.call_tool("distillery", {})
        async with client_of(url, "token-grain", era, headers={"Chainc-Stages": "orchard,granary"}) as client:
            assert await names(client) == ["granary", "test__read"]
    headers = {"chainc-stages": "granary,orchard"}
    async with (
        secured(tmp_path, "--stages", "orchard") as url,
        client_of(url, "token-all", era, headers=headers) as client,
    ):
        assert await names(client) == ["orchard", *PRIMITIVES]


async def test_a_header_that_says_nothing_is_refused(tmp_path: Path):
    async with secured(write_secured(tmp_path)) as url:
        with pytest.raises(BaseExceptionGroup) as found:
            async with client_of(url, "token-all", headers={"Chainc-Profile": "mine"}) as client:
                await client.list_tools()
        assert found.group_contains(MCPError, match="`chainc-profile` must be semantic or all")


async def test_lists_say_for_whom_they_hold(folder: Path, tmp_path_factory: pytest.TempPathFactory):
    async with served(folder) as client:
        page = await client.list_tools()
        assert (page.cache_scope, page.ttl_ms) == ("public", LIST_TTL_MS)
        page = await client.list_tools(meta=choice(groups=["plain"]), cache_mode="bypass")
        assert (page.cache_scope, page.ttl_ms) == ("private", 0)
        read = await client.read_resource("chainc://registry")
        assert (read.cache_scope, read.ttl_ms) == ("private", 0)
    there = write_secured(tmp_path_factory.mktemp("secured"))
    async with secured(there) as url, client_of(url, "token-all") as client:
        page = await client.list_tools()
        assert (page.cache_scope, page.ttl_ms) == ("private", LIST_TTL_MS)


async def test_an_earlier_client_is_told_that_its_list_has_changed(folder: Path):
    told: list[str] = []

    async def note(message: Any) -> None:
        told.append(str(getattr(message, "method", "")))

    async with served(folder, era="legacy", message_handler=note) as client:
        capabilities = client.server_capabilities
        assert capabilities.tools is not None
        assert capabilities.tools.list_changed
        await client.list_tools()
        await client.call_tool("echo", {"value": 1})
        await anyio.wait_all_tasks_blocked()
        assert told == []
        await client.call_tool("echo", {"value": 1}, meta=choice(groups=["plain"]))
        await anyio.wait_all_tasks_blocked()
        assert told == ["notifications/tools/list_changed"]
        await client.list_tools(cache_mode="bypass")
        await client.call_tool("echo", {"value": 1})
        await anyio.wait_all_tasks_blocked()
        assert told == ["notifications/tools/list_changed"]


@pytest.mark.parametrize(
    ("sessions", "times"),
    [
        ((None, None, None), 0),
        (("s1", "s2", "s1"), 0),
        (("s1", "s1", "s1"), 2),
    ],
)
async def test_over_http_only_a_session_is_told(sessions: tuple[str | None, ...], times: int):
    catalogue = Catalogue(name="t", version="1", entries=(tagged(1, ["a"], [], []), tagged(2, ["b"], [], [])))
    told: list[str | None] = []
    state = Sessions(candidates(catalogue, lambda: Plan(name="t", version="1"), Choice()))
    for number, each in enumerate(sessions):
        headers = {"Chainc-Groups": "ab"[number % 2], **({"mcp-session-id": each} if each else {})}
        request: Any = Request({}, Headers(headers), "2025-06-18", Told(told, each))
        await state.enter(request)
    assert len(told) == times


@pytest.mark.parametrize("era", ERAS)
async def test_the_registry_is_a_resource(folder: Path, era: str):
    async with served(folder, era=era) as client:
        listed = (await client.list_resources()).resources
        assert [(each.uri, each.mime_type) for each in listed] == [("chainc://registry", "text/plain")]
        assert await registry(client) == [
            "TOOL @echo echo(value:json) -> scalar",
            "TOOL @make make(rows:json) -> handle<rows>",
            "TOOL @count count(table:handle<rows>,note?:string) -> scalar",
            "TOOL @act act(do:json,ms?:json,bytes?:json) -> scalar",
            "TOOL @secret secret() -> scalar",
        ]


TAGS = st.lists(st.sampled_from("abc"), max_size=3, unique=True)
CHOICES = st.builds(Choice, st.sampled_from(["all", "semantic"]), TAGS.map(tuple), TAGS.map(tuple))


@dataclass
class Request:
    """As much of a request as decides what it sees."""

    meta: dict[str, Any]
    request: Any
    protocol_version: str = "2026-07-28"
    session: Any = None


@dataclass
class Told:
    """A client that notes when it is told that its list has changed."""

    told: list[str | None]
    name: str | None

    async def send_tool_list_changed(self) -> None:
        self.told.append(self.name)


@dataclass
class Headers:
    headers: dict[str, str]


def tagged(number: int, groups: list[str], stages: list[str], scopes: list[str]) -> Entry:
    selection = {"title": "T", "groups": groups, "stages": stages}
    entry = {"id": f"t{number}", "version": "1.0.0", "selection": selection, "input": {"schema": {}}}
    more = {"output": {"mode": "scalar", "schema": {}}, "source": {"file": "a", "line": 1}}
    return Entry.model_validate({**entry, **more, "behaviour": {"scopes": scopes}})


def passes(tool: Candidate, choice: Choice) -> bool:
    in_group = not choice.groups or bool(set(choice.groups) & set(tool.groups))
    return in_group and (not choice.stages or not tool.stages or bool(set(choice.stages) & set(tool.stages)))


@given(st.lists(st.tuples(TAGS, TAGS, TAGS), max_size=6), CHOICES, CHOICES, CHOICES, st.none() | TAGS.map(frozenset))
async def test_a_visible_tool_passes_every_choice_and_scope(
    tools: list[tuple[list[str], list[str], list[str]]],
    servers: Choice,
    by_header: Choice,
    by_meta: Choice,
    scopes: frozenset[str] | None,
):
    catalogue = Catalogue(name="t", version="1", entries=tuple(tagged(n, *each) for n, each in enumerate(tools)))
    plan = Plan(name="t", version="1")
    every = candidates(catalogue, lambda: plan, Choice())
    sessions = Sessions(candidates(catalogue, lambda: plan, servers), lambda _: Principal("p", "t", scopes))
    names = {"groups": by_header.groups, "stages": by_header.stages}
    headers = {f"Chainc-{name.title()}": ",".join(some) for name, some in names.items()}
    meta = {"chainc/profile": by_meta.profile, "chainc/groups": [*by_meta.groups], "chainc/stages": [*by_meta.stages]}
    request: Any = Request(meta, Headers(headers))
    state = await sessions.enter(request)
    expected = [
        each.name
        for each in every
        if all(passes(each, choice) for choice in (servers, by_header, by_meta))
        and (scopes is None or each.scopes <= scopes)
    ]
    assert list(state.visible.tools) == expected


MANY = ",".join(str(number) for number in range(101))


@pytest.mark.parametrize("headers", [{"Chainc-Profile": "semantic,all"}, {"chainc-groups": MANY}])
async def test_headers_that_say_too_much(headers: dict[str, str]):
    request: Any = Request({}, Headers(headers))
    with pytest.raises(WrongChoice):
        await Sessions(()).enter(request)
