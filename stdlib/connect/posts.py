"""The HTTP way to an MCP server, so that one call's trouble stays its own.

The protocol's client gives up a whole connection, and with it every call under way, when one request breaks; and it
forgets the status of an answer. Here both become an error of the protocol that answers the one request. Imported by
the function that opens a connection, because the HTTP library is slow to import.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from typing import Any, Final

import httpx2

from .answer import BROKEN, STATUS
from .wire import Sent

SAID_BYTES: Final = 2000
"""So much of an answer with such a status is read."""

log = logging.getLogger("chainc.connect")


class Posts(httpx2.AsyncClient):
    """`is_open`: set when the handshake is done; before that trouble is the connection's own."""

    is_open = False

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        if request.method != "POST" or not self.is_open:
            return await super().send(request, **options)
        sent = Sent()
        request.extensions = {**request.extensions, "trace": sent.trace}
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            reason = str(error) or type(error).__name__
            return _error(request, 502, BROKEN, {"reason": reason, "sent": sent.yes})
        sent.answered(response)
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        # Below 400 it is an answer; at 404 the session may be over; in JSON there may be an error of the protocol.
        if response.status_code < 400 or response.status_code == 404 or kind == "application/json":
            response.stream = _Ending(response.stream)
            return response
        data = {"status": response.status_code, "kind": kind, "retry_after": response.headers.get("Retry-After", "")}
        return _error(request, response.status_code, STATUS, {**data, "text": await _beginning(response)})


class _Ending(httpx2.AsyncByteStream):
    """A body that ends where it breaks off: who reads it finds it incomplete."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._inner:
                yield part
        except httpx2.TransportError as error:
            log.debug("an answer broke off", exc_info=error)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _beginning(response: httpx2.Response) -> str:
    parts = b""
    try:
        async for part in response.aiter_raw():
            parts += part
            if len(parts) >= SAID_BYTES:
                break
    except httpx2.TransportError as error:
        log.debug("an answer broke off", exc_info=error)
    finally:
        await response.aclose()
    return parts[:SAID_BYTES].decode("utf-8", "replace")


def _error(request: httpx2.Request, status: int, code: int, data: dict[str, Any]) -> httpx2.Response:
    """The id is the client's to fill in."""
    error = {"code": code, "message": "The request has no answer.", "data": data}
    content = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    return httpx2.Response(status, headers={"Content-Type": "application/json"}, content=content, request=request)
