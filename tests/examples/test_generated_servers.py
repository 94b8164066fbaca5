"""Every example built, its generated server started by itself, and asked by the official SDK client."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from mcp import Client
from mcp_types import TextContent

from stdlib.plan.plan import Plan
from stdlib.runtime.decode import decode
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import Result, run_chain
from stdlib.runtime.store.memory import MemoryStore
from tests.compiler.emit.strict_values import admitted
from tests.corpus import referee
from tests.examples.built import Built, build, environment, over_stdio
from tests.examples.conftest import graph_in
from tests.examples.projects import PROJECTS, simulated

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "canary": (
        "canary_release",
        {"service": "checkout", "version": "1.9.0", "shares": [5, 50], "looks": 2, "window": "PT10S"},
    ),
    "checkout": (
        "checkout",
        {"order_id": "ord-1001", "email": "ada@customers.example", "name": "Ada", "amount": 999, "currency": "USD"},
    ),
    "confirmed_deploy": ("next_release", {"service": "billing"}),
    "email_triage": ("email_triage", {"folder": "newsletters"}),
    "flights": ("cheapest_flights", {"origin": "LIS", "destination": "BER", "day": "2026-07-01", "best": 1}),
    "image_cves": ("image_cves", {"image": "shop/api:1.4.0"}),
    "issue_title": ("issue_title", {"repo": "acme/app", "number": 3}),
    "market_report": ("market_report", {"region": "emea", "focus": "growth"}),
    "meeting_slots": ("standup_hour", {"zones": ["Africa/Lagos", "Asia/Kolkata"]}),
    "note_graph": ("note_graph", {"folder": "people"}),
    "open_incident": ("open_incident", {"alert_id": "al-2291", "dry_run": True}),
    "page_edit": ("page_section", {"page_id": "runbook", "heading": "Escalation"}),
    "recent_changes": ("recent_changes", {"folder": "REPOSITORY", "commits": 2}),
    "refund_order": ("refund_order", {"order_id": "ord-1001", "amount": 500}),
    "repository_report": ("repository_report", {"folder": "REPOSITORY", "commits": 2}),
    "sales_pack": ("sales_pack", {"since": "2026-05-01", "until": "2026-06-01"}),
    "ship_with_crew": ("ship_with_crew", {"line": "north"}),
    "stale_digest": ("stale_digest", {"repo": "acme/app", "channel": "#triage"}),
}
"""What each example is asked."""
SUMMARIES = {
    "canary_release": "checkout 1.9.0 runs instead of 1.9.0; at worst 0.2% of the requests failed on the way.\n",
    "checkout": "9.99 USD in 3 instalments.\n",
    "email_triage": "0 of 1 mails answered, 0 in doubt.\n",
    "cheapest_flights": "25 of 60 flights priced, the cheapest for 94.52 USD.\n",
    "image_cves": "3 of 4 packages are vulnerable, the worst critical; 0 could not be checked.\n",
    "open_incident": "2 services inspected, worst critical.\n",
    "sales_pack": "5 orders, 3,175.62 EUR, best region south: sales.md.\n",
    "ship_with_crew": "3 ships, 5 people aboard.\n",
}
"""The first line of the text, where the output is inline and has a summary."""
ASKING = ("email_triage", "confirmed_deploy", "market_report", "open_incident", "refund_order")
"""Those in which people are asked."""


@pytest.fixture(scope="module", params=PROJECTS)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, services: str) -> Built:
    return build(request.param, tmp_path_factory.mktemp("dist") / "dist", services)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    for words in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "a"],
        ["commit", "-q", "--allow-empty", "-m", "b"],
    ):
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
    return folder


@pytest.fixture(scope="module")
def ready(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """The bundle, and what its tools need on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        if built.name == "note_graph":
            graph_in(tmp_path_factory.mktemp("graph"), patch)
        if built.name == "sales_pack":
            built = replace(built, home=tmp_path_factory.mktemp("sales"))
            simulated("sales").write(built.home / "data", built.services)
        yield built


