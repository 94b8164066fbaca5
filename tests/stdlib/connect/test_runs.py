"""Chains over real programs: third-party servers, and one that misbehaves as it is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stdlib.connect.mcp import McpTools, list_tools
from stdlib.plan import expression as ex
from stdlib.plan import plan as p
from stdlib.runtime.load import load_plan
from stdlib.runtime.run import Result, run_chain
from stdlib.runtime.store.memory import MemoryStore
from tests.stdlib.runtime.plans import chain, const, given, loop, record, ref, step

from .sources import scripted_plan, scripted_source

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def does(name: str, tool: str = "read", **what: Any) -> p.CallStep:
    """A step that calls a tool of the scripted server; `what` are its arguments and, where named so, its policy."""
    policy = {key: what.pop(key) for key in ("timeout_ms", "retry", "on_error") if key in what}
    arguments = {key: value if hasattr(value, "kind") else const(value) for key, value in what.items()}
    made = step(name, tool=tool, arguments=arguments, **policy)
    assert isinstance(made, p.CallStep)
    return made


async def run(plan: p.Plan, *chains: dict[str, Any]) -> list[Result]:
    """Runs the plan's first chain once for each set of arguments, over one set of connections."""
    loaded, results = load_plan(plan), []
    async with McpTools(plan) as tools:
        for arguments in chains or ({},):
            first = next(iter(plan.chains))
            results.append(await run_chain(loaded, first, arguments, tools=tools, store=MemoryStore()))
    return results


async def once(*bindings: p.Binding, output: Any = None, source: p.Source | None = None, **limits: int) -> Result:
    answer = output if output is not None else ref(bindings[-1].name)
    one = chain("c", *bindings, output=answer, wrapped=True)
    return (await run(scripted_plan(source or scripted_source(), one, **limits)))[0]


async def test_a_read_survives_the_death_of_its_server_by_a_retry(tmp_path: Path):
    calls = tmp_path / "calls"
    kill = does("kill", do="kill", on_error={"kind": "skip"})
    again = does("again", do="echo", value=7).model_copy(update={"needs": ("kill",)})
    result = await once(kill, again, source=scripted_source("--calls", str(calls), read={}))
    assert result.wire == {"result": {"value": 7}}
    assert len(calls.read_text().splitlines()) == 2


async def test_a_write_whose_server_dies_has_an_unknown_outcome_and_is_done_once(tmp_path: Path):
    calls = tmp_path / "calls"
    result = await once(does("pay", "write", do="kill"), source=scripted_source("--calls", str(calls)))
    assert result.fault is not None
    assert result.fault.fault_class == "unknown_outcome"
    assert "was killed by SIGKILL before it answered" in result.fault.message
    assert result.fault.to_json()["retryable"] is False
    assert len(calls.read_text().splitlines()) == 1


async def test_an_idempotent_write_is_repeated_where_its_author_says_so(tmp_path: Path):
    calls = tmp_path / "calls"
    put = does("put", "put", do="exit", code=1, retry={"count": 2, "wait_ms": 10})
    result = await once(put, source=scripted_source("--calls", str(calls)))
    assert result.fault is not None
    assert result.fault.fault_class == "unavailable"
    assert len(calls.read_text().splitlines()) == 3


async def test_each_misbehaviour_is_a_clear_fault_and_the_next_call_works():
    one = chain(
        "c",
        step("s", arguments={"do": ref("do"), "text": ref("text"), "result": ref("result")}, timeout_ms=400),
        output=ref("s"),
        wrapped=True,
        inputs=(given("do"), given("text", required=False), given("result", required=False)),
    )
    source = scripted_source(read={"type": "object", "required": ["value"]})
    asked: list[dict[str, Any]] = [
        {"do": "hang"},
        {"do": "garbage", "text": "<html>"},
        {"do": "kill"},
        {"do": "text", "text": "prose"},
        {"do": "result", "result": {"content": [], "structuredContent": {"other": 1}}},
        {"do": "result", "result": {"content": "?"}},
        {"do": "echo"},
    ]
    results = await run(scripted_plan(source, one), *asked)
    faults = [each.fault.fault_class if each.fault else None for each in results]
    assert faults == ["timeout", "timeout", "unavailable", *["shape_mismatch"] * 3, None]
    assert results[1].fault is not None
    assert "<html>" in results[1].fault.message


