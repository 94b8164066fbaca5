"""A terminal without a person: a command runs in it, what it writes is read as it comes, and keys can be pressed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from tests.compiler.cli.chainc import ROOT

_PATIENCE = 120
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def _hears_ctrl_c() -> None:
    """Its terminal is this one; and where tests run in the background, Ctrl-C is not ignored as it is there."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Screen:
    """Runs `chainc` with these arguments; stdin and stderr, and stdout unless `stdout` is a file, are the terminal."""

    def __init__(
        self, *argv: str, cwd: Path, columns: int = 100, lines: int = 30, stdout: Path | None = None, **environ: str
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
        out = slave if stdout is None else os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "compiler.cli", *argv],
            cwd=cwd,
            env={**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environ},
            stdin=slave,
            stdout=out,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_hears_ctrl_c,
        )
        os.close(slave)
        if stdout is not None:
            os.close(out)
        self.raw = ""

    @property
    def text(self) -> str:
        """All that was written so far, without what steers the terminal."""
        return _CONTROL.sub("", self.raw)

    def wait_for(self, text: str) -> None:
        """Until this has been written, behind what was waited for before."""
        until = time.monotonic() + _PATIENCE
        while text not in self.text:
            if not self._read(until):
                self._process.wait(_PATIENCE)
                raise AssertionError(f"{text!r} was never written:\n{self.text}")

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Until the command has ended; its exit code."""
        until = time.monotonic() + _PATIENCE
        while self._read(until):
            pass
        code = self._process.wait(_PATIENCE)
        os.close(self._master)
        return code

    def _read(self, until: float) -> bool:
        """Whether there was something; False at the end."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            self._process.kill()
        assert ready, f"nothing came any more:\n{self.text}"
        try:
            data = os.read(self._master, 65536)
        except OSError:  # nobody holds the other end
            return False
        self.raw += data.decode("utf-8", "replace")
        return bool(data)
