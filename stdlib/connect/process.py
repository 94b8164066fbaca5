"""A server of tools as a program: found, started with few variables, drained, and ended with all its children."""

from __future__ import annotations

import errno
import logging
import os
import re
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.lowlevel
from anyio.abc import ByteReceiveStream, Process, TaskGroup

from ..plan.plan import Stdio
from ..runtime.fault import CUT, fault
from .asked_back import AskedBack, shortened, takes_back
from .ground import Ground
from .message import read_message, unread_answer

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

INHERITED: Final = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMPDIR",
    "USER",
)
"""Variables that every program gets; all others are named by the source."""

GRACE: Final = 2.0
"""Seconds that a program has to end after its input was closed, and again after SIGTERM."""

LINES_TOLD: Final = 5
"""Most of its last lines on standard error that a fault repeats."""

LINES_LOGGED: Final = 100
"""Most lines that a program writes in ten seconds and that go to the log; a line has at most `_LONGEST` bytes."""

_PASSES: Final = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.ETXTBSY)

_LONGEST: Final = 500

_LINES_AT_ONCE: Final = 100
"""After so many lines that are no messages others have a turn."""


def find_command(name: str, command: str, otherwise: str = ", or start the server where it is.") -> str:
    """The program's path: beside the interpreter, else on PATH; a command with a folder in it as it stands.

    Raises the fault `unavailable` where there is none. `name`: of the source; `otherwise`: how the advice to install
    it ends.
    """
    if os.sep in command or (os.altsep and os.altsep in command):
        return command
    beside = shutil.which(command, path=str(Path(sys.executable).parent))
    found = beside or shutil.which(command)
    if found is None:
        message = f"The program `{command}` of `{name}` is not installed."
        advice = f"Install `{command}`{otherwise}"
        raise fault("unavailable", message, sent=False, lasting=True, next=advice)
    return found


def stays(error: Exception) -> bool:
    """Whether a program that could not be started cannot be until somebody changes something: it is not there, or no
    program. What the system lacks for the moment passes."""
    return getattr(error, "errno", None) not in _PASSES


def environment(names: tuple[str, ...]) -> dict[str, str]:
    """What the program sees: the inherited variables and the named ones, where they are set."""
    return {each: os.environ[each] for each in (*INHERITED, *names) if each in os.environ}


