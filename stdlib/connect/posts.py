"""The HTTP way to an MCP server, so that one call's trouble stays its own.

The protocol's client gives up a whole connection, and with it every call under way, when one request breaks; it forgets
the status of an answer; and it reads answers however long they are. Here each becomes an error of the protocol that
answers the one request. And where a call is given up, it still waits for the answer, so that calls which hang would use
up all connections: here the request is given up, too. Imported by the function that opens a connection, because the
HTTP library is slow to import.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from typing import Any, Final
from weakref import WeakValueDictionary

import anyio
import httpx2

from ..runtime.fault import RunFault
from .answer import BROKEN, FOREIGN, OURS, STATUS, UNREAD, fault_data
from .foreign import foreign_data, is_foreign, stays
from .guarded import SENT, Guarded
from .message import read_message
from .reply import Reply, read_reply
from .wire import Sent, Wire

_OF_BODY: Final = ("content-encoding", "content-length", "transfer-encoding")
_MOST_WAYS: Final = 5
"""So often in a row a server may lead elsewhere within itself."""
_WAYS: Final = "chainc.ways"
"""Of a request: how many redirects led to it. The client builds the next request with what this one carries."""

log = logging.getLogger("chainc.connect")


class Posts(httpx2.AsyncClient):
    """`name`: of the source. `most_bytes`: of an answer. `is_open`: set when the handshake is done; before that trouble
    is the connection's own, and is raised. Proxies and passwords of the environment are not used."""

    def __init__(self, name: str, wire: Wire, most_bytes: int, **options: Any) -> None:
        super().__init__(transport=Guarded(name, wire), trust_env=False, **options)
        self.headers["Accept-Encoding"] = "gzip"
        self.is_open = False
        self._label = f"The server of `{name}`"
        self._most_bytes = most_bytes
        self._under_way: WeakValueDictionary[Any, _Exchange] = WeakValueDictionary()

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        if request.method != "POST":
            return await super().send(request, **options)
        message = _read(await request.aread())  # of a redirect that is followed it is not read yet
        if message.get("method") == "notifications/cancelled":
            given_up = self._under_way.pop((message.get("params") or {}).get("requestId"), None)
            if given_up is not None:
                given_up.give_up()
        exchange = _Exchange(is_request="id" in message)
        if "id" in message:
            self._under_way[message["id"]] = exchange
        with exchange.reading:
            return await self._tried(request, options, exchange)
        return _error(request, BROKEN, {"reason": "it was given up", "sent": True})

    async def _tried(self, request: httpx2.Request, options: dict[str, Any], exchange: _Exchange) -> httpx2.Response:
        sent = Sent()
        request.extensions = {**request.extensions, SENT: sent, _WAYS: request.extensions.get(_WAYS, -1) + 1}
        try:
            return await self._answered(request, await super().send(request, **options), exchange)
        except RunFault as found:
            if not self.is_open:
                raise
            return _error(request, UNREAD, fault_data(found.fault))
        except httpx2.TransportError as error:
            if not self.is_open:
                raise
            return _error(request, BROKEN, {"reason": str(error) or type(error).__name__, "sent": sent.yes})

    async def _answered(
        self, request: httpx2.Request, response: httpx2.Response, exchange: _Exchange
    ) -> httpx2.Response:
        """The answer, its body read where it is one message."""
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        failed = response.status_code >= 400
        if self._leads_away(request, response) or (
            exchange.is_request and not self.is_open and not failed and self._is_foreign(response, kind)
        ):
            await response.aclose()
            return _foreign(request, response, kind)
        if kind != "application/json" and not failed:
            response.stream = _Ending(response.stream, exchange)
            return response
        try:
            reply = await read_reply(self._label, response, self._most_bytes)
        finally:
            await response.aclose()
        unread = not failed and read_message(reply.body) is None
        if (
            exchange.is_request
            and not self.is_open
            and not _tells(reply)
            and (unread or self._is_foreign(response, kind))
        ):
            return _foreign(request, response, kind, reply.body)
        # At 404 the session may be over, which the client knows.
        if failed and response.status_code != 404 and not _tells(reply):
            data = {"status": reply.status, "kind": reply.kind, "retry_after": reply.headers.get("retry-after", "")}
            return _error(request, STATUS, {**data, "text": reply.text})
        headers = [(key, value) for key, value in response.headers.multi_items() if key.lower() not in _OF_BODY]
        return httpx2.Response(response.status_code, headers=headers, content=reply.body, request=request)

    def _is_foreign(self, response: httpx2.Response, kind: str) -> bool:
        return not response.has_redirect_location and is_foreign(response.status_code, kind)

    def _leads_away(self, request: httpx2.Request, response: httpx2.Response) -> bool:
        """Whether it is a redirect that is not followed: the client follows those that keep the message and stay."""
        if not response.has_redirect_location:
            return False
        within = stays(str(request.url), response.headers["Location"])
        return request.extensions[_WAYS] >= _MOST_WAYS or response.status_code not in (307, 308) or not within


class _Exchange:
    """A request under way. `reading`: what is waited for now. `is_request`: whether it waits for an answer."""

    def __init__(self, *, is_request: bool) -> None:
        self.is_request = is_request
        self.reading = anyio.CancelScope()
        self.is_given_up = False

    def give_up(self) -> None:
        self.is_given_up = True
        self.reading.cancel()


class _Ending(httpx2.AsyncByteStream):
    """A body that ends where it breaks off or is given up: who reads it finds it incomplete."""

    def __init__(self, inner: Any, exchange: _Exchange) -> None:
        self._inner = inner
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = aiter(self._inner)
        while not self._exchange.is_given_up:
            part = None
            with anyio.CancelScope() as self._exchange.reading:
                try:
                    part = await anext(parts, None)
                except httpx2.TransportError as error:
                    log.debug("an answer broke off", exc_info=error)
            if part is None:
                return
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


def _read(content: bytes) -> dict[str, Any]:
    """The message that is sent."""
    found = json.loads(content)
    return found if isinstance(found, dict) else {}


def _tells(reply: Reply) -> bool:
    """Whether it is an error of the protocol."""
    try:
        found = json.loads(reply.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "jsonrpc" in found and "error" in found


def _foreign(request: httpx2.Request, response: httpx2.Response, kind: str, body: bytes = b"") -> httpx2.Response:
    location = response.headers.get("Location", "") if response.has_redirect_location else ""
    return _error(request, FOREIGN, foreign_data(str(request.url), response.status_code, kind, body, location))


def _error(request: httpx2.Request, code: int, data: dict[str, Any]) -> httpx2.Response:
    """The id is the client's to fill in."""
    error = {"code": code, "message": "The request has no answer.", "data": {"ours": OURS, **data}}
    content = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    return httpx2.Response(502, headers={"Content-Type": "application/json"}, content=content, request=request)
