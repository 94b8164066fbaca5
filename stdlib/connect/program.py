"""One run of a program, from its start to its end: no shell, bounded output, nothing left behind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import ByteReceiveStream, Process

from ..runtime.fault import RunFault, fault
from .process import GRACE, end_group, ended, stays

MOST_STDERR = 64 * 1024


@dataclass(slots=True)
class Output:
    """What a stream gave, at most `most` bytes; `over` where there was more."""

    most: int
    data: bytearray = field(default_factory=bytearray)
    over: bool = False
    ended: anyio.Event = field(default_factory=anyio.Event)


@dataclass(frozen=True, slots=True)
class Finished:
    """`code` is negative where a signal ended the program."""

    code: int
    stdout: bytes
    stderr: bytes
    too_large: bool = False


Reads = Callable[[AsyncIterator["bytes | Finished"]], Awaitable[None]]
_CHUNK = 1 << 16


async def run_program(
    argv: Sequence[str | bytes],
    *,
    what: str,
    env: Mapping[str, str],
    cwd: str | None,
    stdin: bytes | AsyncIterator[bytes] = b"",
    most_bytes: int,
    reads: Reads | None = None,
) -> Finished:
    """Runs a program; `what` names it at the beginning of a message. It sees `stdin` and then the end of its input.

    When the caller is cancelled, or it writes more than `most_bytes` to its output, it and all that it started are
    ended. What it leaves running is ended, too. `reads`: takes what it writes as it comes, instead; after the last of
    it the program has ended, and what `reads` raises ends it. Raises `unavailable` where it cannot be started.
    """
    try:
        # A program that has begun must be known here, so that it can be ended and awaited.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(list(argv), env=env, cwd=cwd, start_new_session=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"{what} cannot be started: {reason}."
        raise fault("unavailable", message, sent=False, lasting=stays(error)) from None
    out, err = Output(most_bytes), Output(MOST_STDERR)
    troubles: list[Exception] = []
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_feed, process, stdin, troubles)
            group.start_soon(_collect, process.stderr, err, False)
            if reads is None:
                group.start_soon(_collect, process.stdout, out, True)
            else:
                try:
                    await reads(_coming(process, err))
                except Exception as error:
                    troubles.append(error)
                    group.cancel_scope.cancel()
                out.ended.set()
            while not out.over and not await ended(process, 1.0):
                pass
            # Its children may hold the pipes open.
            with anyio.move_on_after(0 if out.over else 0.5):
                await out.ended.wait()
                await err.ended.wait()
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _stop(process)
    if troubles:
        raise troubles[0]
    return Finished(process.returncode or 0, bytes(out.data), bytes(err.data), out.over)


async def _coming(process: Process, err: Output) -> AsyncIterator[bytes | Finished]:
    """What the program writes as it comes; then how it ended."""
    while (chunk := await _received(process)) is not None:
        if chunk:
            yield chunk
    while not await ended(process, 1.0):
        pass
    with anyio.move_on_after(0.5):
        await err.ended.wait()
    yield Finished(process.returncode or 0, b"", bytes(err.data))


async def _received(process: Process) -> bytes | None:
    """What it wrote; nothing where it wrote nothing for a while; None at the end."""
    assert process.stdout is not None
    try:
        with anyio.move_on_after(0.5):
            return await process.stdout.receive(_CHUNK)
    except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        return None
    return None if await ended(process, 0) else b""  # its children may hold the pipe open


async def _feed(process: Process, data: bytes | AsyncIterator[bytes], troubles: list[Exception]) -> None:
    """Where what it is to read cannot be had, the program is ended before it has seen the end of its input."""
    assert process.stdin is not None
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        if isinstance(data, bytes):
            if data:
                await process.stdin.send(data)
        else:
            try:
                async for part in data:
                    await process.stdin.send(part)
            except RunFault as found:
                troubles.append(found)
                end_group(process, "SIGTERM")
                return
        await process.stdin.aclose()


async def _collect(stream: ByteReceiveStream | None, output: Output, stop_when_full: bool) -> None:
    assert stream is not None
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        async for chunk in stream:
            room = output.most - len(output.data)
            output.data += chunk[:room]
            output.over = output.over or len(chunk) > room
            if output.over and stop_when_full:
                break
    output.ended.set()


async def _stop(process: Process) -> None:
    """Ends what still runs: politely, then not."""
    if process.returncode is None:
        end_group(process, "SIGTERM")
        await ended(process, GRACE / 2)
    end_group(process, "SIGKILL")
    with anyio.move_on_after(GRACE):
        await process.aclose()