class StdioTransport:
    """The transport of one program, as the protocol's client wants it: entered, it gives its two message streams.

    `ended` says how the program ended, after "The server of `NAME` ": set before the streams close, None while it runs.
    `too_large` is True where it wrote a message of more than `line_limit` bytes. `stray` is the last thing that it
    wrote on its standard output and that is no message. `came` are the tools of the last list that came. `ground`:
    where the program may start.
    """

    def __init__(
        self, name: str, transport: Stdio, ground: Ground, line_limit: int, on_end: Callable[[], None]
    ) -> None:
        self.name = name
        self.ended: str | None = None
        self.too_large = False
        self.stray: str | None = None
        self.came: list[Any] = []
        self._said: deque[str] = deque(maxlen=LINES_TOLD)
        self._drained = anyio.Event()
        self._transport, self._ground = transport, ground
        self._line_limit = line_limit
        self._on_end = on_end
        self._process: Process | None = None
        self._group: TaskGroup | None = None
        self._asked = AskedBack()
        log = logging.getLogger(f"chainc.server.{name}")
        self._errors, self._strays = _Log(log, logging.INFO), _Log(log, logging.WARNING)

    async def __aenter__(self) -> tuple[Any, Any]:
        transport = self._transport
        command = find_command(self.name, transport.command)
        folder = self._ground.folder(self.name, transport.cwd)
        try:
            # A program that has begun must be known here, so that it can be ended and awaited.
            with anyio.CancelScope(shield=True):
                process = self._process = await anyio.open_process(
                    [command, *transport.args],
                    env=environment(transport.env),
                    cwd=folder,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            message = f"The program `{transport.command}` of `{self.name}` cannot be started: {reason}."
            raise fault("unavailable", message, sent=False, lasting=stays(error)) from None
        to_client, from_server = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
        to_server = _Stdin(process, self._asked, partial(self._cannot_write, process, to_client))
        self._streams = (to_client, from_server)
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._read, process, to_client)
        self._group.start_soon(self._drain, process)
        return from_server, to_server

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._process is not None
        assert self._group is not None
        # Bounded at every step, so that the program is ended even if the caller is being cancelled.
        with anyio.CancelScope(shield=True):
            for stream in self._streams:
                stream.close()
            await stop(self._process)
        self._group.cancel_scope.cancel()
        return await self._group.__aexit__(kind, error, trace)

    # ------------------------------------------------------------------ the program's three streams

    async def _read(self, process: Process, to_client: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        assert process.stdout is not None
        parts: list[bytes] = []
        size = 0
        try:
            async with to_client:
                async for chunk in process.stdout:
                    *lines, rest = chunk.split(b"\n")
                    if lines:
                        lines[0] = b"".join([*parts, lines[0]])
                        parts, size = [], 0
                        await self._pass_on(lines, to_client)
                    parts.append(rest)
                    size += len(rest)
                    if size > self._line_limit:
                        self.too_large = True
                        self.ended = f"wrote a message of more than {self._line_limit} bytes and was stopped"
                    if self.ended is not None:
                        break
                if self.ended is None:
                    how = await _how_it_ended(process)
                    with anyio.move_on_after(0.5):
                        await self._drained.wait()
                    self.ended = how
                self._on_end()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            self.ended = self.ended or "closed its output"
            self._on_end()

    async def _pass_on(self, lines: list[bytes], to_client: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Messages go to the client; where the server asks too much of us, `ended` says so."""
        passed_over = 0
        for line in lines:
            message = self._message(line) if line and not line.isspace() else None
            if message is None or takes_back(message.message):
                passed_over += 1
                if passed_over % _LINES_AT_ONCE == 0:
                    await anyio.lowlevel.checkpoint()
                continue
            message.message = shortened(message.message, len(line))
            if not await self._asked.took(message.message):
                self.ended = self._asked.why
                return
            try:
                to_client.send_nowait(message)
            except anyio.WouldBlock:
                await to_client.send(message)

    def _message(self, line: bytes) -> SessionMessage | None:
        message = read_message(line)
        if message is None:
            self.stray = _printable(line[:_LONGEST].decode("utf-8", "replace"))
            self._strays.write(f"`{self.name}` wrote something on its standard output that is no message: {self.stray}")
            return unread_answer(line)
        result = getattr(message.message, "result", None)
        if isinstance(result, dict) and isinstance(result.get("tools"), list):
            self.came = result["tools"]
        return message

    def stray_clue(self) -> str:
        """A sentence about what was no message, or nothing."""
        if self.stray is None:
            return ""
        return f' It wrote something that is no message of the protocol: "{self.stray}".'

    def clues(self) -> str:
        """Sentences about why it may have ended: what was no message, its last words on standard error."""
        said = " / ".join(self._said)
        return self.stray_clue() + (f" Its last words: {said}" if said else "")

    async def _cannot_write(
        self, process: Process, to_client: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """The reader learns how the program ended; where it lives on with its input closed, this wakes the client."""
        self.ended = self.ended or await _how_it_ended(process)
        to_client.close()
        self._on_end()

    async def _drain(self, process: Process) -> None:
        """Standard error goes to the log, line by line; a program that writes much is never held up."""
        assert process.stderr is not None
        async for line in _lines(process.stderr):
            if (words := _printable(line)) != "":
                self._said.append(words)
            self._errors.write(line)
        self._drained.set()


class _Log:
    """A log that a program cannot flood."""

    def __init__(self, log: logging.Logger, level: int) -> None:
        self._log, self._level = log, level
        self._left, self._since = LINES_LOGGED, time.monotonic()

    def write(self, line: str) -> None:
        if time.monotonic() - self._since > 10:
            self._left, self._since = LINES_LOGGED, time.monotonic()
        self._left -= 1
        if self._left >= 0:
            self._log.log(self._level, "%s", line)
        elif self._left == -1:
            self._log.log(self._level, "(it writes much; the rest of ten seconds is left out)")


class _Stdin:
    """What a client writes to: each message goes to the program at once, without another task in between."""

    def __init__(self, process: Process, asked: AskedBack, cannot_write: Callable[[], Awaitable[None]]) -> None:
        assert process.stdin is not None
        self._stdin = process.stdin
        self._asked = asked
        self._cannot_write = cannot_write
        self._closed = False

    async def send(self, item: SessionMessage) -> None:
        if self._closed:
            raise anyio.ClosedResourceError
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._stdin.send(text.encode() + b"\n")
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            self._closed = True
            await self._cannot_write()
        else:
            self._asked.sent(item.message)

    async def aclose(self) -> None:
        self._closed = True

    async def __aenter__(self) -> _Stdin:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _printable(line: str) -> str:
    """The line without what steers a terminal, at most 200 characters and a sign that it was cut."""
    plain = re.sub(r"\x1b\[[0-9;?]*[ -/]*[@-~]", "", line)
    told = "".join(sign for sign in plain if sign.isprintable()).strip()
    return told if len(told) <= 200 else told[:200] + CUT


async def _lines(stream: ByteReceiveStream) -> Any:
    """Lines of text, cut to `_LONGEST` bytes; ends when the stream does, however it does."""
    rest = b""
    try:
        async for chunk in stream:
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line[:_LONGEST].decode("utf-8", "replace").rstrip()
            rest = rest[:_LONGEST]
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        return
    if rest:
        yield rest.decode("utf-8", "replace").rstrip()


async def _how_it_ended(process: Process) -> str:
    """After "The server of `NAME` "; waits a moment for a program whose output has just ended."""
    await ended(process, 0.5)
    code = process.returncode
    if code is None:
        return "closed its output"
    if code < 0:
        return f"was killed by {signal_name(-code)}"
    return f"ended with exit code {code}"


def signal_name(number: int) -> str:
    """Real-time signals have no names."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def ended(process: Process, seconds: float) -> bool:
    """Whether the program ends in time. Polled, because waiting for a process also waits for pipes that its children
    may hold open."""
    deadline = anyio.current_time() + seconds
    while process.returncode is None and anyio.current_time() < deadline:
        await anyio.sleep(0.01)
    return process.returncode is not None


async def stop(process: Process) -> None:
    """Ends a program and its whole process group: closed input, then SIGTERM, then SIGKILL."""
    if process.stdin is not None:
        with suppress(anyio.BrokenResourceError, OSError):
            await process.stdin.aclose()
    if not await ended(process, GRACE):
        end_group(process, "SIGTERM")
        await ended(process, GRACE)
    # What the program has left behind goes with it.
    end_group(process, "SIGKILL")
    with anyio.move_on_after(GRACE):
        await process.aclose()


def end_group(process: Process, name: str) -> None:
    """Sends a signal to a program and to all that it started and that did not leave its group."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, getattr(signal, name))
