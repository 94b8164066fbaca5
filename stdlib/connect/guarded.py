"""What carries the requests of the protocol's client: to checked addresses only, as those of OpenAPI sources. Imported
by the function that opens a connection, because the HTTP library is slow to import."""

from __future__ import annotations

from typing import Final

import httpx2

from ..runtime.fault import fault
from ..runtime.gates.network import BadUrl, read_url
from .wire import Message, Sent, Wire

SENT: Final = "chainc.sent"
"""The extension of a request that holds its `Sent`."""


class Guarded(httpx2.AsyncBaseTransport):
    """The way to the server of the source `name`; closes `wire` at its end.

    Raises `RunFault` before anything is sent: `denied` where a host or an address is not allowed, `unavailable` where
    there is none or none answers.
    """

    def __init__(self, name: str, wire: Wire) -> None:
        self._name, self._wire = name, wire

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            origin, target = read_url(str(request.url))
        except BadUrl as error:
            raise fault("denied", f"A request of `{self._name}` leads to a place that {error}.", sent=False) from None
        self._wire.guard.allow(origin, f"A request of `{self._name}`", sent=False)
        headers = tuple((key, value) for key, value in request.headers.multi_items() if key != "host")
        message = Message(request.method, origin, target, headers, request.content or None)
        return await self._wire.answer(self._name, message, request.extensions.get(SENT) or Sent())

    async def aclose(self) -> None:
        await self._wire.close()
