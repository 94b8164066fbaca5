"""Where requests may go: which hosts by name, and which addresses these names may stand for.

A name is looked up once, every address that it has is checked, and the connection goes to a checked address: nothing
is looked up a second time, when it may mean something else.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import anyio

from ...plan.openapi import Network
from ..fault import RunFault, fault

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a host; raises OSError where it has none."""

_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_PORTS: Final = {"http": 80, "https": 443}
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")
_TRANSLATED: Final = ipaddress.IPv6Network("::ffff:0:0:0/96")
_LOCAL_NAT64: Final = ipaddress.IPv6Network("64:ff9b:1::/48")
"""What it leads to is each network's own business (RFC 8215)."""
_METADATA: Final = frozenset(
    map(ipaddress.ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"))
)
"""Where clouds tell a machine its credentials, beside the link-local 169.254.169.254 and its like."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host (small letters, without brackets) and port."""

    scheme: str
    host: str
    port: int

    @property
    def authority(self) -> str:
        """As the Host header has it (RFC 9110 section 7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


class BadUrl(ValueError):
    """The message ends a sentence that begins with the URL."""


def read_url(text: str) -> tuple[Origin, str]:
    """Origin and the rest (path and query, not decoded) of an http or https URL. Raises BadUrl.

    Stricter than RFC 3986, so that no two readers can differ: no user, no backslash, no space, and a host that is a
    name or an address in its usual form (`127.1`, `0x7f000001` and `2130706433` are none).
    """
    if any(not 0x20 < ord(c) < 0x7F for c in text) or "\\" in text:
        raise BadUrl("has a character that a URL cannot have")
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise BadUrl("is no URL") from None
    if parts.scheme not in _PORTS:
        raise BadUrl("is neither http nor https")
    if "@" in parts.netloc:
        raise BadUrl("holds a user")
    if not host or port == 0:
        raise BadUrl("names no host")
    if "[" in parts.netloc and ":" not in host:
        raise BadUrl("has an address of a kind that nobody knows")
    rest = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Origin(parts.scheme, read_host(host.removesuffix(".")), port or _PORTS[parts.scheme]), rest


def read_host(host: str) -> str:
    """A name, or an address in its usual form. Raises BadUrl."""
    if ":" in host:
        if "%" in host:
            raise BadUrl("has an address with a zone, which means something on one machine only")
        try:
            return str(ipaddress.IPv6Address(host))
        except ValueError:
            raise BadUrl("has a host that is no IPv6 address") from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise BadUrl("has a host that is no name")
    if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", host.rpartition(".")[2]):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise BadUrl("has a host that looks like an address, but is not written like one") from None
    return host


def host_of(url: str) -> frozenset[str]:
    """The host that a source's own URL names, which needs no entry in `hosts`; none where it is no URL."""
    try:
        return frozenset((read_url(url)[0].host,))
    except BadUrl:
        return frozenset()


def fits(host: str, pattern: str) -> bool:
    """Whether a host is the one that a pattern names, or lies below `*.NAME`."""
    pattern = pattern.lower().rstrip(".")
    return host.endswith(pattern[1:]) and len(host) >= len(pattern) if pattern.startswith("*.") else host == pattern


def forbidden(address: str, private_networks: bool) -> str | None:
    """What kind of address it is, where it may not be reached; None where it may."""
    try:
        found: Address = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "no address"
    if found in _LOCAL_NAT64:
        return "a special address"
    for inner in (found, *_embedded(found)):
        if inner.is_unspecified or inner.is_multicast or inner.is_link_local or inner in _METADATA:
            return "a special address"
        site_local = isinstance(inner, ipaddress.IPv6Address) and inner.is_site_local
        if not private_networks and (inner.is_loopback or site_local or not inner.is_global):
            return "a loopback address" if inner.is_loopback else "an address of a private network"
    return None


def _embedded(address: Address) -> list[Address]:
    """IPv4 addresses that an IPv6 one leads to: mapped and compatible (RFC 4291), 6to4 (3056), Teredo (4380), NAT64
    (6052), translated (2765)."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    found: list[Address | None] = [address.ipv4_mapped, address.sixtofour]
    found += address.teredo or ()
    if address in _NAT64 or address in _TRANSLATED or (address in _COMPATIBLE and int(address) > 1):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in found if each is not None]


def is_address(host: str) -> bool:
    """Whether a host is an address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def system_resolver(host: str, port: int) -> list[str]:
    """As the system looks names up; in its order, each address once."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class Guard:
    """Decides for one source. `own`: hosts that its plan names itself, and that need no entry in the list."""

    def __init__(self, name: str, network: Network, own: frozenset[str], resolve: Resolve = system_resolver) -> None:
        self._name, self._network, self._own, self._resolve = name, network, own, resolve

    def allow(self, origin: Origin, what: str, sent: bool) -> None:
        """`what` begins the message, e.g. "A redirect of …". Raises `denied`."""
        if origin.host in self._own or any(fits(origin.host, pattern) for pattern in self._network.hosts):
            return
        message = f"{what} leads to `{origin.host}`, which is no allowed host."
        advice = f'Add "{origin.host}" to `hosts` of `[allow]` if it may be reached.'
        raise fault("denied", message, sent=sent, refused="resource", next=advice)

    async def addresses(self, origin: Origin) -> list[str]:
        """The addresses to try, in order. Raises `denied` where one is forbidden, `unavailable` where there is none."""
        try:
            found = await self._looked_up(origin)
        except (OSError, UnicodeError):
            raise fault(
                "unavailable", f"The host `{origin.host}` of `{self._name}` has no address.", sent=False
            ) from None
        for address in found:
            kind = forbidden(address, self._network.private_networks)
            if kind is not None:
                raise self._refused(origin, kind)
        if not found:
            raise fault("unavailable", f"The host `{origin.host}` of `{self._name}` has no address.", sent=False)
        return found

    async def _looked_up(self, origin: Origin) -> list[str]:
        try:
            return [str(ipaddress.ip_address(origin.host))]
        except ValueError:
            return await self._resolve(origin.host, origin.port)

    def _refused(self, origin: Origin, kind: str) -> RunFault:
        message = f"The host `{origin.host}` of `{self._name}` has {kind}, which is not allowed."
        advice = "Write `private_networks = true` in `[allow]` of `chainc.toml` if it may be reached."
        private = kind.endswith(("network", "loopback address"))
        return fault("denied", message, sent=False, refused="resource", next=advice if private else None)
