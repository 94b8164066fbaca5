"""What a person sees when chainc itself is wrong: one sentence, and a report to send along."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback

from compiler.cli import terminal


def report(bug: BaseException) -> None:
    """Say that it is our mistake. The traceback goes to a file, or to stderr with CHAINC_TRACEBACK=1."""
    what = "".join(traceback.format_exception_only(bug)).strip()
    frames = traceback.extract_tb(bug.__traceback__)
    where = f" ({_short(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    terminal.say("chainc: this is a bug in chainc, not in your workflow.")
    terminal.say(f"  {what}{where}")
    trace = "".join(traceback.format_exception(bug))
    if os.environ.get("CHAINC_TRACEBACK"):
        terminal.say(trace.rstrip())
        return
    path = _save(trace)
    if path:
        terminal.say(f"  Please report it with {path}; CHAINC_TRACEBACK=1 shows the same here.")
    else:
        terminal.say("  Please report it; CHAINC_TRACEBACK=1 shows more.")


def _save(trace: str) -> str | None:
    from compiler.cli.entry import version

    head = f"chainc {version()}, Python {platform.python_version()}, {platform.system()}\ncommand: {sys.argv}\n\n"
    try:
        handle, path = tempfile.mkstemp(prefix="chainc-bug-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(head + trace)
    except OSError:
        return None
    return path


def _short(filename: str) -> str:
    return "/".join(filename.replace("\\", "/").split("/")[-3:])
