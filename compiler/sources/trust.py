"""Servers of tools are programs, and some are sent secrets: before one of a manifest is started, or is sent a variable,
the user sees it and agrees, once."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from compiler.loader.lock_shape import asked
from compiler.project import CommandProgram, HttpServer, PythonModule, StdioServer
from compiler.sources.atomic import write_text
from stdlib.values.digest import digest
from stdlib.values.header_value import from_variable

FORMAT = "chainc.trust/1"

MOST_LINES = 20
"""So many ways of starting a program are shown at once, others are asked about then."""

MOST_SHOWN = 20_000
"""So many characters are shown at once. A line with more is never agreed to: nobody would see all of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A way of starting a program: as a person sees it, without the program; `digest` of all that decides about it."""

    shown: str
    digest: str


@dataclass(frozen=True, slots=True)
class Commands:
    """A program with each of the ways in which chains start it."""

    program: str
    env: tuple[str, ...] = ()
    cwd: str | None = None
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Sending:
    """Variables whose values go to a server: `origin` is scheme, host and port."""

    origin: str
    variables: tuple[str, ...]


def sending(url: str, variables: Iterable[str]) -> Sending | None:
    """What goes to the server at this URL; None where nothing does."""
    from urllib.parse import urlsplit

    names = tuple(sorted(set(variables)))
    try:
        parts = urlsplit(url)
        place = parts.netloc.rpartition("@")[2].lower()
        origin = f"{parts.scheme.lower()}://{place}"
    except ValueError:
        origin = url
    return Sending(origin, names) if names else None


def sent_by(server: HttpServer) -> Sending | None:
    """The variables in the headers of a server of tools."""
    found = (from_variable(value) for _, value in server.headers)
    return sending(server.url, (each.variable for each in found if each is not None))


Agreeable = StdioServer | PythonModule | Commands | Sending
"""What runs on the user's machine, or is told what only the user's machine knows."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is about to be done: for the source `source`, by a person's agreement only."""

    source: str
    server: Agreeable
    more: int = 0
    """So many ways of starting the program are asked about after these."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The commands as a shell would take them, the file or the module, or where variables go; in printable
        characters."""
        import shlex

        match self.server:
            case StdioServer(command=command, args=args):
                lines = [shlex.join([command, *args])]
            case Commands(program=program, lines=ways):
                lines = [f"{shlex.quote(program)} {shown}".strip() for shown in [way.shown for way in ways] or [""]]
            case PythonModule(file=file, module=module):
                lines = [file or module or ""]
            case Sending(origin=origin, variables=variables):
                lines = [f"{', '.join(variables)} to {origin}"]
        return tuple("".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in each) for each in lines)

    @property
    def too_long(self) -> str:
        """Why it cannot be agreed to, as the end of a sentence; nothing where all of it can be shown."""
        longest = max(self.lines, key=len, default="")
        if len(longest) <= MOST_SHOWN:
            return ""
        return f"`{longest[:60]}…` has {len(longest):,} characters, and only {MOST_SHOWN:,} can be shown"


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

    def knows(self, root: Path, server: Agreeable) -> bool:
        """Whether this very command (with arguments, variables and folder), file, or place for these variables was
        agreed to in this project; of a program of chains, each way in which it is started."""
        return set(_digests(server)) <= self.known(root)

    def known(self, root: Path) -> set[str]:
        """The digests of all that was agreed to in this project."""
        return set(self._projects().get(_key(root), []))

    def record(self, root: Path, server: Agreeable) -> None:
        """Keep an agreement. Raises OSError where the file cannot be written."""
        projects = self._projects()
        agreed = projects.setdefault(_key(root), [])
        agreed += [each for each in _digests(server) if each not in agreed]
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
    """Whether it may be done. `ask` is None where the user said so beforehand (`--trust`): nothing is
    asked, nothing recorded. Else what is not known is shown, all of it, and what got a yes is recorded."""
    if ask is None:
        return True
    portions = list(_portions(question, trust.known(root)))
    if any(each.too_long for each in portions):
        return False
    for each in portions:
        if not ask(each):
            return False
        with contextlib.suppress(OSError):  # then the answer counts for this time, and it will be asked again
            trust.record(root, each.server)
    return True


def _portions(question: Question, known: set[str]) -> Iterator[Question]:
    """What is not known of it, in questions that a person can read."""
    program = question.server
    new = [digest not in known for digest in _digests(program)]
    if not isinstance(program, Commands) or not program.lines:
        if any(new):
            yield question
        return
    left = [line for line, is_new in zip(program.lines, new, strict=True) if is_new]
    while left:
        first = replace(question, server=replace(program, lines=tuple(left[:MOST_LINES])))
        count = max(1, sum(end <= MOST_SHOWN for end in accumulate(map(len, first.lines))))
        shown, left = left[:count], left[count:]
        yield replace(question, server=replace(program, lines=tuple(shown)), more=len(left))


def _key(root: Path) -> str:
    return os.path.realpath(root)


def _digests(server: Agreeable) -> list[str]:
    match server:
        case Commands(program=program, env=env, cwd=cwd, lines=lines):
            start = asked(CommandProgram(program, env, cwd))
            return [digest({**start, "run": line.digest}) for line in lines] or [digest(start)]
        case Sending(origin=origin, variables=variables):
            return [digest({"origin": origin, "variable": each}) for each in variables]
        case _:
            return [digest(asked(server))]