async def test_five_megabytes_pass_through_a_chain_and_end_under_a_handle():
    big = does("big", do="size", bytes=5_000_000)
    text = ex.Member(base=ref("big"), name="text")
    length = await once(big, output=ex.Call(function="count", arguments={"of": text}))
    assert length.wire == {"result": 5_000_000}
    whole = await once(big, output=text)
    assert whole.fault is not None
    assert whole.handle is not None
    assert (whole.fault.fault_class, whole.handle.bytes) == ("result_too_large", 5_000_002)
    limited = await once(big, result_bytes=4_000_000)
    assert limited.fault is not None
    assert limited.fault.message == "`test.read` answered 5000000 bytes; at most 4000000 are taken."


async def test_drift_stops_the_run_before_the_call(tmp_path: Path):
    offer, calls = tmp_path / "offer.json", tmp_path / "calls"
    offer.write_text(json.dumps({"outputSchema": {"type": "object"}}))
    result = await once(does("s", do="echo"), source=scripted_source("--offer", str(offer), "--calls", str(calls)))
    assert result.fault is not None
    assert result.fault.fault_class == "contract_drift"
    assert result.fault.message == "`test.read` has an output schema now."
    assert not calls.exists()


async def test_integers_of_any_size_survive_the_way_there_and_back():
    result = await once(does("s", do="echo", value=[10**30, 2**53 + 1, 1.5]), source=scripted_source(read={}))
    assert result.wire == {"result": {"value": [10**30, 2**53 + 1, 1.5]}}


# ------------------------------------------------------------------ third parties


async def locked(name: str, transport: p.Stdio, **changes: dict[str, Any]) -> p.Source:
    """A source as a lock would hold it, with only the tools that are named; `changes` of each."""
    listing = await list_tools(name, transport, timeout=30)
    tools = {
        each.name: p.Tool(
            name=each.name,
            input_schema=each.input_schema,
            output_schema=each.output_schema,
            result_schema=each.output_schema,
            effects=each.effects or p.Effects(),
            digest=each.digest,
        ).model_copy(update=changes[each.name])
        for each in listing.tools
        if each.name in changes
    }
    return p.Source(transport=transport, tools=tools)


async def test_mcp_server_time():
    transport = p.Stdio(command="mcp-server-time", args=("--local-timezone", "Etc/UTC"))
    source = await locked("test", transport, convert_time={})
    convert = {
        "source_timezone": const("Europe/Paris"),
        "time": const("12:00"),
        "target_timezone": ref("item"),
    }
    zones = loop("l", ref("zones"), step("l", tool="convert_time", arguments=convert))
    hours = ex.ListComprehension(
        value=ex.Member(base=ex.Member(base=ref("z"), name="target"), name="timezone"), variable="z", items=ref("l")
    )
    one = chain("c", zones, output=hours, wrapped=True, inputs=(given("zones"),))
    asked = [{"zones": ["Asia/Tokyo", "America/Lima"]}, {"zones": ["Nowhere/Else"]}]
    good, bad = await run(scripted_plan(source, one), *asked)
    assert good.wire == {"result": ["Asia/Tokyo", "America/Lima"]}
    assert bad.fault is not None
    assert (bad.fault.fault_class, bad.fault.step) == ("tool_error", "l[0]")
    assert "Nowhere/Else" in bad.fault.message


async def test_mcp_server_git(tmp_path: Path):
    for number in range(3):
        _git(tmp_path, "commit", "--allow-empty", "-qm", f"Commit {number}") if number else _git(tmp_path, "init", "-q")
    pattern = r"(?m)^Commit: '?(?P<hash>[0-9a-f]{40})'?\nAuthor: '?(?P<author>.+?)'?$"
    claim = {"type": "array", "items": {"type": "object", "required": ["hash", "author"]}}
    reads = {"parse": p.ParseRule(mode="match", pattern=pattern), "result_schema": claim}
    source = await locked("test", p.Stdio(command="mcp-server-git"), git_log=reads)
    log = step("log", tool="git_log", arguments={"repo_path": ref("folder")})
    one = chain("c", log, output=record(log=ref("log")), inputs=(given("folder"),))
    (result,) = await run(scripted_plan(source, one), {"folder": str(tmp_path)})
    expected = subprocess.run(
        ["git", "-C", str(tmp_path), "log", "--format=%H"], capture_output=True, text=True, check=True
    )
    assert result.wire is not None, result.fault
    assert [each["hash"] for each in result.wire["log"]] == expected.stdout.split()
    assert {each["author"] for each in result.wire["log"]} == {"Ada"}


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@localhost")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, stdout=sys.stderr)
