"""The folders that tools may touch, and the way to a file in one of them.

Each folder on the way is opened below the one before (openat) and none of them may be a link, so what was checked is
what is used, whoever moves things meanwhile.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from . import ToolFault

DEEPEST: Final = 64
"""Folders in a path."""
_FOLDER: Final = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)
_READ: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Way:
    """A root, with links resolved, and the names below it."""

    root: str
    names: tuple[str, ...]

    @property
    def path(self) -> str:
        return os.path.join(self.root, *self.names)


class Folders:
    """`roots`: the allowed folders; a relative path begins in the first. `most_bytes`: of what is read at once."""

    def __init__(self, roots: Sequence[str], most_bytes: int) -> None:
        self._roots = tuple((os.path.abspath(each), os.path.realpath(each)) for each in roots)
        self.most_bytes = most_bytes

    def way(self, path: str) -> Way:
        """Where a path leads, by its words alone. Raises `denied`."""
        if not self._roots:
            advice = 'Name the folders that may be used in the manifest: `[allow]`, `roots = ["data"]`.'
            raise ToolFault("no folder is allowed", "denied", advice)
        if os.open not in os.supports_dir_fd:
            raise ToolFault("this system cannot open files safely: it has no `openat`")
        if "\0" in path:
            raise ToolFault("the path has a null character in it")
        root, rest = self._root(path)
        names = tuple(each for each in rest.split("/") if each not in ("", "."))
        for name in names:
            if name == "..":
                raise ToolFault(f"the path {shown(path)} has `..` in it", "denied", "Write where it leads.")
            if name.startswith("."):
                message = f"{shown(path)} is hidden: names that begin with a dot are not reached"
                raise ToolFault(message, "denied", "Give it a name without a dot at its beginning.")
        if len(names) > DEEPEST:
            raise ToolFault(f"the path has more than {DEEPEST} folders")
        return Way(root, names)

    def _root(self, path: str) -> tuple[str, str]:
        """A root and what is left of the path. The innermost of several."""
        if not path.startswith("/"):
            return self._roots[0][1], path
        found = [
            (spelt, real)
            for written, real in self._roots
            for spelt in (written, real)
            if f"{path}/".startswith(spelt.rstrip("/") + "/")
        ]
        if not found:
            advice = "Add its folder to `roots` of `[allow]` if it may be reached."
            raise ToolFault(f"{shown(path)} lies in no allowed folder", "denied", advice)
        spelt, real = max(found, key=lambda each: len(each[0]))
        return real, path[len(spelt.rstrip("/")) :]

    @contextmanager
    def folder(self, path: str, names: Sequence[str] | None = None) -> Iterator[int]:
        """The open folder at a path, or at other names below the same root."""
        way = self.way(path)
        with told(path):
            try:
                current = os.open(way.root, _FOLDER)
            except FileNotFoundError:
                raise ToolFault(f"the allowed folder {shown(way.root)} is not there") from None
        wanted = way.names if names is None else names
        try:
            for count, name in enumerate(wanted, start=1):
                with told(path, partial(self.absent, path, wanted[:count], folder=True)):
                    _no_link(current, name, path)
                    inner = os.open(name, _FOLDER, dir_fd=current)
                os.close(current)
                current = inner
            yield current
        finally:
            os.close(current)

    @contextmanager
    def parent(self, path: str) -> Iterator[tuple[int, str]]:
        """The open folder that a path's last name stands in, and that name."""
        names = self.way(path).names
        if not names:
            raise ToolFault(f"{shown(path)} is a folder, not a file")
        with self.folder(path, names[:-1]) as folder:
            yield folder, names[-1]

    @contextmanager
    def file(self, path: str) -> Iterator[int]:
        """An open file, to be read. It is no link, no device and no pipe."""
        with self.parent(path) as (folder, name):
            with told(path, partial(self.absent, path, self.way(path).names)):
                _no_link(folder, name, path)
                _regular(os.stat(name, dir_fd=folder, follow_symlinks=False), path)  # opening a device may do something
                opened = os.open(name, _READ, dir_fd=folder)
            try:
                _regular(os.fstat(opened), path)
                yield opened
            finally:
                os.close(opened)

    def absent(self, path: str, names: Sequence[str], *, folder: bool = False) -> Absent:
        """What is missing, and in which allowed folder it was looked for; that is called by its last name alone."""
        root = self.way(path).root
        called = os.path.basename(root)
        where = f" in the allowed folder {shown(called)}" if called else ""
        if len(self._roots) > 1 and not path.startswith("/"):
            where += ", the first of several"
        advice = "Name a folder that is there: no tool makes one." if folder else None
        if not path.startswith("/") and names[0] == called and len(self.way(path).names) > 1:
            advice = f"A path begins inside of {shown(called)}: write {shown('/'.join(self.way(path).names[1:]))}."
        return Absent(f"there is no {'folder ' if folder else ''}{shown('/'.join(names))}{where}", advice=advice)

    def about(self, path: str) -> os.stat_result | None:
        """What stands at a path, a link itself; None where there is nothing."""
        names = self.way(path).names
        try:
            with self.folder(path, names[:-1]) as folder, told(path):
                if not names:
                    return os.fstat(folder)
                return os.stat(names[-1], dir_fd=folder, follow_symlinks=False)
        except Absent:
            return None


class Absent(ToolFault):
    """There is nothing at a path."""


@contextmanager
def told(path: str, absent: Callable[[], Absent] | None = None) -> Iterator[None]:
    """What the system says about a path, in our words. `absent`: where more is known about what is missing."""
    try:
        yield
    except FileNotFoundError:
        raise (Absent(f"there is no {shown(path)}") if absent is None else absent()) from None
    except IsADirectoryError:
        raise ToolFault(f"{shown(path)} is a folder, not a file") from None
    except NotADirectoryError:
        raise ToolFault(f"a part of {shown(path)} is no folder") from None
    except PermissionError:
        raise ToolFault(f"this program may not do that with {shown(path)}") from None
    except (OSError, UnicodeError) as problem:
        why = getattr(problem, "strerror", None) or "it is no path"
        raise ToolFault(f"{shown(path)}: {why}") from None


def shown(path: str) -> str:
    """A path in a message."""
    plain = "".join(c if c.isprintable() else "�" for c in path)
    return f"`{plain[:200]}…`" if len(plain) > 200 else f"`{plain}`"


def _no_link(folder: int, name: str, path: str) -> None:
    """For the message: whatever becomes a link after this is not followed when it is opened."""
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise ToolFault(f"{shown(path)} goes through a link (`{name}`), and links are not followed", "denied")


def _regular(found: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ToolFault(f"{shown(path)} is a folder, not a file")
    if not stat.S_ISREG(found.st_mode):
        raise ToolFault(f"{shown(path)} is no ordinary file", "denied")
