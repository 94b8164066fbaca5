"""Which hosts and addresses a request may reach."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.plan.openapi import Network
from stdlib.runtime.fault import RunFault
from stdlib.runtime.gates.network import BadUrl, Guard, Origin, fits, forbidden, read_url, system_resolver

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("text", "origin", "rest"),
    [
        ("https://Crm.Example/v2", "https://crm.example", "/v2"),
        ("http://crm.example.:80", "http://crm.example", "/"),
        ("https://crm.example:8443/a%2Fb?c=%26", "https://crm.example:8443", "/a%2Fb?c=%26"),
        ("http://127.0.0.1:5000/", "http://127.0.0.1:5000", "/"),
        ("http://[0:0::1]:81/x#y", "http://[::1]:81", "/x"),
    ],
)
def test_urls(text: str, origin: str, rest: str):
    found, path = read_url(text)
    assert (str(found), path) == (origin, rest)


@pytest.mark.parametrize(
    "text",
    [
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://127.0.0.1.5/",
        "http://1/",
        "http://crm.example@127.0.0.1/",
        "http://127.0.0.1:80@crm.example/",
        "http://crm.example\\@evil.example/",
        "http://crm.example\t.evil.example/",
        "http://crm.example/a b",
        "http://crm.exämple/",
        "http://\uff11\uff12\uff17.0.0.1/",
        "http://[::1%25lo]/",
        "http://[fe80::1%eth0]/",
        "http://[::1/",
        "http://[v1.x]/",
        "http://a..b/",
        "http://%31%32%37.0.0.1/",
        "http://a_b!c/",
        "http:///x",
        "http://:80/",
        "http://a:0/",
        "http://a:99999/",
        "http://a:b/",
        "ftp://crm.example/",
        "file:///etc/passwd",
        "gopher://crm.example/",
        "//crm.example/",
        "crm.example",
        "",
    ],
)
def test_urls_that_readers_could_take_differently(text: str):
    with pytest.raises(BadUrl):
        read_url(text)


def test_patterns_of_hosts():
    assert fits("crm.example", "CRM.example.")
    assert fits("a.crm.example", "*.crm.example")
    assert fits("a.b.crm.example", "*.crm.example")
    assert not fits("crm.example", "*.crm.example")
    assert not fits("evilcrm.example", "*.crm.example")
    assert not fits("crm.example.evil", "crm.example")


LOOPBACK = """127.0.0.1 127.255.0.9 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 2002:7f00:1::
    ::ffff:0:127.0.0.1"""
PRIVATE = """10.0.0.1 172.16.3.4 192.168.1.1 100.64.0.1 198.18.0.1 240.0.0.1 255.255.255.255 fc00::1 fd12::1 fec0::1
    2001:db8::1 ::ffff:10.0.0.1 2002:a00:1:: 64:ff9b::a00:1 2001:0:a00:1::"""
NEVER = """169.254.169.254 fe80::1 fe80::1%eth0 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: 0.0.0.0 ::
    ::ffff:0.0.0.0 224.0.0.1 ff02::1 nonsense 192.0.0.192 168.63.129.16 100.100.100.200 fd00:ec2::254 64:ff9b:1::7f00:1
    ::ffff:0:169.254.169.254 ::ffff:168.63.129.16 64:ff9b::a83f:8110"""


@pytest.mark.parametrize("address", [*LOOPBACK.split(), *PRIVATE.split()])
def test_private_addresses_only_where_allowed(address: str):
    assert forbidden(address, private_networks=False) is not None


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd12::1"])
def test_private_addresses_where_allowed(address: str):
    assert forbidden(address, private_networks=True) is None


@pytest.mark.parametrize("address", [*NEVER.split(), ""])
def test_special_addresses_never(address: str):
    assert forbidden(address, private_networks=False) is not None
    assert forbidden(address, private_networks=True) is not None


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_addresses_of_the_internet(address: str):
    assert forbidden(address, private_networks=False) is None


def guard(answers: Any, **network: Any) -> Guard:
    async def resolve(host: str, port: int) -> list[str]:
        if isinstance(answers, Exception):
            raise answers
        return list(answers)

    return Guard("s", Network(**network), frozenset(("own.example",)), resolve)


HERE = Origin("https", "own.example", 443)


async def test_every_address_of_a_name_is_checked():
    assert await guard(["8.8.8.8", "1.1.1.1"]).addresses(HERE) == ["8.8.8.8", "1.1.1.1"]
    for answers in (["8.8.8.8", "127.0.0.1"], ["::ffff:10.0.0.1"], ["169.254.169.254"]):
        with pytest.raises(RunFault) as found:
            await guard(answers).addresses(HERE)
        assert (found.value.fault.fault_class, found.value.fault.sent) == ("denied", False)


async def test_names_without_an_address():
    cases: list[Any] = [[], OSError("no such name"), UnicodeError("label too long")]
    for answers in cases:
        with pytest.raises(RunFault) as found:
            await guard(answers).addresses(HERE)
        assert (found.value.fault.fault_class, found.value.fault.sent) == ("unavailable", False)


async def test_addresses_need_no_resolver():
    assert await guard(AssertionError()).addresses(Origin("http", "8.8.8.8", 80)) == ["8.8.8.8"]


async def test_the_system_resolves_localhost():
    assert set(await system_resolver("localhost", 80)) <= {"127.0.0.1", "::1"}


def test_hosts_by_name():
    allowed = guard([], hosts=("*.cdn.example",))
    allowed.allow(HERE, "It", sent=False)
    allowed.allow(Origin("https", "a.cdn.example", 443), "It", sent=False)
    with pytest.raises(RunFault) as found:
        allowed.allow(Origin("https", "evil.example", 443), "A redirect of `s.t`", sent=True)
    assert found.value.fault.message == "A redirect of `s.t` leads to `evil.example`, which is no allowed host."
