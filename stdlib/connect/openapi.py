"""The way out to services that an OpenAPI document describes: one call, one HTTP request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

import anyio

from ..plan.openapi import Network, OpenApi, Operation
from ..runtime.fault import RunFault, fault
from ..runtime.gates.network import BadUrl, Guard, Origin, Resolve, host_of, read_url, system_resolver
from ..runtime.result import ToolAnswer
from ..runtime.sending import Keep
from .credentials import authorize
from .reply import Reply, answer, problem, read_reply
from .request import Prepared, prepare
from .secrets import Secrets
from .unpack import unpacked
from .wire import Message, Sent, Wire

if TYPE_CHECKING:
    import httpx2

MOST_REDIRECTS: Final = 5
_NUMBER: Final = re.compile(r"#[0-9]+\Z")  # of a further claim about one tool
_TO_ANYBODY: Final = ("accept", "accept-encoding", "content-type", "user-agent")


Used = Mapping[str, tuple[str, ...]]
"""The variables of the credentials that a request carries, by the name of the scheme."""


class OpenApiTools:
    """The tools of all OpenAPI sources of a plan. `most_bytes`: of one result.

    `async with`, or `aclose` at the end: connections are kept between calls.
    """

    def __init__(
        self,
        sources: Mapping[str, OpenApi],
        network: Network | None = None,
        *,
        most_bytes: int = 64 << 20,
        resolve: Resolve = system_resolver,
        aliases: Mapping[str, str | None] | None = None,
    ) -> None:
        self._most_bytes = most_bytes
        called = aliases or {}
        self._services = {
            name: _Service(name, called.get(name) or name, source, network or Network(), most_bytes, resolve)
            for name, source in sources.items()
        }

    async def __aenter__(self) -> OpenApiTools:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes all connections; calls under way fail."""
        with anyio.CancelScope(shield=True):
            for service in self._services.values():
                await service.wire.close()

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        """See `stdlib.runtime.driver.Tools`. Raises `RunFault` as `stdlib.connect.reply.problem` sorts statuses;
        `denied` also where a host or address is not allowed, `invalid_input` where an argument cannot be sent."""
        return await self._services[source].call(key, arguments, timeout)

    async def fetch(self, source: str, key: str, arguments: dict[str, Any], timeout: float, keep: Keep) -> ToolAnswer:
        """See `stdlib.runtime.sending.Fetching`: the body of a success is kept as it comes."""
        return await self._services[source].call(key, arguments, timeout, keep)