@pytest.fixture(scope="module")
def url(ready: Built) -> Iterator[str]:
    started = subprocess.Popen(
        ready.command("--http", "0"), stderr=subprocess.PIPE, text=True, env=environment(), cwd=ready.home
    )
    assert started.stderr is not None
    seen = ""
    for line in started.stderr:
        seen += line
        found = re.search(r"http://\S+/mcp", line)
        if found:
            break
    else:
        pytest.fail(f"the server said no address: {seen}")
    yield found[0]
    started.terminate()
    started.communicate(timeout=20)


async def ask(client: Client, built: Built, repository: Path, era: str) -> None:
    """Lists, calls and reads what came back."""
    assert client.protocol_version == ("2025-11-25" if era == "legacy" else "2026-07-28")
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    visible = {entry["id"] for entry in built.json("catalogue.json")["entries"]}
    assert set(tools) - {"resume_run"} == visible | {"handle_read", "handle_describe"}
    assert ("resume_run" in tools) == (built.name in ASKING)
    name, arguments = CALLS[built.name]
    given = {key: str(repository) if value == "REPOSITORY" else value for key, value in arguments.items()}
    result = await client.call_tool(name, given)
    assert not result.is_error, result.content
    found = result.structured_content
    assert found is not None
    block = result.content[0]
    assert isinstance(block, TextContent)
    summary = SUMMARIES.get(name, "")
    assert block.text.startswith(summary)
    assert json.loads(block.text.removeprefix(summary)) == found
    if "handle" in found:
        page = await client.call_tool("handle_read", {"handle": found["handle"]["id"]})
        assert page.structured_content is not None
        assert page.structured_content["total"] == found["handle"]["items"]
    refused = await client.call_tool(name, {**given, "no_such_input": 1})
    assert refused.is_error


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_server_answers_over_stdio(ready: Built, repository: Path, era: str):
    async def test() -> None:
        async with over_stdio(ready, era) as client:
            await ask(client, ready, repository, era)

    anyio.run(test)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_server_answers_over_http(ready: Built, repository: Path, url: str, era: str):
    async def test() -> None:
        async with Client(url, mode=era) as client:
            await ask(client, ready, repository, era)

    anyio.run(test)


def test_the_strict_tools_are_exactly_the_visible_chains_and_pass_the_referee(built: Built):
    tools = built.json("openai.tools.json")
    assert [tool["name"] for tool in tools] == [entry["id"] for entry in built.json("catalogue.json")["entries"]]
    assert all(tool["strict"] is True for tool in tools)
    path = str(built.dist / "openai.tools.json")
    done = subprocess.run([sys.executable, str(referee()), path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "(clean)" in done.stdout


class Silent:
    """Tools that nobody needs here: the arguments are what is looked at. Nothing is tried again after such a fault."""

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> Any:
        raise RunFault(Fault("tool_error", f"{source}.{key} is not asked here."))


def test_arguments_of_the_strict_schemas_are_accepted(built: Built):
    loaded = load_plan(Plan.model_validate_json((built.dist / "plan.json").read_bytes()))
    programs = built.json("openai.decoders.json")["tools"]

    def fault_of(name: str, arguments: Any) -> Fault | None:
        async def run() -> Result:
            return await run_chain(loaded, name, arguments, tools=Silent(), store=MemoryStore())

        return anyio.run(run).fault

    for tool in built.json("openai.tools.json"):
        name, program = tool["name"], programs[tool["name"]]

        @settings(max_examples=60, deadline=None)
        @given(admitted(tool["parameters"], program))
        def accepted(arguments: Any) -> None:
            fault = fault_of(name, decode(program, arguments))  # noqa: B023 - called within its turn of the loop
            assert fault is None or fault.fault_class in ("tool_error", "precondition", "input_required"), fault

        accepted()
