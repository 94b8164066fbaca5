"""What a server asks of us in its turn: answered, but never piled up.

A server may ask for this or that (ping, roots, sampling, elicitation); each request is kept until its answer is
written. One that asks on and on without reading the answers would have them kept for ever.
"""

from __future__ import annotations

from typing import Any, Final

import anyio

from ..runtime.fault import fault

MOST: Final = 32
"""So many requests of a server wait for our answers at once."""

PATIENCE: Final = 2.0
"""Seconds that a server has to read one of the answers when so many wait."""

MOST_BYTES: Final = 1 << 16
"""A longer request is answered without a look at what it says: none of those that we grant has much to say."""

_MOST_METHOD: Final = 100


class AskedBack:
    """The requests of one server that wait for our answers."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._waiting = 0
        self._fewer = anyio.Event()

    async def took(self, message: Any) -> bool:
        """A message came and goes on to the client. Where it is one request too many, waits for an answer to be read;
        False: none was."""
        if not is_request(message):
            return True
        if self._waiting >= self._most:
            with anyio.move_on_after(PATIENCE):
                while self._waiting >= self._most:
                    await self._fewer.wait()
        if self._waiting >= self._most:
            return False
        self._waiting += 1
        return True

    def sent(self, message: Any) -> None:
        """A message of ours has gone out."""
        if hasattr(message, "method"):
            return
        self._waiting -= 1
        self._fewer.set()
        self._fewer = anyio.Event()

    @property
    def why(self) -> str:
        """What the server did, after its name."""
        return f"sent more than {self._most} requests of its own without reading the answers and was stopped"


def is_request(message: Any) -> bool:
    """Whether a message wants an answer."""
    return hasattr(message, "method") and hasattr(message, "id")


def takes_back(message: Any) -> bool:
    """Whether a message only says that a request need not be answered: each is, so that all can be counted."""
    return not hasattr(message, "id") and getattr(message, "method", None) == "notifications/cancelled"


def shortened(message: Any, size: int) -> Any:
    """The message; a request of more than `MOST_BYTES` (`size`: of it) without what it says."""
    if size <= MOST_BYTES or not is_request(message):
        return message
    return message.model_copy(update={"method": message.method[:_MOST_METHOD], "params": None})


class Reading:
    """What a client reads from: its stream of messages, with no more requests than are answered. Raises `RunFault`."""

    def __init__(self, name: str, stream: Any, asked: AskedBack) -> None:
        self._name, self._stream, self._asked = name, stream, asked

    @property
    def last_context(self) -> Any:
        """Of who sent the last message."""
        return self._stream.last_context

    def __aiter__(self) -> Reading:
        return self

    async def __anext__(self) -> Any:
        while True:
            item = await anext(self._stream)
            message = getattr(item, "message", None)  # an error has none
            if takes_back(message):
                continue
            if not await self._asked.took(message):
                raise fault("unavailable", f"The server of `{self._name}` {self._asked.why}.")
            return item

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Reading:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Writing:
    """What a client writes to: its stream, whose answers are counted."""

    def __init__(self, stream: Any, asked: AskedBack) -> None:
        self._stream, self._asked = stream, asked

    async def send(self, item: Any) -> None:
        await self._stream.send(item)
        self._asked.sent(item.message)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Writing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
