"""Standard input and output as the wire: claimed before anything can print, read and written by threads of their own.

Reading blocks and cannot be cancelled, so the threads are daemons: a signal ends the process although its input is
open. Lines end with a line feed on every system.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio

from ..connect.message import read_message
from ..runtime.clean import compact
from ..values.canonical import clean
from .unread import refusal_of

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

log = logging.getLogger("chainc.serve")


@dataclass(frozen=True, slots=True)
class Wire:
    """File descriptors of the client's messages and of ours."""

    reads: int
    writes: int


def claim() -> Wire:
    """Takes standard input and output away from everybody else: who prints, prints to standard error; who reads, finds
    the end."""
    wire = Wire(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os.dup2(2, 1)
    return wire


async def read_wire(
    wire: Wire,
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    refusals: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Hands on the client's messages until its input ends; a line that is no message is refused at once."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    async def hand_on(line: bytes) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            message = read_message(line)
            if message is not None:
                await messages.send(message)
            elif (refusal := refusal_of(line)) is not None:
                await refusals.send(refusal)

    def read() -> None:
        with suppress(RuntimeError, OSError), os.fdopen(wire.reads, "rb", closefd=False) as lines:
            for line in lines:
                if line.strip():
                    asyncio.run_coroutine_threadsafe(hand_on(line), loop).result()
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    async with messages, refusals:
        await ended.wait()


async def write_wire(wire: Wire, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
    """Writes our messages until there are no more, or until the client does not read any more."""
    loop = asyncio.get_running_loop()
    lines: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = queue.SimpleQueue()

    def write() -> None:
        with suppress(RuntimeError):
            while (job := lines.get()) is not None:
                line, written = job
                failed: OSError | None = None
                try:
                    _write_all(wire.writes, line)
                except OSError as error:
                    failed = error
                loop.call_soon_threadsafe(_settle, written, failed)

    threading.Thread(target=write, name="stdout", daemon=True).start()
    try:
        async with messages:
            async for message in messages:
                line = line_of(message)
                if line is not None:
                    written: asyncio.Future[None] = loop.create_future()
                    lines.put((line, written))
                    await written
    except OSError:
        return
    finally:
        lines.put(None)


def line_of(message: SessionMessage) -> bytes | None:
    """A message as it is sent. One that cannot be written ends nothing else: what is no character in it is replaced; if
    that does not help, an answer becomes the error of its request, and of anything else nothing is sent."""
    import mcp_types as t

    said = message.message
    try:
        return said.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except Exception as error:
        log.error("a message to the client cannot be written as it is", exc_info=error)
    try:
        return compact(clean(said.model_dump(by_alias=True, exclude_unset=True, mode="json"))).encode() + b"\n"
    except Exception:
        if not isinstance(said, t.JSONRPCResponse | t.JSONRPCError):
            return None
    what = "The answer could not be written; this is a mistake in the server."
    told = t.JSONRPCError(jsonrpc="2.0", id=said.id, error=t.ErrorData(code=t.INTERNAL_ERROR, message=what))
    return told.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def _settle(written: asyncio.Future[Any], failed: OSError | None) -> None:
    if written.done():
        return
    if failed is None:
        written.set_result(None)
    else:
        written.set_exception(failed)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
