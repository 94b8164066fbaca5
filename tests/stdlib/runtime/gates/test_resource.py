"""Gate 3: scopes, addresses, paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.plan import plan as p
from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.gates.passing import Passing
from stdlib.runtime.gates.resource import ANSWER_S, Resources, resource
from stdlib.runtime.principal import Principal

from .passings import Behind, loaded, passing, refused

pytestmark = pytest.mark.anyio

WHERE: dict[str, Any] = {"where": {"type": "string", "format": "uri"}}
FILE: dict[str, Any] = {"file": {"type": "string", "format": "path"}}
HERE = p.Stdio(command="nothing")
THERE = p.Http(url="https://own.example/mcp")


async def judged(text: str, transport: p.Transport = THERE, **network: Any) -> str | None:
    """Why an address is refused; None where it is not."""
    plan = loaded(WHERE, transport=transport, network=p.Network(**network))
    found = await said(passing(plan, {"where": text}))
    if found is None:
        return None
    assert (found.fault_class, found.refused, found.sent) == ("denied", "resource", False)
    return found.message


async def said(call: Passing) -> Fault | None:
    try:
        await resource(call, Behind())
    except RunFault as found:
        return found.fault
    return None


# ------------------------------------------------------------------ scopes


@pytest.mark.parametrize(
    ("has", "needs", "lacks"),
    [(None, ("a",), ""), ({"a", "b"}, ("a",), ""), (set(), (), ""), ({"a"}, ("a", "b"), "b"), (set(), ("a",), "a")],
)
async def test_scopes(has: set[str] | None, needs: tuple[str, ...], lacks: str):
    call = passing(scopes=needs, principal=Principal("ann", scopes=None if has is None else frozenset(has)))
    if not lacks:
        assert await resource(call, Behind()) == "done"
        return
    fault = await refused(resource, call)
    assert (fault.fault_class, fault.refused) == ("denied", "resource")
    assert fault.message == f"`test.act` needs the scope `{lacks}`, which `ann` lacks."


# ------------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    "text",
    [
        "https://pages.example/a?b#c",
        "https://pages.example/köln",
        "http://93.184.216.34/x",
        "mailto:ann@pages.example",
        "urn:isbn:0451450523",
        "ftp://pages.example/x",
        "no address at all",
    ],
)
async def test_without_a_list_every_public_address_may_be_named(text: str):
    assert await judged(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1/",
        "http://127.0.0.1:8080/admin",
        "http://localhost/",
        "http://a.localhost/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.1.2.3/",
        "http://192.168.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "ftp://10.0.0.1/x",
        "//10.0.0.1/x",
        "localhost:6379",
        "10.0.0.1:80/x",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://pages.example@127.0.0.1/",
        "http://127.0.0.1\\@pages.example/",
        " http://127.0.0.1/",
        "HTTP://127.0.0.1/",
        "http:/127.0.0.1/",
        "http://[::1",
        "file:///etc/passwd",
    ],
)
async def test_private_networks_and_disguises_are_refused(text: str):
    assert await judged(text) is not None


async def test_private_networks_where_they_are_allowed():
    assert await judged("http://127.0.0.1:8080/", private_networks=True) is None
    assert await judged("http://localhost/", private_networks=True) is None
    assert await judged("http://169.254.169.254/", private_networks=True) is not None


async def test_with_a_list_a_host_must_be_in_it_or_be_the_sources_own():
    hosts: dict[str, Any] = {"hosts": ("*.pages.example", "one.example")}
    for text in ("https://a.pages.example/", "https://one.example/", "https://own.example/x", "ftp://one.example/"):
        assert await judged(text, **hosts) is None
    assert "`pages.example` is no allowed host" in (await judged("https://pages.example/", **hosts) or "")
    assert await judged("ftp://other.example/", **hosts) is not None


@pytest.mark.parametrize(
    ("found", "transport", "fine"),
    [
        (["10.0.0.7"], HERE, False),
        (["93.184.216.34", "10.0.0.7"], HERE, False),
        (["93.184.216.34"], HERE, True),
        ([], HERE, True),
        (["10.0.0.7"], THERE, True),
    ],
)
async def test_names_are_looked_up_for_tools_of_this_machine(found: list[str], transport: p.Transport, fine: bool):
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        if not found:
            raise OSError
        return found

    resources = Resources(p.Network(), resolve=resolve)
    source = p.Source(transport=transport, tools={})
    for _ in range(2):
        if fine:
            await resources.check("`t.x`", source, "url", "https://inside.corp/")
        else:
            with pytest.raises(RunFault, match="private network"):
                await resources.check("`t.x`", source, "url", "https://inside.corp/")
    times = 0 if transport is not HERE else 1 if found else 2
    assert asked == ["inside.corp"] * times, "here alone, and once where there is an answer"


@pytest.mark.parametrize("failure", [OSError, UnicodeError])
async def test_a_lookup_that_fails_once_does_not_switch_the_check_off(failure: type[Exception]):
    answers: list[list[str] | Exception] = [failure(), ["10.0.0.7"]]

    async def resolve(host: str, port: int) -> list[str]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    resources, source = Resources(p.Network(), resolve=resolve), p.Source(transport=HERE, tools={})
    await resources.check("`t.x`", source, "url", "https://inside.corp/")
    with pytest.raises(RunFault, match="private network"):
        await resources.check("`t.x`", source, "url", "https://inside.corp/")


async def test_an_answer_holds_for_a_while():
    now = [0.0]
    answers = [["93.184.216.34"], ["10.0.0.7"]]

    async def resolve(host: str, port: int) -> list[str]:
        return answers.pop(0)

    resources = Resources(p.Network(), resolve=resolve, clock=lambda: now[0])
    source = p.Source(transport=HERE, tools={})
    for now[0] in (0.0, ANSWER_S - 0.1):
        await resources.check("`t.x`", source, "url", "https://inside.corp/")
    now[0] = ANSWER_S
    with pytest.raises(RunFault, match="private network"):
        await resources.check("`t.x`", source, "url", "https://inside.corp/")


async def test_many_names_at_once_do_not_push_out_what_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("stdlib.runtime.gates.resource._KEPT", 0)

    async def resolve(host: str, port: int) -> list[str]:
        return ["10.0.0.7"]

    with pytest.raises(RunFault, match="private network"):
        await Resources(p.Network(), resolve=resolve).check(
            "`t.x`", p.Source(transport=HERE, tools={}), "url", "https://inside.corp/"
        )


@pytest.mark.parametrize("listed", [False, True])
async def test_a_name_whose_lookup_hangs_is_reached_only_where_it_is_listed(
    monkeypatch: pytest.MonkeyPatch, listed: bool
):
    monkeypatch.setattr("stdlib.runtime.gates.resource.LOOK_UP_S", 0.01)

    async def resolve(host: str, port: int) -> list[str]:
        await anyio.sleep_forever()
        raise AssertionError

    source = p.Source(transport=HERE, tools={})
    resources = Resources(p.Network(hosts=("slow.corp",) if listed else ()), resolve=resolve)
    if listed:
        await resources.check("`t.x`", source, "url", "https://slow.corp/")
        return
    with pytest.raises(RunFault, match="could not be found out in time") as found:
        await resources.check("`t.x`", source, "url", "https://slow.corp/")
    assert found.value.fault.next == 'Call again later, or add "slow.corp" to `hosts` of `[allow]`.'


# ------------------------------------------------------------------ paths


async def of_path(text: str, *roots: Path, cwd: Path | None = None) -> bool:
    transport = p.Stdio(command="nothing", cwd=None if cwd is None else str(cwd))
    network = p.Network(roots=tuple(map(str, roots)))
    plan = loaded(FILE | WHERE, transport=transport, network=network)
    given = {"where" if text.startswith("file:") else "file": text}
    found = await said(passing(plan, given))
    assert found is None or found.refused == "resource"
    return found is None


async def test_paths_are_looked_at_where_there_are_roots_alone(tmp_path: Path):
    assert await of_path("/etc/passwd")
    assert not await of_path("/etc/passwd", tmp_path)


async def test_a_path_must_lie_in_a_root_whatever_leads_there(tmp_path: Path):
    data, other = tmp_path / "data", tmp_path / "data2"
    data.mkdir()
    other.mkdir()
    (data / "out").symlink_to(other)
    (data / "in").symlink_to(data)
    for text in (data, data / "a.txt", data / "in" / "b", f"{data}/x/../y"):
        assert await of_path(str(text), data)
    for text in (other, data / "out" / "a", f"{data}/../data2/x", "/", f"{data}/a\0b"):
        assert not await of_path(str(text), data)


async def test_a_relative_path_begins_where_the_tool_runs(tmp_path: Path):
    assert await of_path("a.txt", tmp_path, cwd=tmp_path)
    assert not await of_path("../a.txt", tmp_path, cwd=tmp_path)


async def test_an_address_of_a_file_is_a_path(tmp_path: Path):
    assert await of_path(f"file://{tmp_path}/a%20b", tmp_path)
    assert not await of_path("file:///etc/%70asswd", tmp_path)
    assert not await of_path(f"file://{tmp_path}/%2e%2e/x", tmp_path)
