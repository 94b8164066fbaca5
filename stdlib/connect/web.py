"""The way to documents of the web for the standard library: GET and HEAD, within what the manifest allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urljoin

from ..plan.openapi import Network
from ..runtime.fault import fault
from ..runtime.gates.network import BadUrl, Guard, Origin, Resolve, read_url, system_resolver
from ..runtime.result import ToolAnswer
from ..runtime.sending import Keep
from ..tools.web import Page
from .reply import Reply, problem, read_reply
from .unpack import unpacked
from .wire import Message, Sent, Wire

if TYPE_CHECKING:
    import httpx2

MOST_REDIRECTS: Final = 5
_FOLLOWED: Final = (301, 302, 303, 307, 308)
_PRINTABLE: Final = "".join(map(chr, range(0x20, 0x7F)))


class AllowedWeb:
    """One for each call; `label` is the tool's name in messages. No connection is kept: others go elsewhere."""

    def __init__(self, label: str, network: Network, most_bytes: int, resolve: Resolve = system_resolver) -> None:
        self.most_bytes = most_bytes
        self._label, self._network = label, network
        self._guard = Guard("http", network, frozenset(), resolve)

    async def get(self, url: str, accept: str, most_bytes: int, *, head: bool = False) -> Page:
        """See `stdlib.tools.web.Web`. Raises `denied`, `unavailable`, and what statuses stand for."""
        answered = await self._answered(url, accept, most_bytes, None, head=head)
        assert isinstance(answered, Page)
        return answered

    async def fetch(self, url: str, accept: str, keep: Keep) -> ToolAnswer:
        """The body is kept as it comes."""
        answered = await self._answered(url, accept, 0, keep)
        assert isinstance(answered, ToolAnswer)
        return answered

    async def _answered(
        self, url: str, accept: str, most_bytes: int, keep: Keep | None, *, head: bool = False
    ) -> Page | ToolAnswer:
        import httpx2

        wire, label = Wire(self._guard), self._label
        message = self._message(url, accept, "HEAD" if head else "GET", f"The request of {label}")
        try:
            for _ in range(MOST_REDIRECTS + 1):
                async with wire.exchange(message.origin.host, message, Sent(), keep=False) as response:
                    if response.status_code in _FOLLOWED and "Location" in response.headers:
                        message = self._redirected(message, response)
                        continue
                    if keep is not None and 200 <= response.status_code < 300:
                        media = response.headers.get("Content-Type", "")
                        return ToolAnswer(kept=await keep(unpacked(label, response), media))
                    reply = await _reply(label, response, most_bytes, head=head)
                return self._page(message, reply, head=head)
        except httpx2.TransportError as error:
            reason = (str(error) or type(error).__name__).rstrip(".")
            raise fault("unavailable", f"The connection to {message.origin} broke: {reason}.") from None
        raise fault("tool_error", f"{label} was redirected more than {MOST_REDIRECTS} times.")

    def _page(self, message: Message, reply: Reply, *, head: bool) -> Page:
        if not head and not 200 <= reply.status < 300:
            raise problem(message.origin.host, self._label, reply)
        return Page(reply.status, f"{message.origin}{message.target}", reply.headers, reply.body)

    def _message(self, url: str, accept: str, method: str, what: str) -> Message:
        """`what` begins the sentence of a refusal."""
        try:
            origin, target = read_url(quote(url.partition("#")[0], safe=_PRINTABLE))
        except BadUrl as error:
            raise fault("denied", f"{what} leads to a place that {error}.", sent=False, refused="resource") from None
        self._allow(origin, what)
        if any(not 0x20 <= ord(c) < 0x7F for c in accept):
            raise fault("invalid_input", f"`accept` of {self._label} has a character that no header has.", sent=False)
        headers = (("User-Agent", "chainc/1"), ("Accept", accept.strip()), ("Accept-Encoding", "gzip"))
        return Message(method, origin, target, headers, None)

    def _allow(self, origin: Origin, what: str) -> None:
        """Without a list every public host may be read, as gate 3 has it for addresses in arguments."""
        if self._network.hosts:
            self._guard.allow(origin, what, sent=False)

    def _redirected(self, message: Message, response: httpx2.Response) -> Message:
        """The next request; its host is held against the rules again, and its addresses before the connection."""
        try:
            there = urljoin(f"{message.origin}{message.target}", response.headers["Location"])
        except ValueError:
            raise fault("denied", f"{self._label} was redirected to what is no URL.", refused="resource") from None
        accept = dict(message.headers)["Accept"]
        found = self._message(there, accept, message.method, f"A redirect of {self._label}")
        if message.origin.scheme == "https" and found.origin.scheme == "http":
            what = f"{self._label} was redirected from https to http, where anybody could read along."
            raise fault("denied", what, refused="resource")
        return found


async def _reply(label: str, response: httpx2.Response, most_bytes: int, *, head: bool) -> Reply:
    if not head:
        return await read_reply(label, response, most_bytes)
    headers: dict[str, Any] = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, "", "utf-8", headers, b"")
