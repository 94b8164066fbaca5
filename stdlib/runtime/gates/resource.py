"""Gate 3: what the call touches. Scopes first, then the addresses and paths that stand in its arguments.

An address in an argument is one that a tool is asked to visit. Its host must be allowed where the project lists hosts,
and may never be one of a private network unless the project says so. A path must lie in an allowed folder where the
project lists folders. What a source itself connects to is decided by `network.Guard`, at each connection.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

import anyio

from ...plan.plan import Command, Http, OpenApi, Python, Source, Stdio
from .network import BadUrl, Resolve, fits, forbidden, host_of, is_address, read_host, read_url, system_resolver
from .passing import Inside, Passing, refusal

if TYPE_CHECKING:
    from ...plan.openapi import Network

LOOK_UP_S: Final = 2.0
"""How long the lookup of a name may take, in seconds."""
ANSWER_S: Final = 60.0
"""How long an answer holds, in seconds. That there was none is not remembered."""

_NOWHERE: Final = ("example", "invalid", "test")
"""Top-level names that stand for no host (RFC 6761)."""
_KEPT: Final = 512
_IN_DOUBT: Final = "an address that could not be found out in time"
_PRINTABLE: Final = "".join(map(chr, range(0x20, 0x7F)))


class Resources:
    """Decides about addresses and paths for one plan."""

    def __init__(
        self,
        network: Network,
        sources: Iterable[Source] = (),
        resolve: Resolve = system_resolver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._network = network
        self._sources_hosts = frozenset(host for source in sources for host in _own_hosts(source))
        self._resolve = resolve
        self._clock = clock
        self._roots = tuple(os.path.realpath(each) for each in network.roots)
        self._known: OrderedDict[str, tuple[str | None, float]] = OrderedDict()

    async def check(self, label: str, source: Source | None, kind: str, text: str) -> None:
        """`source`: of the tool that gets the text; None where a chain gets it. Raises `denied`."""
        if kind == "path":
            self._check_path(label, source, text)
            return
        bare = None
        try:
            parts = urlsplit(text)
            scheme, host = parts.scheme.lower(), parts.hostname
            if scheme in ("http", "https"):
                host = read_url(quote(text, safe=_PRINTABLE) if parts.netloc.isascii() else text)[0].host
            elif parts.netloc and host and scheme != "file":
                host = read_host(host.removesuffix("."))
            elif not parts.netloc:
                bare = urlsplit(f"//{text}").hostname  # `localhost:80` is a host to some readers
        except BadUrl as error:
            raise self._refused(label, text, f"which {error}") from None
        except ValueError:
            raise self._refused(label, text, "which is no address that can be understood") from None
        if scheme == "file":
            if not self._roots:
                advice = "Add the folder to `roots` of `[allow]` if it may be reached."
                raise self._refused(label, text, "which is a file of this machine", advice)
            self._check_path(label, source, unquote(parts.path))
        elif parts.netloc and host:
            self._check_listed(label, source, text, host)
            await self._check_address(label, source, text, host)
        elif bare and (is_address(bare) or bare == "localhost"):
            await self._check_address(label, source, text, bare)

    def _check_listed(self, label: str, source: Source | None, text: str, host: str) -> None:
        hosts = self._network.hosts
        if hosts and host not in self._own(source) and not any(fits(host, pattern) for pattern in hosts):
            advice = f'Add "{host}" to `hosts` of `[allow]` if it may be reached.'
            raise self._refused(label, text, f"and `{host}` is no allowed host", advice)

    async def _check_address(self, label: str, source: Source | None, text: str, host: str) -> None:
        kind = await self._forbidden(source, host)
        if kind == _IN_DOUBT:
            raise self._refused(
                label, text, f"which has {kind}", f'Call again later, or add "{host}" to `hosts` of `[allow]`.'
            )
        if kind is not None:
            advice = "Write `private_networks = true` in `[allow]` of `chainc.toml` if it may be reached."
            private = kind.endswith(("network", "loopback address"))
            raise self._refused(label, text, f"which has {kind}", advice if private else None)

    async def _forbidden(self, source: Source | None, host: str) -> str | None:
        """What kind of address it is, where it may not be reached. Names are looked up for tools that run on this
        machine; what a name means elsewhere cannot be known here."""
        private = self._network.private_networks
        if is_address(host):
            return forbidden(host, private)
        top = host.rpartition(".")[2].lower()
        if top == "localhost":
            return None if private else "a loopback address"
        here = source is not None and isinstance(source.transport, Stdio | Command | Python)
        if top in _NOWHERE or not here:
            return None
        kind, until = self._known.get(host, (None, 0.0))
        return kind if self._clock() < until else await self._looked_up(host, private)

    async def _looked_up(self, host: str, private: bool) -> str | None:
        """A name that has no address here stands for nothing. One whose lookup takes too long may stand for anything:
        only what the project lists is reached then."""
        try:
            with anyio.fail_after(LOOK_UP_S):
                found = await self._resolve(host, 443)
        except TimeoutError:
            return None if self._network.hosts else _IN_DOUBT
        except (OSError, UnicodeError):
            return None
        kind = next(filter(None, (forbidden(address, private) for address in found)), None)
        self._known[host] = kind, self._clock() + ANSWER_S
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return kind

    def _check_path(self, label: str, source: Source | None, path: str) -> None:
        if not self._roots:
            return
        folder = (None if source is None else getattr(source.transport, "cwd", None)) or "."
        try:
            real = os.path.realpath(os.path.join(folder, path))
        except (OSError, ValueError):
            raise self._refused(label, path, "which is no path") from None
        if not any(os.path.commonpath((real, root)) == root for root in self._roots):
            advice = "Add its folder to `roots` of `[allow]` if it may be reached."
            raise self._refused(label, path, "which lies in no allowed folder", advice)

    def _own(self, source: Source | None) -> frozenset[str]:
        """Hosts that the plan itself names: for the source, or for all of them where a chain is called."""
        return self._sources_hosts if source is None else _own_hosts(source)

    def _refused(self, label: str, text: str, why: str, advice: str | None = None) -> Exception:
        shown = text if len(text) <= 200 else f"{text[:200]}…"
        return refusal("resource", "denied", f"{label} is not called with `{shown}`, {why}.", next=advice)


def _own_hosts(source: Source) -> frozenset[str]:
    """The host that the plan itself names for the source."""
    transport = source.transport
    url = transport.url if isinstance(transport, Http) else transport.base_url if isinstance(transport, OpenApi) else ""
    return host_of(url)


async def resource(passing: Passing, onward: Inside) -> Any:
    """Refuses with `denied`."""
    who = passing.principal
    if who is not None and who.scopes is not None and passing.scopes:
        lacking = sorted(who.lacks(frozenset(passing.scopes)))
        if lacking:
            names = ", ".join(f"`{each}`" for each in lacking)
            noun = "scope" if len(lacking) == 1 else "scopes"
            raise refusal("resource", "denied", f"{passing.label} needs the {noun} {names}, which `{who.id}` lacks.")
    tool, gates = passing.tool, passing.world.gates
    if tool is not None and tool.places:
        source = gates.loaded.plan.sources[tool.source]
        for place in tool.places:
            for text in place.texts(passing.arguments):
                await gates.resources.check(tool.label, source, place.kind, text)
    elif tool is None:
        for place in gates.loaded.chains[passing.name].places:
            for text in place.texts(passing.arguments):
                await gates.resources.check(passing.label, None, place.kind, text)
    return await onward(passing)
