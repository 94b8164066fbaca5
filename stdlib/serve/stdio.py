"""Standard input and output as the wire: claimed before anything can print, read and written by threads of their own.

Reading blocks and cannot be cancelled, so the threads are daemons: a signal ends the process although its input is
open. Lines end with a line feed on every system.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio

from ..connect.message import read_message
from .unread import refusal_of

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage


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
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                written: asyncio.Future[None] = loop.create_future()
                lines.put((text.encode("utf-8", "replace") + b"\n", written))
                await written
    except OSError:
        return
    finally:
        lines.put(None)


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
