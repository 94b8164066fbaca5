"""Servers of tools are programs: before one of a manifest is started the user sees it and agrees, once."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compiler.loader.lock_shape import asked
from compiler.project import CommandProgram, PythonModule, StdioServer
from compiler.sources.atomic import write_text
from stdlib.values.digest import digest

FORMAT = "chainc.trust/1"


Runnable = StdioServer | PythonModule | CommandProgram
"""What runs on the user's machine."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is about to be started: for the source `source`, by a person's agreement only."""

    source: str
    server: Runnable

    @property
    def command_line(self) -> str:
        """The command as a shell would take it, the file or the module; in printable characters."""
        import shlex

        match self.server:
            case StdioServer(command=command, args=args):
                line = shlex.join([command, *args])
            case CommandProgram(program=program):
                line = shlex.quote(program)
            case PythonModule(file=file, module=module):
                line = file or module or ""
        return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in line)


Ask = Callable[[Question], bool]
"""Shows the question and gives the answer."""


def state_file() -> Path:
    """Where agreements are kept: one file for a user, outside of every project (XDG base directories)."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(base) / "chainc" / "trust.json"


class Trust:
    """What this user agreed to start, by project folder. A file that cannot be read means: nothing yet."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or state_file()

    def knows(self, root: Path, server: Runnable) -> bool:
        """Whether this very command (with arguments, variables and folder) or file was agreed to in this project."""
        return _digest(server) in self._projects().get(_key(root), [])

    def record(self, root: Path, server: Runnable) -> None:
        """Keep an agreement. Raises OSError where the file cannot be written."""
        projects = self._projects()
        agreed = projects.setdefault(_key(root), [])
        if _digest(server) not in agreed:
            agreed.append(_digest(server))
        self._file.parent.mkdir(parents=True, exist_ok=True)
        value = {"format": FORMAT, "projects": dict(sorted(projects.items()))}
        write_text(self._file, json.dumps(value, indent=2) + "\n", mode=0o600)

    def _projects(self) -> dict[str, list[str]]:
        try:
            value = json.loads(self._file.read_text("utf-8"))
            projects = value["projects"] if value["format"] == FORMAT else {}
            return {str(root): [str(each) for each in agreed] for root, agreed in projects.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}


def agreed(root: Path, question: Question, ask: Ask | None, trust: Trust) -> bool:
    """Whether the program may be started. `ask` is None where the user said so beforehand (`--trust`): nothing is
    asked, nothing recorded."""
    if ask is None or trust.knows(root, question.server):
        return True
    if not ask(question):
        return False
    with contextlib.suppress(OSError):  # then the answer counts for this time, and it will be asked again
        trust.record(root, question.server)
    return True


def _key(root: Path) -> str:
    return os.path.realpath(root)


def _digest(server: Runnable) -> str:
    return digest(asked(server))