class _Service:
    """One source. Its own hosts, which its plan names, are allowed by name; addresses are checked for all."""

    def __init__(
        self, name: str, alias: str, source: OpenApi, network: Network, most_bytes: int, resolve: Resolve
    ) -> None:
        self.alias = alias
        self.name, self.source, self.most_bytes = name, source, most_bytes
        self.guard = Guard(name, network, host_of(source.base_url), resolve)
        self.away = Guard(name, network, frozenset(), resolve)
        self.wire = Wire(self.guard)

    async def call(self, key: str, arguments: dict[str, Any], timeout: float, keep: Keep | None = None) -> ToolAnswer:
        operation = self.source.operations[key]
        label = f"`{self.alias}.{_NUMBER.sub('', key)}`"
        secrets, sent = Secrets(), Sent()
        try:
            with anyio.move_on_after(timeout):
                message, used = self.first_message(label, operation, arguments, secrets)
                return await self.exchanged(label, operation, message, used, sent, keep)
        except RunFault as found:
            # After a first hop was sent, a later one that never got out does not undo it.
            known = replace(found.fault, message=secrets.masked(found.fault.message), sent=found.fault.sent or sent.yes)
            raise RunFault(known) from None
        raise fault("timeout", f"{label} did not answer within {timeout:g} s.", sent=sent.yes)

    def first_message(
        self, label: str, operation: Operation, arguments: dict[str, Any], secrets: Secrets
    ) -> tuple[Message, Used]:
        """The request, and the variables of its credentials. A server of the operation's own that is not the origin of
        the service must be allowed by name, because the credentials go there."""
        prepared = prepare(label, operation, arguments)
        home, (origin, base) = self.place()[0], self.base(operation)
        guard = self.guard if origin == home else self.away
        guard.allow(origin, f"The request of {label}", sent=False)
        used = authorize(self.name, self.source, operation, prepared, secrets)
        if used and home.scheme == "https" and origin.scheme == "http":
            message = f"The request of {label} goes to {origin}, without TLS: anybody could read its credentials."
            raise fault("denied", message, sent=False, next="Correct the server in the document, or set `base_url`.")
        query = f"?{prepared.query_text}" if prepared.query else ""
        target = f"{base}{prepared.path}{query}"
        return Message(operation.method, origin, target, _headers(prepared), prepared.content), used

    def base(self, operation: Operation) -> tuple[Origin, str]:
        """Origin and path that the operation's path is put behind. Raises `unavailable`."""
        origin, path = self.place(operation.server or "")
        return origin, path.partition("?")[0].rstrip("/")

    def place(self, server: str = "") -> tuple[Origin, str]:
        """Origin and path of a server as seen from the base URL, which it is where it is empty."""
        try:
            return read_url(_below(self.source.base_url, server))
        except BadUrl as error:
            raise fault("unavailable", f"The URL of `{self.name}` {error}.", sent=False, lasting=True) from None

    async def exchanged(
        self, label: str, operation: Operation, message: Message, used: Used, sent: Sent, keep: Keep | None
    ) -> ToolAnswer:
        import httpx2

        first, away = message.origin, ""
        try:
            for _ in range(MOST_REDIRECTS + 1):
                again = message.origin.host == first.host
                async with self.wire.exchange(self.name, message, sent, again) as response:
                    if 300 <= response.status_code < 400 and "Location" in response.headers:
                        message = self.redirected(label, message, response)
                        if message.origin != first:  # nor do they come back
                            away = str(message.origin)
                        continue
                    if keep is not None and 200 <= response.status_code < 300:
                        media = response.headers.get("Content-Type", "")
                        return ToolAnswer(kept=await keep(unpacked(label, response), media))
                    reply = await read_reply(label, response, self.most_bytes)
                return self.judged(label, operation, reply, used, away)
        except httpx2.TransportError as error:
            reason = str(error) or type(error).__name__
            found = f"The connection to the service of `{self.name}` broke: {reason.rstrip('.')}."
            raise fault("unavailable", found, sent=sent.yes) from None
        raise fault("tool_error", f"{label} was redirected more than {MOST_REDIRECTS} times.")

    def judged(self, label: str, operation: Operation, reply: Reply, used: Used, away: str) -> ToolAnswer:
        if 200 <= reply.status < 300:
            return answer(label, operation, reply)
        raise problem(self.name, label, reply, used, away)

    def redirected(self, label: str, message: Message, response: httpx2.Response) -> Message:
        """The next request (RFC 9110 section 15.4): 307 and 308 repeat it, 303 asks for the result with GET, 301 and
        302 are followed for reads only, because clients differ about writes. To another origin no credentials go."""
        status, reads = response.status_code, message.method in ("GET", "HEAD")
        if status not in (307, 308, 303) and not (reads and status in (301, 302)):
            raise fault("tool_error", f"{label} was redirected ({status}), which is not followed for {message.method}.")
        here = f"{message.origin}{message.target}"
        try:
            origin, target = read_url(_below(here, response.headers["Location"]))
        except BadUrl as error:
            raise fault("denied", f"{label} was redirected to a place that {error}.") from None
        self.guard.allow(origin, f"A redirect of {label}", sent=True)
        if message.origin.scheme == "https" and origin.scheme == "http":
            raise fault("denied", f"{label} was redirected from https to http, where anybody could read along.")
        headers, method, content = message.headers, message.method, message.content
        if status == 303 and method != "HEAD":
            method, content = "GET", None
            headers = tuple(each for each in headers if each[0].lower() != "content-type")
        if origin != message.origin:
            headers = tuple(each for each in headers if each[0].lower() in _TO_ANYBODY)
        return Message(method, origin, target, headers, content)


def _below(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:
        raise BadUrl("is no URL") from None


def _headers(prepared: Prepared) -> tuple[tuple[str, str], ...]:
    cookies = (("Cookie", "; ".join(prepared.cookies)),) if prepared.cookies else ()
    return (("User-Agent", "chainc/1"), ("Accept-Encoding", "gzip"), *prepared.headers, *cookies)
