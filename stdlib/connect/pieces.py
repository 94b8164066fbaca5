"""Functions of Python that give their result in pieces: iterators and generators of `bytes` or `str`."""

from __future__ import annotations

import base64
import collections.abc
import typing
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

import anyio

from ..plan.model import JsonSchema
from ..runtime.fault import RunFault, fault
from ..runtime.media import BYTES
from ..runtime.result import ToolAnswer
from ..values.canonical import clean_text
from .own_loop import OwnLoop
from .threads import Threads

_ORIGINS: Final = (
    collections.abc.Iterator,
    collections.abc.Generator,
    collections.abc.AsyncIterator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncGenerator,
)
_T = TypeVar("_T")
_TOGETHER: Final = 1 << 16
"""So many bytes of pieces are fetched by one visit to a thread."""
_END: Final = object()


def piece_type(hint: Any) -> type[bytes] | type[str] | None:
    """`bytes` or `str` where the type says that the result comes in such pieces."""
    if typing.get_origin(hint) is typing.Annotated:
        hint = hint.__origin__
    first = next(iter(typing.get_args(hint)), None)
    return first if typing.get_origin(hint) in _ORIGINS and first in (bytes, str) else None


def whole_schema(piece: type[bytes] | type[str]) -> JsonSchema:
    """The schema of all pieces together: a text, or bytes in base64."""
    return {"type": "string", "format": "byte"} if piece is bytes else {"type": "string"}


def media_of(piece: type[bytes] | type[str]) -> str:
    return BYTES if piece is bytes else "text/plain; charset=utf-8"


async def pieces(
    label: str,
    returned: Any,
    piece: type[bytes] | type[str],
    threads: Threads,
    failed: Callable[[BaseException], RunFault],
) -> AsyncIterator[bytes]:
    """What comes, as bytes. `failed`: the fault for an exception of the function."""
    steps = await threads.run(partial(_guarded, partial(iter, returned), failed))
    try:
        while True:
            fetched, ended = await threads.run(partial(_guarded, partial(_fetched, label, steps, piece), failed))
            if fetched:
                yield fetched
            if ended:
                return
    finally:
        close = getattr(steps, "close", None)
        if close is not None:
            with anyio.CancelScope(shield=True), anyio.move_on_after(1), suppress(RunFault):
                await threads.run(partial(_guarded, close, failed))


def _guarded(work: Callable[[], _T], failed: Callable[[BaseException], RunFault]) -> _T:
    try:
        return work()
    except RunFault:
        raise
    except BaseException as error:
        raise failed(error) from None


def pieces_later(
    label: str,
    returned: AsyncIterable[Any],
    piece: type[bytes] | type[str],
    loop: OwnLoop,
    failed: Callable[[BaseException], RunFault],
) -> AsyncIterator[bytes]:
    """The same of what comes by and by: it is asked for in the loop of its function."""
    return loop.each(partial(_coming, label, returned, piece), failed)


async def _coming(label: str, returned: AsyncIterable[Any], piece: type[bytes] | type[str]) -> AsyncGenerator[bytes]:
    """Several pieces together."""
    found = bytearray()
    try:
        async for each in returned:
            found += _bytes(label, each, piece)
            if len(found) >= _TOGETHER:
                yield bytes(found)
                found.clear()
        if found:
            yield bytes(found)
    finally:
        close = getattr(returned, "aclose", None)
        if close is not None:
            await close()


def _fetched(label: str, steps: Iterator[Any], piece: type[bytes] | type[str]) -> tuple[bytes, bool]:
    found = bytearray()
    while len(found) < _TOGETHER:
        each = next(steps, _END)
        if each is _END:
            return bytes(found), True
        found += _bytes(label, each, piece)
    return bytes(found), False


def _bytes(label: str, each: Any, piece: type[bytes] | type[str]) -> bytes:
    if not isinstance(each, piece):
        message = f"{label} gave a piece that is {type(each).__name__}, not {piece.__name__}."
        raise fault("shape_mismatch", message)
    return clean_text(each).encode() if isinstance(each, str) else bytes(each)


async def together(
    label: str, body: AsyncIterator[bytes], piece: type[bytes] | type[str], most_bytes: int
) -> ToolAnswer:
    """All pieces as one value, at most `most_bytes` of them: the fault `result_too_large`."""
    found = bytearray()
    async for each in body:
        found += each
        if len(found) > most_bytes:
            advice = "Ask the tool for less: a filter, a shorter range, a page."
            raise fault("result_too_large", f"{label} gave more than {most_bytes} bytes.", next=advice)
    value = base64.b64encode(found).decode() if piece is bytes else found.decode()
    return ToolAnswer(({"type": "text", "text": value},), value)
